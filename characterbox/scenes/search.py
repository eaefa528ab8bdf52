"""Searches thousands of scenes by their headings, without reading them; and distinct ids for them.

The authors' files count from 0 each, so their ids get the file's name in front: scene 0 of one file must not be
taken for scene 0 of another when ratings of both are analysed together.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from annotations.i18n.messages import Message, Readable, to_say
from characterbox.errors import SearchError
from characterbox.scenes.field_names import dialect_of
from characterbox.scenes.scene import Origin, Scene, slug_of
from characterbox.values import Language

MOST_SEARCHED = 200
"""Characters of what is searched for, at most."""
MOST_WORDS = 20
"""Words that are searched for at once, at most: all that is there is gone through for each of them."""


def check_searched(text: str, words: int) -> None:
    """Raises SearchError, which says so, if this is more than may be searched for at once."""
    if len(text) > MOST_SEARCHED:
        told = Message("a search can have at most {most} characters; shorten it", most=MOST_SEARCHED)
        raise SearchError(told)
    if words > MOST_WORDS:
        raise SearchError("a search can have at most {most} words; remove some", most=MOST_WORDS)


BUNDLED = "bundled:"
"""What the place of a bundled scene begins with."""
MANY = 5
"""Characters from which on casts count as one size."""
Whose = Literal["bundled", "own", "away"]
"""Bundled: comes with the app. Own: stored here. Away: stored here, and put away."""
_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


class Heading(NamedTuple):
    """A scene as it stands among others."""

    place: str
    """What names it among all: `bundled:ID`, or the chain of its versions."""
    version: int | None
    """None for a bundled one, which has no versions."""
    id: str
    title: str
    work: str
    language: Language
    origin: Origin
    characters: int
    pair: str | None
    since: datetime | None
    """When this version was stored; None for a bundled one."""
    away: bool = False

    @property
    def whose(self) -> Whose:
        """Where it comes from, and whether it was put away."""
        return "bundled" if self.version is None else "away" if self.away else "own"

    @property
    def size(self) -> str:
        """The number of its characters, as it is looked for."""
        return str(self.characters) if self.characters < MANY else f"{MANY}+"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for; None is not asked for. What was put away is found only where it is asked for."""

    language: str | None = None
    work: str | None = None
    origin: str | None = None
    size: str | None = None
    whose: str | None = None


FACETS = ("language", "work", "origin", "size", "whose")
ORDERS: Mapping[str, Callable[[Heading], Any]] = {
    to_say("work"): lambda one: (one.work.casefold(), one.title.casefold(), one.place),
    to_say("title"): lambda one: (one.title.casefold(), one.place),
    to_say("newest first"): lambda one: (_BEFORE_ALL - (one.since or _BEFORE_ALL), one.place),
    to_say("fewest characters first"): lambda one: (one.characters, one.title.casefold(), one.place),
}
"""What scenes can be sorted by, each with its key; to be said."""


def heading_of(scene: Scene) -> Heading:
    """The heading of a bundled scene."""
    about = (scene.title, scene.work, scene.language, scene.origin, len(scene.cast), scene.pair)
    return Heading(BUNDLED + scene.id, None, scene.id, *about, since=None)


def found(headings: Iterable[Heading], wanted: Wanted, order: str) -> list[Heading]:
    """Those that are as wanted, in one of the `ORDERS`."""
    return sorted((one for one in headings if _is_wanted(one, wanted)), key=ORDERS[order])


def facets(headings: Collection[Heading]) -> dict[str, dict[str, int]]:
    """All there is to choose from, by what it is: each with its number of scenes, by name."""
    there = [one for one in headings if not one.away]
    counted = {name: Counter[str](getattr(one, name) for one in there) for name in FACETS}
    counted["whose"] = Counter(one.whose for one in headings)
    return {name: dict(sorted(counts.items())) for name, counts in counted.items()}


def words_of(content: object) -> str:
    """All texts of a scene that words are looked for in, in small letters; `content` is its JSON form."""
    return "\n".join(_texts(content)).casefold()


def says(words: str, text: str) -> bool:
    """Whether all words of `text` stand somewhere in the words of a scene. Raises SearchError if they are too many."""
    return all(word in words for word in asked_words(text))


def asked_words(text: str) -> Sequence[str]:
    """The words that are looked for, each once, in small letters. Signs between words change nothing: nobody remembers
    whether a comma was Chinese. Raises SearchError if these are more than can be searched for."""
    check_searched(text, 0)
    words = dict.fromkeys(re.findall(r"\w+", text.casefold()))
    check_searched(text, len(words))
    return [*words]


def fingerprint(scene: Scene) -> str:
    """The SHA-256 of all that the scene says, in hexadecimal: what is the same has the same."""
    return hashlib.sha256(scene.model_dump_json().encode()).hexdigest()


def _is_wanted(heading: Heading, wanted: Wanted) -> bool:
    if heading.away and wanted.whose != "away":
        return False
    return all(getattr(wanted, name) in (None, getattr(heading, name)) for name in FACETS)


def _texts(content: object) -> Iterable[str]:
    match content:
        case str(text):
            yield text
        case list(parts):
            for part in parts:
                yield from _texts(part)
        case dict(parts):
            for name, part in parts.items():
                if name not in ("language", "origin", "crafted"):
                    yield from _texts(part)


IdNote = tuple[str, Readable]
"""An id and what was done to give it."""


def stem_of(name: str) -> str:
    """The file's name as it stands in front of the ids of its scenes."""
    return slug_of(Path(name).stem) or "file"


def number(name: str, entries: list[object]) -> tuple[list[str], list[IdNote]]:
    """The ids of the entries. The first of two equal ids stays; an entry without one gets its place, from 0."""
    given = [_given(name, entry) for entry in entries]
    taken = {scene_id for scene_id in given if scene_id}
    copies: Counter[str] = Counter()
    first = set(taken)
    ids: list[str] = []
    notes: list[IdNote] = []
    for place, wanted in enumerate(given):
        scene_id = wanted or f"{stem_of(name)}-{place}"
        if wanted and wanted in first:
            first.remove(wanted)
        else:
            scene_id = _free(scene_id, taken, copies)
            taken.add(scene_id)
            told = _unusable(scene_id) if wanted is None else _again(wanted, scene_id)
            notes.append((scene_id, told))
        ids.append(scene_id)
    return ids, notes


def _again(wanted: str, new: str) -> Message:
    return Message("{id!r} is also the id of an earlier scene; renamed to {new!r}", id=wanted, new=new)


def _unusable(new: str) -> Message:
    return Message("missing or unusable; set to {new!r}", new=new)


def _free(scene_id: str, taken: set[str], copies: Counter[str]) -> str:
    free = scene_id
    while free in taken:
        copies[scene_id] += 1
        free = f"{scene_id}-{copies[scene_id] + 1}"
    return free


def _given(name: str, entry: object) -> str | None:
    """The id that the file gives, or None when it gives none that can be used."""
    if not isinstance(entry, dict):
        return None
    value = entry.get("id")
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if dialect_of(entry) == "authors":
        slug = slug_of(str(value))
        return f"{stem_of(name)}-{slug}" if slug else None
    text = str(value).strip()
    usable = text.isprintable() and not text.startswith(BUNDLED)
    return text if text and usable else None
