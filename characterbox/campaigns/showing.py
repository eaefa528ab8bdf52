"""What a rater is shown of an item: the scene, who is judged, and what happened. Never which model it was."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotations.practice import AttentionCheck, PracticeItem
from annotations.rubric import Rubric
from characterbox.campaigns.scene_items import scene_of
from characterbox.campaigns.training import check_item, practice_item
from characterbox.play.events import (
    ActionInfluence,
    CharacterUpdate,
    EnvironmentUpdate,
    Event,
    InteractionResult,
)
from characterbox.play.perception import line
from characterbox.play.trajectory import trajectory
from characterbox.prompts import fill, words
from characterbox.scenes.scene import Profile
from characterbox.store import Store
from characterbox.store.campaign import Assignment, CampaignItem
from characterbox.values import Language

Shown = dict[str, Any]
"""As JSON: `scene`, `character` (None where it is not a character that is judged), `cast` and `steps`."""

_SCENE = ("title", "work", "language", "time", "location", "description", "others")
_CHARACTER = ("name", "description", "position", "state", "gender", "hue")
_STEP = ("round", "kind", "text", "degraded")


def shown_assignment(store: Store, assignment: Assignment, rubric: Rubric) -> Shown:
    """What there is to read of what an expert has to rate, be it from a story or from the practice set.

    Raises StoryError or CampaignError if its story, or the scene, can't be read, and CampaignError or RatingError if
    the practice set has it no more.
    """
    if assignment.purpose == "rate":
        return shown_item(store, store.campaigns.item(assignment.campaign, assignment.item), rubric)
    find = practice_item if assignment.purpose == "practice" else check_item
    return shown_practice(find(assignment, rubric))


def shown_item(store: Store, item: CampaignItem, rubric: Rubric) -> Shown:
    """What there is to read before the item is rated.

    Raises StoryError or CampaignError if its story, or the scene, can't be read.
    """
    scene = scene_of(store, item)
    if item.story_id is None or rubric.subject == "scene":
        steps = []
    elif item.character is not None:
        steps = list(_own_steps(store.stories.events(item.story_id), item.character, scene.language))
    else:
        steps = list(_narrated(store.stories.events(item.story_id), scene.language))
    told = {
        **scene.model_dump(mode="json", include={"title", "work", "language"}),
        **scene.environment.model_dump(mode="json"),
        "others": [name for name in scene.names if name != item.character],
    }
    if item.character is None:
        cast = [_person(who) for who in scene.cast]
        return {"scene": _in_order(told, _SCENE), "character": None, "cast": cast, "steps": steps}
    profile = _person(scene.profile(item.character))
    return _of_character(told, {**profile, "hue": scene.names.index(item.character)}, steps)


def shown_practice(item: PracticeItem | AttentionCheck) -> Shown:
    """What there is to read of a practice item, or of an attention check, which looks like what is from a story."""
    hue = len(item.character.description) % (len(item.others) + 1)
    told = {**item.scene.model_dump(mode="json"), "language": item.language, "others": list(item.others)}
    steps = [{**step.model_dump(mode="json"), "degraded": False} for step in item.steps]
    return _of_character(told, {**item.character.model_dump(mode="json"), "hue": hue}, steps)


def texts_of(shown: Shown) -> list[str]:
    """All that was written for the item by a model, as the rater reads it."""
    return [step["text"] for step in shown["steps"]]


def _person(who: Profile) -> Shown:
    """Who somebody is: all that judges read, too."""
    told = who.model_dump(mode="json", include={"name", "position", "state", "gender"})
    return {**told, "description": who.account}


def _of_character(scene: Shown, character: Shown, steps: Iterable[Shown]) -> Shown:
    """What is judged of a character, wherever it is from: even the order of the keys tells no attention check."""
    return {
        "scene": _in_order(scene, _SCENE),
        "character": _in_order(character, _CHARACTER),
        "cast": [],
        "steps": [_in_order(step, _STEP) for step in steps],
    }


def _in_order(told: Mapping[str, Any], keys: Iterable[str]) -> Shown:
    return {key: told[key] for key in keys}


def _own_steps(events: Iterable[Event], character: str, language: Language) -> Iterator[Shown]:
    for step in trajectory(events, character, language):
        yield {"round": step.round, "kind": step.kind, "text": step.text, "degraded": step.degraded}


def _narrated(events: Iterable[Event], language: Language) -> Iterator[Shown]:
    """What the characters did, as what the narrator had to go by, and what it decided."""
    for event in events:
        match event:
            case ActionInfluence(affected=None):
                kind, text = "influence", fill(words(language).narration.nobody, text=event.text)
            case ActionInfluence():
                kind, text = "influence", f"→ {event.affected}: {event.text}"
            case InteractionResult():
                kind, text = "result", event.text
            case CharacterUpdate():
                kind, text = "update", f"{event.character}: {event.position} / {event.state}"
            case EnvironmentUpdate():
                kind, text = "update", f"{event.time} / {event.location} / {event.description}"
            case _ if (observed := line(event, language)) is not None:
                kind, text = "observation", observed
            case _:
                continue
        yield {"round": event.round, "kind": kind, "text": text, "degraded": event.degraded}
