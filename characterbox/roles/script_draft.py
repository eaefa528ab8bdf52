"""The lines of a script, and the turns that are made of them while they are read, whatever form the script has."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from characterbox.roles.script_marks import Reason, heading_of, is_bracketed, name_key

_UNSEEN = re.compile(r"[\u00ad\u200b\u200e\u200f\u2060\ufeff\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n?|\n")
_OPENING, _CLOSING = "([（【", ")]）】"
HAN = 0x2E80
"""The first of the letters between which no blank stands."""


class Line(NamedTuple):
    """A line on which something stands."""

    number: int
    """In the text, from 1."""
    text: str
    """Without what is blank at its ends."""
    indent: int
    """The columns before it."""
    gap: bool
    """Whether a blank line, or nothing, stands before it."""
    heading: tuple[str, bool] | None
    """The title, if it is one of an act, a scene or the like, and whether it tells more than a number."""


class Told(NamedTuple):
    """A turn as it was found: narration where nobody speaks."""

    act: int
    speaker: str | None
    text: str
    line: int


@dataclass(slots=True)
class _Speech:
    cue: Line
    name: str
    paragraphs: list[list[str]] = field(default_factory=list)
    meanwhile: list[str] = field(default_factory=list)
    """What is told between the name and the first words."""
    spoken: bool = False


def lines_of(text: str, *, blank_is_empty: bool = False) -> Iterator[Line]:
    """The lines of a text. Fountain has only empty lines, and such with one blank, part what stands around them."""
    gap = True
    for number, raw in enumerate(_LINE_END.split(_UNSEEN.sub("", text)), start=1):
        if said := raw.strip():
            wide = raw.expandtabs() if "\t" in raw[: len(raw) - len(raw.lstrip())] else raw
            yield Line(number, said, len(wide) - len(wide.lstrip()), gap, heading_of(said))
            gap = False
        else:
            gap = gap or not blank_is_empty or len(raw) < 2


def joined(lines: Sequence[str]) -> str:
    """The lines of a paragraph in one. The end of a line is meant, as in verse, where the next word had fitted into it
    and no brackets stand there."""
    width = max(map(len, lines))
    pieces = [lines[0]]
    within = False
    for before, line in pairwise(lines):
        opened, closed = (max(map(before.rfind, signs)) for signs in (_OPENING, _CLOSING))
        within = opened > closed if max(opened, closed) >= 0 else within
        word = 1 if ord(line[0]) >= HAN else len(line.split(maxsplit=1)[0]) + 1
        if len(before) + word <= width and not within and before[-1] not in _CLOSING and line[0] not in _OPENING:
            pieces.append("\n")
        elif ord(before[-1]) < HAN or ord(line[0]) < HAN:
            pieces.append(" ")
        pieces.append(line)
    return "".join(pieces)


@dataclass(slots=True)
class Draft:
    """What has been made of the lines so far."""

    acts: list[str] = field(default_factory=list)
    turns: list[Told] = field(default_factory=list)
    left_out: dict[Reason, list[int]] = field(default_factory=lambda: defaultdict(list))
    unnamed: list[int] = field(default_factory=list)
    _speech: _Speech | None = None
    _told: list[list[str]] = field(default_factory=list)
    """The paragraphs of narration since the last turn."""
    _told_from: int = 0
    _last: str | None = None
    """Who spoke last in this act."""
    _only_heading: bool = False
    _goes_on: bool = False
    """Whether a mark says that the speech goes on after the next name."""

    @property
    def speaking(self) -> bool:
        """Whether a speech has begun, and nothing has ended it yet."""
        return self._speech is not None

    @property
    def speaker(self) -> str | None:
        """Who speaks, or spoke last in this act."""
        return self._speech.name if self._speech else self._last

    @property
    def awaited(self) -> bool:
        """Whether the words of a speech are still to come."""
        return self._speech is not None and not self._speech.spoken

    def begin_act(self, line: Line, title: str, told: bool) -> None:
        """A heading, `told` if it is narration, too. One right after another belongs to the same act."""
        self.end_speech()
        if self._only_heading:
            self.acts[-1] += f", {title}"
        else:
            self._flush()
            self.acts.append(title)
            self._last = None
        if told:
            self._tell(line, title)
        self._only_heading = True

    def tell(self, line: Line, text: str | None = None, *, over: bool = False) -> None:
        """Narration. Between a name and its words, it is what the speaker does. `over` says that nobody goes on."""
        told = line.text if text is None else text
        if over:
            self.end_speech()
            self._last = None
        if self._speech and not self._speech.paragraphs:
            self._speech.meanwhile.append(told)
        else:
            self.end_speech()
            self._tell(line, told, new=over)

    def begin_speech(self, line: Line, name: str, actions: Sequence[str] = ()) -> None:
        """The name before a speech, with what its speaker does."""
        goes_on, self._goes_on = self._goes_on, False
        if goes_on and self._speech and name_key(name) == name_key(self._speech.name):
            return
        self.end_speech()
        self._speech = _Speech(line, name)
        for one in actions:
            self.say(line, one)

    def say(self, line: Line, text: str | None = None) -> None:
        """A line of a speech. After narration, the one who spoke last goes on."""
        said = line.text if text is None else text
        if self._speech is None:
            if self._last is None:
                self._tell(line, said)
                return
            self._speech = _Speech(line, self._last)
        parts = self._speech.paragraphs
        if self._speech.meanwhile:
            parts.append([f"({joined(self._speech.meanwhile)})"])
            self._speech.meanwhile = []
        if parts and (not line.gap or line is self._speech.cue or is_bracketed(parts[-1][-1])):
            parts[-1].append(said)
        else:
            parts.append([said])
        self._speech.spoken = self._speech.spoken or not is_bracketed(said)

    def leave_out(self, reason: Reason, number: int) -> None:
        """A line of which no turn is made."""
        self.left_out[reason].append(number)
        self._goes_on = self._goes_on or reason == "continued"

    def end_speech(self) -> None:
        """Nothing more is said. A name without words was none: it is narration."""
        speech, self._speech = self._speech, None
        if speech and speech.paragraphs:
            self._flush()
            text = "\n".join(map(joined, speech.paragraphs))
            self.turns.append(Told(len(self.acts), speech.name, text, speech.cue.number))
            self._last, self._only_heading = speech.name, False
        elif speech:
            for text in (speech.cue.text, *speech.meanwhile):
                self._tell(speech.cue, text)

    def end(self) -> None:
        """Nothing comes any more."""
        self.end_speech()
        self._flush()

    def _tell(self, line: Line, text: str, *, new: bool = False) -> None:
        if not self._told:
            self._told_from = line.number
        if not self._told or line.gap or new or self._only_heading:
            self._told.append([text])
        else:
            self._told[-1].append(text)
        self._only_heading = False

    def _flush(self) -> None:
        if self._told:
            text = "\n".join(map(joined, self._told))
            self.turns.append(Told(len(self.acts), None, text, self._told_from))
            self._told = []
