"""TOML files that people write: read into a frozen value, or refused with the line and the reason of each fault."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from annotations.errors import RatingError
from annotations.messages import Message
from annotations.toml_lines import DEEPEST, Place, TooDeep, Unreadable, line_of, lines_of
from annotations.wording import say, to_say, translate

LONGEST_FILE = 256 * 1024
"""Bytes of a file at most, in UTF-8."""
LONGEST_LINE = 4000
"""Characters of a line at most: longer keys and numbers take `tomllib` too long, or make it fail without a place."""
_MOST_TOLD = 10
"""Faults in the message; the others are counted there, and stand in `FaultyFile.faults`."""

M = TypeVar("M", bound=BaseModel)
Misfit = tuple[Place, Message | str]
"""Where something does not fit, and why."""

_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_REASONS = {
    "missing": to_say("is missing"),
    "extra_forbidden": to_say("does not belong here; correct the spelling, or remove it"),
    "string_type": to_say("must be text in quotes"),
    "string_too_short": to_say("is empty"),
    "string_too_long": to_say("is longer than {max_length} characters"),
    "string_pattern_mismatch": to_say("has an invisible character that steers the display; remove it"),
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
    "greater_than": to_say("must be more than {gt}"),
    "finite_number": to_say("must be a finite number"),
    "float_type": to_say("must be a number"),
    "dict_type": to_say("must be a table"),
    "value_error": "{error}",
}
"""By pydantic's name of a fault, what we say of it."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a file."""

    line: int
    """From 1."""
    field: str
    """The keys that lead there, joined by dots; empty for the file as a whole."""
    reason: Message | str

    def __str__(self) -> str:
        if self.field:
            return say(
                "line {line}, {field}: {reason}", line=self.line, field=self.field, reason=translate(self.reason)
            )
        return say("line {line}: {reason}", line=self.line, reason=translate(self.reason))


class FaultyFile(RatingError):
    """A file that cannot be used; the message names it and its faults by line."""

    def __init__(self, file: str, faults: Iterable[Fault]) -> None:
        self.file = file
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line))
        told = [str(fault) for fault in self.faults[:_MOST_TOLD]]
        if (more := len(self.faults) - _MOST_TOLD) > 0:
            told.append(say("and {count} more", count=more))
        super().__init__(say("{file}: {faults}", file=file, faults=say("; ").join(told)))

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
        fault = Fault(line, "", say("this is not valid TOML: {why}", why=why))
    except TooDeep as error:
        fault = Fault(error.line, "", say("lists and tables lie in each other more than {most} deep", most=DEEPEST))
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
        return Fault(1, "", say("the file is longer than {most} KB; shorten its texts", most=LONGEST_FILE // 1024))
    for number, line in enumerate(toml.split("\n"), start=1):
        if len(line) > LONGEST_LINE:
            told = to_say("the line is longer than {most} characters; a text between triple quotes may span lines")
            return Fault(number, "", say(told, most=LONGEST_LINE))
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


def _reason(fault: Mapping[str, Any]) -> str:
    told = {name: str(value) for name, value in fault.get("ctx", {}).items()}
    if "expected" in told:
        told["expected"] = told["expected"].replace(", ", say(", ")).replace(" or ", say(" or "))
    template = _REASONS.get(fault["type"])
    return say(template, **told) if template else str(fault["msg"])


def _faults(misfits: Iterable[Misfit], lines: dict[Place, int]) -> list[Fault]:
    return [
        Fault(line_of(place, lines), ".".join(part for part in place if isinstance(part, str)), reason)
        for place, reason in misfits
    ]
