"""Finds in prompts what the one who is asked must not know.

Own profiles are left out, and the contracts; of names, also the name of the work and whatever is spoken, as whoever
hears a name knows it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from characterbox.llm.request import Request
from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentBelief,
    Event,
    InteractionResult,
    SelfBelief,
)
from characterbox.prompts import fill, variables, words
from characterbox.scenes.scene import Profile, Scene
from characterbox.values import Language

_FOLDER = Path(__file__).parent / "secrets"
_PROFILE = {"en": ("<profile>", "</profile>"), "zh": ("<人物设定>", "</人物设定>")}
_OPENING = {"en": ("<opening>", "World: "), "zh": ("<场景>", "作品：")}
_SENTENCE = re.compile(r"[^.!?。！？\n]{18,}[.!?。！？]")
"""A sentence that nobody writes twice by chance."""


class Secret(NamedTuple):
    """What only some may know as a scene begins."""

    what: str
    marks: Sequence[str]
    """Phrases that betray it."""
    known_by: frozenset[str]


class Leak(NamedTuple):
    """Something in a prompt that the one who is asked must not know."""

    path: str
    agent: str
    what: str
    found: str


@cache
def secrets_of(scene: str, language: Language) -> tuple[Secret, ...]:
    """What is secret in a bundled scene."""
    listed = _listed(language).get(scene, ())
    return tuple(Secret(one["what"], tuple(one["marks"]), frozenset(one["known_by"])) for one in listed)


@cache
def _listed(language: Language) -> Mapping[str, Sequence[Mapping[str, object]]]:
    return yaml.safe_load((_FOLDER / f"{language}.yaml").read_text(encoding="utf-8"))


def leaks(
    scene: Scene, secrets: Iterable[Secret], requests: Iterable[Request], recognised: Mapping[str, int] = {}
) -> Iterator[Leak]:
    """What the requests tell that they must not; of who is `recognised`, up to the end of that round."""
    listed = tuple(secrets)
    for request in requests:
        if request.agent is None:
            continue
        text = told(request, scene.language)
        for secret in listed:
            if request.agent not in secret.known_by:
                yield from _marks(request, text, secret)
        yield from _private(request, text, scene)
        round = int(request.path.partition("/")[0][1:])
        known = {name for name, since in recognised.items() if round > since}
        yield from _names(request, text, scene, known)


def overheard(events: Iterable[Event], requests: Iterable[Request]) -> Iterator[Leak]:
    """What the requests tell of what only some perceived of the events: thoughts, states, what is only felt, whispers
    and what is done unseen. By the kind of the event alone: nothing is asked of what decides who perceives what."""
    private = [one for event in events for one in _withheld(event)]
    for request in requests:
        if request.agent is not None:
            text = told(request, request.language)
            for what, said, those in private:
                if said and said in text and request.agent not in those:
                    yield Leak(request.path, request.agent, what, said)


def _withheld(event: Event) -> Iterator[tuple[str, str, Collection[str]]]:
    """What is not for all of an event, and for whom it is."""
    match event:
        case SelfBelief() | EnvironmentBelief():
            for field in event.model_fields_set - {"kind", "path", "round", "turn", "character"}:
                yield f"a belief of {event.character}", str(getattr(event, field)), {event.character}
        case ActionInfluence(affected=str(affected)):
            yield f"what reaches {affected}", event.text, {affected}
        case InteractionResult():
            yield f"what {event.affected} feels", event.felt, {event.affected}
        case CharacterUpdate():
            yield f"the state of {event.character}", event.state, {event.character}
        case Dialogue(whispered=True):
            yield f"a whisper of {event.character}", event.text, {event.character, str(event.to)}
        case Action(unseen=True):
            yield f"what {event.character} does unseen", event.text, {event.character}
        case _:
            return


def told(request: Request, language: Language) -> str:
    """What a request tells besides the contracts and the own profile."""
    opening, _ = _OPENING[language]
    system, user = (message.content for message in request.messages[:2])
    begin, end = _PROFILE[language]
    before, _, rest = user.partition(begin)
    return "\n".join([system.partition(opening)[2], before, rest.partition(end)[2]])


def _marks(request: Request, text: str, secret: Secret) -> Iterator[Leak]:
    folded = text.casefold()
    for mark in secret.marks:
        if mark.casefold() in folded:
            yield Leak(request.path, str(request.agent), secret.what, mark)


def _private(request: Request, text: str, scene: Scene) -> Iterator[Leak]:
    """Whole sentences of what is told of others to themselves and the narrator alone, and of what it must not know."""
    whole = "\n".join(message.content for message in request.messages)
    for note in scene.profile(str(request.agent)).unaware:
        if note in whole:
            yield Leak(request.path, str(request.agent), "what it does not know", note)
    for who in scene.cast:
        if who.name != request.agent:
            for sentence in _SENTENCE.findall(f"{who.account} {who.state}"):
                if sentence.strip() in text:
                    yield Leak(request.path, str(request.agent), f"the profile of {who.name}", sentence.strip())


def _names(request: Request, text: str, scene: Scene, known: set[str]) -> Iterator[Leak]:
    own = scene.profile(str(request.agent))
    for who in scene.cast:
        if who.name in known or not _is_masked(who, own):
            continue
        heard = _unspoken(text, scene)
        for name in (who.name, *who.other_names):
            if re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", heard):
                yield Leak(request.path, own.name, f"who {who.name} is", name)


def _is_masked(who: Profile, onlooker: Profile) -> bool:
    return any(who.name != onlooker.name and (not one.by or onlooker.name in one.by) for one in who.known_as)


def _unspoken(text: str, scene: Scene) -> str:
    """The text without the name of the work, and without the words that are spoken in it."""
    memory = words(scene.language).memory
    _, work = _OPENING[scene.language]
    spoken = [
        re.escape(fill(template, **{name: "\1" if name == "text" else "\0" for name in variables(template)}))
        .replace("\0", ".{1,80}?")
        .replace("\1", ".*")
        for template in (memory.dialogue, memory.addressed, memory.whispered, memory.muttered)
    ]
    lines = (line for line in text.splitlines() if not line.startswith(work))
    return "\n".join(re.sub(rf"^- (?:{'|'.join(spoken)})$", "", line) for line in lines)
