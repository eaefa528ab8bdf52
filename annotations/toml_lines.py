"""Where each key and each element of a TOML document stands: for messages that name a line.

The standard library reads TOML but keeps no positions. This follows the grammar (TOML 1.0) only as far as places need
it, and relies on `tomllib` to have found the document valid.
"""

import re
import tomllib
from bisect import bisect_left

Place = tuple[str | int, ...]
"""The way to a value from the top of the document: keys, and the numbers of list elements from 0."""

DEEPEST = 16
"""How many lists and inline tables may lie in each other."""

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*([A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')[ \t]*""")
_STRING = re.compile(
    r'"{3}(?:\\.|[^\\])*?"{3,5}(?!")' r"|'{3}.*?'{3,5}(?!')" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE = re.compile(r"[^,\]}#\n]+")


class Unreadable(ValueError):
    """The document cannot be followed any further than to this line."""

    def __init__(self, line: int) -> None:
        super().__init__(f"the document cannot be followed beyond line {line}")
        self.line = line


class TooDeep(Unreadable):
    """Lists and inline tables lie in each other too deep from this line on."""


def lines_of(toml: str) -> dict[Place, int]:
    """The line, from 1, on which each value of a valid document begins; for the whole document, `()`, that is 1.

    A table begins where it is first named, an element of a list of tables at its header. Raises TooDeep for more than
    `DEEPEST` lists in each other, and Unreadable for what is no TOML.
    """
    reader = _Reader(toml.removeprefix("\ufeff").replace("\r\n", "\n"))
    reader.read()
    return reader.lines


def line_of(place: Place, lines: dict[Place, int]) -> int:
    """The line of what stands at `place`, or of the nearest thing around it where nothing does."""
    while place not in lines:
        place = place[:-1]
    return lines[place]


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines: dict[Place, int] = {(): 1}
        self._text = text
        self._at = 0
        self._breaks = [found.start() for found in re.finditer("\n", text)]
        self._last: dict[Place, int] = {}
        """The number of the last element of each list of tables that grows by headers."""

    def read(self) -> None:
        table: Place = ()
        self._pass(_BLANK)
        while self._at < len(self._text):
            if self._text.startswith("[[", self._at):
                table = self._element(self._header(2))
            elif self._text.startswith("[", self._at):
                table = self._follow((), self._header(1))
            else:
                self._pair(table, 0)
            self._pass(_BLANK)

    def _pass(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Go past what the pattern finds here."""
        found = pattern.match(self._text, self._at)
        if found is None:
            raise Unreadable(self._line())
        self._at = found.end()
        return found

    def _line(self) -> int:
        return bisect_left(self._breaks, self._at) + 1

    def _keys(self) -> list[str]:
        """The parts of a dotted key."""
        parts = [self._key()]
        while self._text.startswith(".", self._at):
            self._at += 1
            parts.append(self._key())
        return parts

    def _key(self) -> str:
        """A part of a key, without its quotes and escapes."""
        key = self._pass(_KEY)[1]
        try:
            return key if key[0] not in "\"'" else next(iter(tomllib.loads(f"{key} = 0")))
        except tomllib.TOMLDecodeError as error:
            raise Unreadable(self._line()) from error

    def _header(self, brackets: int) -> list[str]:
        self._at += brackets
        keys = self._keys()
        self._at += brackets
        return keys

    def _follow(self, place: Place, keys: list[str]) -> Place:
        """Where the keys lead to from `place`, through the last element of each list of tables on the way."""
        for key in keys:
            place = (*place, key)
            self.lines.setdefault(place, self._line())
            if place in self._last:
                place = (*place, self._last[place])
        return place

    def _element(self, keys: list[str]) -> Place:
        """The new element of the list of tables that the keys lead to."""
        tables = (*self._follow((), keys[:-1]), keys[-1])
        self.lines.setdefault(tables, self._line())
        self._last[tables] = self._last.get(tables, -1) + 1
        element = (*tables, self._last[tables])
        self.lines[element] = self._line()
        return element

    def _pair(self, table: Place, depth: int) -> None:
        place = self._follow(table, self._keys())
        self._at += 1  # the equals sign
        self._value(place, depth)

    def _value(self, place: Place, depth: int) -> None:
        self._pass(_BLANK)
        opening = self._text[self._at : self._at + 1]
        if opening in ("[", "{"):
            if depth == DEEPEST:
                raise TooDeep(self._line())
            self._at += 1
            self._entries(place, "]" if opening == "[" else "}", depth + 1)
        else:
            self._pass(_STRING if opening in ('"', "'") else _BARE)

    def _entries(self, place: Place, closing: str, depth: int) -> None:
        """The elements of a list, or the pairs of an inline table, and the bracket that closes it."""
        number = 0
        self._pass(_BLANK)
        while not self._text.startswith(closing, self._at):
            if closing == "]":
                self.lines[*place, number] = self._line()
                self._value((*place, number), depth)
            else:
                self._pair(place, depth)
            number += 1
            self._pass(_BLANK)
            self._at += self._text.startswith(",", self._at)
            self._pass(_BLANK)
        self._at += 1
