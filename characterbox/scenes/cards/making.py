"""A card of a character, to be used in a program for character cards or to come back here as the same profile."""

from annotations.wording import say
from characterbox.errors import SceneError
from characterbox.scenes.cards.card import OURS, Card, blank
from characterbox.scenes.cards.decorators import without_decorators
from characterbox.scenes.cards.lorebook import MOST_ENTRIES, book_of
from characterbox.scenes.cards.macros import has_macros
from characterbox.scenes.dialect import Fields
from characterbox.scenes.scene import Profile


def card_of(profile: Profile, scenario: str = "") -> Card:
    """The profile as a V3 card, with `scenario` for what goes on around it.

    What a card has no field for goes into `extensions`. Raises SceneError if the character knows more than is read of
    a card again.
    """
    if len(profile.knowledge) > MOST_ENTRIES:
        told = say(
            "{name}: knowledge: {count:,} notes are more than the {most:,} that a card may have; put some together",
            name=profile.name, count=len(profile.knowledge), most=MOST_ENTRIES,
        )  # fmt: skip
        raise SceneError(told)
    own: Fields = {"position": profile.position, "state": profile.state}
    if profile.gender is not None:
        own["gender"] = profile.gender
    if profile.unaware:  # no part of the lorebook, which is told to the character
        own["unaware"] = [*profile.unaware]
    if any(map(_looks_like_more, (profile.description, scenario, *profile.knowledge))):
        own["literal"] = True
    data: Fields = {
        **blank(),
        "name": profile.name,
        "description": profile.description,
        "scenario": scenario,
        "extensions": {OURS: own},
        "group_only_greetings": [],
        "creation_date": 0,
        "modification_date": 0,
    }
    if profile.knowledge:
        data["character_book"] = book_of(profile)
    return Card("V3", {"spec": "chara_card_v3", "spec_version": "3.0", "data": data})


def _looks_like_more(text: str) -> bool:
    """Whether a reader of cards would find something in the text that it does not mean."""
    return has_macros(text) or bool(without_decorators(text)[1])
