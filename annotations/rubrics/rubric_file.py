"""TOML files that people write: read into a frozen value, or refused with line and reason of each fault.

The standard library reads TOML but keeps no positions. This follows the grammar (TOML 1.0) only as far as places need
it, and relies on `tomllib` to have found the document valid.
"""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from annotations.errors import RatingError
from annotations.i18n.messages import Message, Readable, any_of, joined, to_say, wrong_with

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


LONGEST_FILE = 256 * 1024
"""Bytes of a file at most, in UTF-8."""
LONGEST_LINE = 4000
"""Characters of a line at most: longer keys and numbers take `tomllib` too long, or make it fail without a place."""
_MOST_TOLD = 10
"""Faults in the message; the others are counted there, and stand in `FaultyFile.faults`."""

M = TypeVar("M", bound=BaseModel)
Misfit = tuple[Place, Readable]
"""Where something does not fit, and why."""

_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_REASONS = {
    "missing": to_say("is missing"),
    "extra_forbidden": to_say("does not belong here; correct the spelling, or remove it"),
    "string_type": to_say("must be text in quotes"),
    "string_too_short": to_say("is empty"),
    "string_too_long": to_say("is longer than {max_length} characters"),
    "string_pattern_mismatch": to_say("contains an invisible control character that affects display; remove it"),
    "int_type": to_say("must be a whole number"),
    "bool_type": to_say("must be true or false"),
    "literal_error": to_say("must be {expected}"),
    "tuple_type": to_say("must be a list"),
    "model_type": to_say("must be a table"),
    "too_short": to_say("is empty"),
    "too_long": to_say("has more than {max_length} entries"),
    "greater_than_equal": to_say("must be {ge} or more"),
    "less_than_equal": to_say("must be {le} or less"),
    "less_than": to_say("must be less than {lt}"),
    "greater_than": to_say("must be greater than {gt}"),
    "finite_number": to_say("must be a finite number"),
    "float_type": to_say("must be a number"),
    "dict_type": to_say("must be a table"),
}
"""By pydantic's name of a fault, what we say of it."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a file."""

    line: int
    """From 1."""
    field: str
    """The keys that lead there, joined by dots; empty for the file as a whole."""
    reason: Readable

    @property
    def message(self) -> Message:
        """The fault in one line."""
        if self.field:
            return Message("line {line}, {field}: {reason}", line=self.line, field=self.field, reason=self.reason)
        return Message("line {line}: {reason}", line=self.line, reason=self.reason)

    def __str__(self) -> str:
        return str(self.message)


class FaultyFile(RatingError):
    """A file that cannot be used; the message names it and its faults by line."""

    def __init__(self, file: str, faults: Iterable[Fault]) -> None:
        self.file = file
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line))
        told = [fault.message for fault in self.faults[:_MOST_TOLD]]
        if (more := len(self.faults) - _MOST_TOLD) > 0:
            told.append(Message("and {count} more", count=more))
        super().__init__(Message("{file}: {faults}", file=file, faults=joined(told)))

    def __reduce__(self) -> tuple[type["FaultyFile"], tuple[str, tuple[Fault, ...]], dict[str, Any]]:
        return FaultyFile, (self.file, self.faults), self.__dict__


def read_toml(toml: str, model: type[M], *, file: str) -> M:
    """The value that the text of a file describes. Raises FaultyFile, with the name `file`, if there is none."""
    data, lines = _document(toml, file)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise FaultyFile(file, _faults(_misfits(error), lines)) from error


def refused(misfits: Iterable[Misfit], toml: str, *, file: str) -> FaultyFile:
    """What to raise for a file that `read_toml` has read, but that does not fit something outside it."""
    return FaultyFile(file, _faults(misfits, lines_of(toml)))


def hold_together(misfits: Iterable[Misfit]) -> None:
    """For a validator: raises what pydantic takes in as one fault for each misfit, at its own place."""
    errors: list[InitErrorDetails] = [
        {"type": PydanticCustomError("misfit", "{reason}", {"reason": reason}), "loc": place, "input": None}
        for place, reason in misfits
    ]
    if errors:
        raise ValidationError.from_exception_data("misfits", errors)


def _document(toml: str, file: str) -> tuple[dict[str, Any], dict[Place, int]]:
    """The document, and the line of each of its values."""
    if overlong := _overlong(toml):
        raise FaultyFile(file, [overlong])
    try:
        return _loaded(toml.removeprefix("\ufeff")), lines_of(toml)
    except tomllib.TOMLDecodeError as error:
        position = _POSITION.search(str(error))
        line = int(position[1]) if position and position[1] else _left_open(toml)
        why = _POSITION.sub("", str(error))
        fault = Fault(line, "", Message("this is not valid TOML: {why}", why=why))
    except TooDeep as error:
        fault = Fault(error.line, "", Message("lists and tables are nested more than {most} levels deep", most=DEEPEST))
    raise FaultyFile(file, [fault])


def _left_open(toml: str) -> int:
    """The line of what the end of the document leaves open, or else the last line."""
    last = toml.removesuffix("\n").count("\n") + 1
    try:
        lines_of(toml)
    except Unreadable as error:
        return min(error.line, last)
    return last


def _overlong(toml: str) -> Fault | None:
    if len(toml.encode(errors="surrogatepass")) > LONGEST_FILE:
        return Fault(1, "", Message("the file is larger than {most} KB; shorten its texts", most=LONGEST_FILE // 1024))
    for number, line in enumerate(toml.split("\n"), start=1):
        if len(line) > LONGEST_LINE:
            told = to_say("the line is longer than {most} characters; text in triple quotes may span several lines")
            return Fault(number, "", Message(told, most=LONGEST_LINE))
    return None


def _loaded(toml: str) -> dict[str, Any]:
    try:
        return tomllib.loads(toml)
    except RecursionError:
        lines_of(toml)  # says where it lies too deep
        raise


def _misfits(error: ValidationError) -> list[Misfit]:
    """What pydantic found. A list of which all elements are faulty counts as empty there, but not here."""
    faults = error.errors(include_url=False, include_input=False)
    around = {fault["loc"][:length] for fault in faults for length in range(len(fault["loc"]))}
    return [
        (fault["loc"], _reason(fault)) for fault in faults if fault["type"] != "too_short" or fault["loc"] not in around
    ]


def _reason(fault: Mapping[str, Any]) -> Readable:
    told: dict[str, Any] = dict(fault.get("ctx", {}))
    if fault["type"] == "misfit":
        reason: Readable = told["reason"]
        return reason
    if "expected" in told:
        told["expected"] = any_of(told["expected"])
    template = _REASONS.get(fault["type"])
    return Message(template, **told) if template else wrong_with(fault)


def _faults(misfits: Iterable[Misfit], lines: dict[Place, int]) -> list[Fault]:
    return [
        Fault(line_of(place, lines), ".".join(part for part in place if isinstance(part, str)), reason)
        for place, reason in misfits
    ]
