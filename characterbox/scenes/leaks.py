"""Where a scene gives away what it says is not known: a text that others read tells a secret of somebody's.

Looked for are the true name, or a part of it, of somebody whom a reader of the text knows by another one; what a note
under `knowledge` says, in a text that others read; and what a note under `unaware` says, in a text that its character
reads, its own description and knowledge among them.

A text tells what a note says where both have a run of words in common, or where one sentence of the text has nearly all
that matters of one clause of the note. This sees letters, not meaning: what is found is for a person to look at, and
what is told in other words is not found. The bounds are set on the sixty bundled scenes as they were before any of them
had masks. Of their 750 notes four were found, in three scenes, all by a clause; one is a secret told in the open, three
mention a thing that everybody sees. With three quarters of a clause it would be 11 notes, with three fifths 19, nearly
all of them mere mentions.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from annotations.i18n.messages import Message, all_of, cited, to_say
from characterbox.scenes.name_words import words_for, words_in
from characterbox.scenes.scene import Scene
from characterbox.values import Language

RUN: Mapping[Language, int] = {"en": 6, "zh": 8}
"""Words in a row, in Chinese characters, that a text and a note do not share by chance."""
FEWEST = 4
"""What matters in a clause, at least, for it to be told by its words: their stems, in Chinese pairs of characters."""
SHARE = 0.8
"""The share of what matters in a clause that one sentence has to have."""
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_SENTENCE = re.compile(r"[.!?;。！？；\n]+")
_CLAUSE = re.compile(r"[.!?;:,。！？；：，、—…\n]+")
_STEM = 4
"""Letters of a word that count: its ending does not."""
_SHORT = 4
"""Letters of a word below which it says little."""
_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        about after again against also always another away back because been before being cannot could does doing done
        down each either else even ever every everybody everyone everything from gone have having here himself herself
        into itself just knew know known knows least less like made make many might more most much must myself neither
        never nobody none nothing once only other others over said same says shall should since some somebody someone
        something still such than that their them themselves then there these they thing things this those though
        through under until upon very want wants well were what when where whether which while whom whose will with
        within without would your yours
        """,
    )
)
_NO_PAIR = re.compile(r"[\W_]|[的了是在着也都就把被将和与跟而且但又还没不知道晓得自己这那哪谁他她它们你我有为之其]")
"""Signs, and characters that say little, across which no pair is made."""


_NAMED = to_say("it uses the name {name}, which {who} should not know")
_KNOWN = to_say("it may reveal to others what only {who} should know: “{note}”")
_UNAWARE = to_say("it may reveal to {who} what {who} does not know: “{note}”")


class Leak(NamedTuple):
    """A text that tells what it should not."""

    field: str
    """The text, in house form."""
    told: Message
    """What it tells, and of whom, as a clause."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A text, and who of the cast reads it."""

    field: str
    text: str
    readers: frozenset[str]


def leaks(scene: Scene) -> Iterator[Leak]:
    """All that the scene gives away: names first, then notes in the order of the cast. Texts may still be empty."""
    if any(one.known_as or one.knowledge or one.unaware for one in scene.cast):
        shared = [one for one in _shared(scene) if one.text]
        yield from _names(scene, shared)
        yield from _notes(scene, shared)


def _shared(scene: Scene) -> Iterator[_Read]:
    """The texts that others read."""
    everybody = frozenset(scene.names)
    around = scene.environment
    yield _Read("title", scene.title, everybody)
    for name in ("time", "location", "description"):
        yield _Read(f"environment.{name}", getattr(around, name), everybody)
    for place, one in enumerate(scene.cast):
        seen_by = everybody.difference(one.unseen_by)
        yield _Read(f"cast[{place}].position", one.position, seen_by)
        yield _Read(f"cast[{place}].public_face", one.public_face or "", seen_by)
        for number, alias in enumerate(one.known_as):
            callers = frozenset(alias.by) or everybody - {one.name}
            yield _Read(f"cast[{place}].known_as[{number}].name", alias.name, callers)


