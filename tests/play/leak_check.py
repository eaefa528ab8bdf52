"""Finds in prompts what the one who is asked must not know.

Own profiles are left out, and the contracts; of names, also the name of the work and whatever is spoken, as whoever
hears a name knows it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from characterbox.llm.request import Request
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
    """Whole sentences of what is told of others to themselves and the narrator alone."""
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
