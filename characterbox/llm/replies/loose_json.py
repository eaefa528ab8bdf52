"""JSON as models write it: cut off, with quotes of other kinds, commas too many or too few, and comments.

No pattern here takes more than linear time: a reply may be long, and is anybody's.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_CLOSING = {'"': '"', "“": "”", "”": "”", "'": "'", "‘": "’", "「": "」"}
_STRINGS = {closing: re.compile(rf"((?:[^{closing}\\]|\\.)*){closing}", re.DOTALL) for closing in _CLOSING.values()}
_BEGUN = re.compile(r"[\[［\s]{0,20}[{｛](?:\s{0,99}[\"'“”‘’{｛}｝]|\s{0,99}[\w*]{1,40}\s?[:：])")
_START = re.compile(r"[{｛](?=\s{0,99}[\w*\"'“”‘’}｝/#])")
_SKIPPED = re.compile(r"(?:[\s,，;；\ufffd]|(?://|#)[^\n]*|/\*[^*]*\*/)*")
_PAIR = re.compile(
    r"(?:\"([^\"\n]{0,200})\"?|[“”]([^“”\n]{0,80})[“”]?|['‘]([^'‘’\n]{0,80})['’]?|([\w*][\w *\-]{0,60}))"
    r"\s*(?:[:：]\s*|\Z)"
)
_WORD = re.compile(r"(?:(?!//|/\*)[^\n,，;；:：{}｛｝\[\]［］\"“”#]){1,300}")
_STOPS = re.compile(r"\s*+(?:[,，;；}｝\]］#]|//|/\*|\Z)|[^\S\n]*+\n\s*+[\"“']")
_SURELY_STOPS = re.compile(r"\s*+(?:[}｝]|(?:[,，;；]\s*+)?[\"“'‘][^\"“”'‘’\n]{1,60}[\"”'’]\s*+[:：])")
"""What must follow a quote inside a text for it to be the one that ends the text."""
_KEY_INSIDE = re.compile(r"[{｛]\s*[\"“]|[\"”]\s*[:：]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONSTANTS: Mapping[str, bool | None] = {"null": None, "none": None, "true": True, "false": False}
_MOST_STARTS = 50
"""How many braces are tried that begin no object: a reply that has more is no JSON."""
_DEEPEST = 20
_LONGEST = 4000
"""How far the end of a text with quotes inside is looked for."""


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON object in a text; it keeps its pairs, as a key may come twice."""

    start: int
    end: int
    pairs: tuple[tuple[str, Any], ...]
    cut: bool
    """Whether the text ends before the object does; what was not told to its end is left out."""


class _NotJSON(Exception):
    """What stands in the text is no JSON, however it is taken."""


def begins_object(text: str) -> bool:
    """Whether the text is a JSON object, or a list of them, or sets out to be one."""
    return _BEGUN.match(text) is not None


def json_objects(text: str) -> Iterator[Found]:
    """The outermost JSON objects in a text, also when written by hand: other quotes, commas too many, comments.

    Values are those of `json`, but objects are tuples of pairs.
    """
    at = 0
    for _ in range(_MOST_STARTS):
        if (start := _START.search(text, at)) is None:
            return
        reader = _Reader(text, start.start())
        try:
            pairs = reader.object()
        except _NotJSON:
            at = start.end()
        else:
            at = reader.at
            yield Found(start.start(), at, pairs, reader.cut)


class _Reader:
    """Reads on from a brace in a text; `cut` once the text has ended too early."""

    def __init__(self, text: str, at: int) -> None:
        self._text, self.at, self.cut = text, at, False

    def object(self, depth: int = _DEEPEST) -> tuple[tuple[str, Any], ...]:
        pairs: list[tuple[str, Any]] = []
        self.at += 1
        while self._goes_on("}｝"):
            key = self._take(_PAIR)
            value = self._value(depth)
            if not self.cut or isinstance(value, tuple | list):
                name = next(part for part in key.groups() if part is not None)
                pairs.append((_ESCAPE.sub(_escaped, name), value))
        return tuple(pairs)

    def _list(self, depth: int) -> list[Any]:
        values: list[Any] = []
        self.at += 1
        while self._goes_on("]］"):
            value = self._value(depth)
            if not self.cut or isinstance(value, tuple | list):
                values.append(value)
        return values

    def _goes_on(self, closing: str) -> bool:
        """Whether there is another element; a closing bracket is passed over."""
        self._take(_SKIPPED)
        if self.cut or self.at == len(self._text):
            self.cut = True
            return False
        if self._text[self.at] in closing:
            self.at += 1
            return False
        return True

    def _value(self, depth: int) -> Any:
        self._take(_SKIPPED)
        mark = self._text[self.at : self.at + 1]
        if not mark or not depth:
            self.cut = self.cut or not mark
            if not depth:
                raise _NotJSON
            return None
        if mark in "{｛":
            return self.object(depth - 1)
        if mark in "[［":
            return self._list(depth - 1)
        if mark in _CLOSING:
            return self._string(_CLOSING[mark])
        return _constant(self._ended(self._take(_WORD)).group().strip())

    def _string(self, closing: str) -> str:
        """The text up to its closing quote; quotes inside it need no backslash where there is no doubt of the end."""
        start = self.at + 1
        string = _STRINGS[closing].match(self._text, start)
        if string is None:
            self.cut, self.at = True, len(self._text)
            return ""
        self.at = string.end()
        if not _STOPS.match(self._text, self.at):
            quotes = re.compile(re.escape(closing)).finditer(self._text, self.at, self.at + _LONGEST)
            self.at = next((one.end() for one in quotes if _SURELY_STOPS.match(self._text, one.end())), start)
            if self.at == start or _KEY_INSIDE.search(self._text, start, self.at - 1):
                raise _NotJSON
        return _ESCAPE.sub(_escaped, self._text[start : self.at - 1])

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str]:
        if (found := pattern.match(self._text, self.at)) is None:
            raise _NotJSON
        self.at = found.end()
        return found

    def _ended(self, word: re.Match[str]) -> re.Match[str]:
        """The word; without a mark behind it, it may have been cut off."""
        self.cut = self.cut or word.end() == len(self._text)
        return word


def _constant(word: str) -> Any:
    if re.fullmatch(r"-?\d{1,15}", word):
        return int(word)
    if re.fullmatch(r"-?\d{1,15}\.\d{1,17}(?:[eE][+-]?\d{1,2})?", word):
        return float(word)
    return _CONSTANTS.get(word.casefold(), word)


def _escaped(escape: re.Match[str]) -> str:
    code, letter = escape.groups()
    return chr(int(code, 16)) if code else {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(letter, letter)
