"""Roles made of what there is: the rounds of a script or a story, a character card, a profile of a scene.

No model is asked. What is made is unverified, and says where each part comes from.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import ValidationError

from annotations.i18n.messages import cited, wrong_with
from characterbox.errors import RoleError
from characterbox.play.events import Action, Dialogue, Event, InteractionResult, Reaction
from characterbox.play.perception import perceives
from characterbox.play.world import moments
from characterbox.roles.role import Description, Dialogues, Provenance, Role, Round, Turn
from characterbox.roles.scripts import Placed, Script, rounds_of
from characterbox.scenes.cards.lorebook import Names, resolved
from characterbox.scenes.cards.profile import USER, CardFile
from characterbox.scenes.import_report import choice_of
from characterbox.scenes.scene import MOST_HEADING, MOST_NAME, Profile, Scene, slug_of
from characterbox.values import Language

_EXAMPLE = re.compile(r"<START>", re.IGNORECASE)
_LABEL = re.compile(r"\{\{(char|user)\}\}[^\S\n]{0,5}[:：]", re.IGNORECASE)


def role_id(language: Language, name: str) -> str:
    """What a new role of this name is known by."""
    return f"{language}-{slug_of(name)}"


def role_of_script(script: Script, speakers: Sequence[str], language: Language, work: str, author: str | None) -> Role:
    """The role that speaks in a script under the first of these names, and under the others, too.

    Raises RoleError if it never speaks, or can't be a role.
    """
    name, *others = speakers
    rounds = rounds_of(script, name, others)
    dialogues = Dialogues(provenance=Provenance(source=script.name), rounds=rounds)
    return _role(
        id=role_id(language, name),
        name=name,
        language=language,
        work=work,
        author=author or None,
        other_names=tuple(others),
        dialogues=(dialogues,),
    )


def role_of_profile(scene: Scene, profile: Profile) -> Role:
    """The role that a character of a scene is, without dialogues."""
    source = Provenance(source=f"{scene.title} ({scene.work})")
    return _role(
        id=role_id(scene.language, profile.name),
        name=profile.name,
        language=scene.language,
        work=scene.work,
        author=scene.author,
        other_names=profile.other_names,
        description=Description(text=profile.description, provenance=source),
    )


def profile_in(scene: Scene, name: str) -> Profile:
    """The profile of a character of a scene. Raises RoleError, with the names there are, if there is none."""
    for profile in scene.cast:
        if profile.name == name:
            return profile
    told = {"scene": scene.title, "name": cited(name), "choice": choice_of([one.name for one in scene.cast])}
    raise RoleError("{scene}: there is no character {name}; {choice}", **told)


def role_of_story(scene: Scene, events: Iterable[Event], name: str, story: str, model: str | None) -> Role:
    """The role that a character of a scene is, with what it said in a story that was played of it.

    What is done, and what comes of it, is narration. Its rounds have only what the character perceived, and nothing
    that stands in for a reply which could not be read. `story` is the story's id, and `model` what played the
    character, None for a person. Raises RoleError where the scene has no such character, or it never speaks.
    """
    role = role_of_profile(scene, profile_in(scene, name))
    told = (event for event, _, now in moments(events, scene) if not event.degraded and perceives(name, event, now))
    turns = tuple(Placed(0, turn, 0) for event in told if (turn := _turn(event)) is not None)
    title = scene.title[: MOST_HEADING // 2]
    script = Script(title, "lines", (), turns, {})
    provenance = Provenance(source=f"{title} ({story})", model=model)
    return _role(**{**dict(role), "dialogues": (Dialogues(provenance=provenance, rounds=rounds_of(script, name)),)})


def _turn(event: Event) -> Turn | None:
    """What somebody says, or what is done and comes of it."""
    match event:
        case Dialogue(text=text) if text:
            return Turn(speaker=event.character, text=text)
        case Action(text=text) | Reaction(text=text) | InteractionResult(text=text) if text:
            return Turn(text=text)
    return None


def role_of_card(card: CardFile, language: Language, work: str) -> Role:
    """The role that a character card describes: its greetings and the examples of its speech are its dialogues."""
    source = Provenance(source=card.name)
    rounds = tuple(_rounds_of_card(card, language))
    return _role(
        id=role_id(language, card.character),
        name=card.character,
        language=language,
        work=work,
        other_names=card.other_names,
        description=Description(text=card.description, provenance=source),
        dialogues=(Dialogues(provenance=source, rounds=rounds),) if rounds else (),
    )


def _role(**parts: object) -> Role:
    try:
        return Role.model_validate(parts)
    except ValidationError as error:
        raise RoleError("{name}: {why}", name=str(parts["name"]), why=wrong_with(error.errors()[0])) from None


def _rounds_of_card(card: CardFile, language: Language) -> Iterator[Round]:
    fields = card.card.fields
    greetings = fields.get("alternate_greetings")
    names = Names(card.character, USER[language])

    def said(text: object) -> str:
        return resolved(text, names)[0].strip() if isinstance(text, str) else ""

    for greeting in (fields.get("first_mes"), *(greetings if isinstance(greetings, list) else ())):
        if text := said(greeting):
            yield Round(turns=(Turn(speaker=card.character, text=text),))
    examples = fields.get("mes_example")
    for number, block in enumerate(_EXAMPLE.split(examples if isinstance(examples, str) else ""), 1):
        yield from _rounds_of_example(block, number, card.character, USER[language][:MOST_NAME], said)


def _rounds_of_example(block: str, number: int, name: str, user: str, said: Callable[[object], str]) -> Iterator[Round]:
    """The rounds of one example conversation, whose turns begin with {{char}}: and {{user}}:."""
    before: list[Turn] = []
    pieces = _LABEL.split(block)[1:]
    for who, text in zip(pieces[::2], pieces[1::2], strict=True):
        if not (spoken := said(text)):
            continue
        turn = Turn(speaker=name if who.casefold() == "char" else user, text=spoken)
        if turn.speaker == name:
            yield Round(act=number, turns=(*before, turn))
            before = []
        else:
            before.append(turn)