def _own(scene: Scene) -> Iterator[_Read]:
    """The texts that a character reads alone."""
    for place, one in enumerate(scene.cast):
        yield _Read(f"cast[{place}].description", one.description, frozenset({one.name}))
        for number, note in enumerate(one.knowledge):
            yield _Read(f"cast[{place}].knowledge[{number}]", note, frozenset({one.name}))


def _names(scene: Scene, shared: Collection[_Read]) -> Iterator[Leak]:
    for place, masked in enumerate(scene.cast):
        strangers = {name for alias in masked.known_as for name in alias.by or scene.names} - {masked.name}
        wholes = (masked.name, *masked.other_names)
        for text in shared if strangers else ():
            told_to = [one for one in scene.names if one in strangers & text.readers]
            own_alias = text.field.startswith(f"cast[{place}].known_as")  # a part is meant there: `Mr Lin`
            words = wholes if own_alias else words_for(masked, scene)
            found = words_in(text.text, words, wholes)
            for word in found if told_to else ():
                if not any(word in other for other in found if other != word):  # a part is told with the whole
                    yield Leak(text.field, Message(_NAMED, name=word, who=all_of(told_to)))


def _notes(scene: Scene, shared: Collection[_Read]) -> Iterator[Leak]:
    wording = _Wording(scene)
    all_read = [(one, wording.text(one.text)) for one in shared]
    own = [(one, wording.text(one.text)) for one in _own(scene) if one.text]
    for profile in scene.cast:
        for_others = [read for read in all_read if read[0].readers - {profile.name}]
        for_itself = [read for read in (*all_read, *own) if profile.name in read[0].readers]
        for notes, reads, told in ((profile.knowledge, for_others, _KNOWN), (profile.unaware, for_itself, _UNAWARE)):
            for note in notes:
                said = wording.note(note)
                for text, worded in reads:
                    if worded.tells(said):
                        yield Leak(text.field, Message(told, who=profile.name, note=cited(note).rstrip(".。")))


@dataclass(frozen=True, slots=True)
class _Worded:
    """A text as it is compared."""

    runs: frozenset[tuple[str, ...]]
    """Its words, so many in a row."""
    parts: list[frozenset[str]]
    """What matters in each of its sentences, or of the clauses of a note."""

    def tells(self, note: "_Worded") -> bool:
        """Whether the text says what the note says, or a clause of it."""
        if not self.runs.isdisjoint(note.runs):
            return True
        clauses = [clause for clause in note.parts if len(clause) >= FEWEST]
        return any(len(clause & one) >= SHARE * len(clause) for clause in clauses for one in self.parts)


class _Wording:
    """The texts and notes of one scene, whose names tell nothing by themselves."""

    def __init__(self, scene: Scene) -> None:
        self._chinese = scene.language == "zh"
        self._run = RUN[scene.language]
        self._names = {word for name in scene.names for word in _WORD.findall(name.casefold())}
        self._without_names = re.compile("|".join(re.escape(name) for name in scene.names if name) or r"(?!)")

    def text(self, text: str) -> _Worded:
        """A text that is read, sentence by sentence."""
        return self._worded(text, _SENTENCE)

    def note(self, note: str) -> _Worded:
        """A note on what is known or not, clause by clause: each is a secret of its own."""
        return self._worded(note, _CLAUSE)

    def _worded(self, text: str, between: re.Pattern[str]) -> _Worded:
        words = _WORD.findall(text.casefold())
        runs = frozenset(zip(*(words[at:] for at in range(self._run)), strict=False))
        matter = self._pairs if self._chinese else self._stems
        return _Worded(runs, [matter(part) for part in between.split(text.casefold()) if part])

    def _stems(self, text: str) -> frozenset[str]:
        words = (word for word in _WORD.findall(text) if len(word) >= _SHORT)
        return frozenset(word[:_STEM] for word in words if word not in _EMPTY_WORDS and word not in self._names)

    def _pairs(self, text: str) -> frozenset[str]:
        pieces = _NO_PAIR.sub(" ", self._without_names.sub(" ", text)).split()
        return frozenset(piece[at : at + 2] for piece in pieces for at in range(len(piece) - 1))
