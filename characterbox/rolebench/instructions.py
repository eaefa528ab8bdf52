"""General instructions: from a file, short and without duplicates (RoleLLM, section 3.1 and appendix C, 3)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from annotations.i18n.messages import Message, Readable, cited
from characterbox.errors import RoleError
from characterbox.llm.replies.reading import storable
from characterbox.rolebench.duplicates import ALIKE, duplicates
from characterbox.rolebench.segments import length
from characterbox.values import Language

LONGEST = 100
"""Words of an instruction, in Chinese characters, at most."""
_SUFFIXES = (".txt", ".jsonl", ".json")


class LeftOut(NamedTuple):
    """An instruction that is not taken."""

    place: int
    """Its line in the file, or its place in the list, from 1."""
    text: str
    reason: Literal["too_long", "duplicate"]
    like: int | None = None
    """The place of the one that was kept, of a duplicate."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """The instructions of a file."""

    kept: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


def read_instructions(file: Path, language: Language, alike: float = ALIKE) -> Instructions:
    """The instructions of a file: a line each (.txt), JSON Lines with `instruction` (.jsonl), or a JSON list (.json).

    Raises RoleError, which names file, line and remedy, where it is none of these, or no instruction is left.
    """
    told = [*_told(file)]
    fitting = [one for one in told if length(one[1], language) <= LONGEST]
    left_out = [LeftOut(place, text, "too_long") for place, text in told if length(text, language) > LONGEST]
    found = duplicates([text for _, text in fitting], language, alike)
    left_out += [LeftOut(*fitting[at], "duplicate", fitting[near.place][0]) for at, near in found.items()]
    kept = tuple(text for at, (_, text) in enumerate(fitting) if at not in found)
    if not kept:
        raise RoleError("{file}: there is no instruction of {most} words or less; give some", file=file, most=LONGEST)
    return Instructions(kept, tuple(sorted(left_out)))


def _told(file: Path) -> Iterator[tuple[int, str]]:
    """All instructions with their places; blank lines are none."""
    text = _text(file)
    if file.suffix == ".json":
        listed = _json(file, None, text)
        if not isinstance(listed, list):
            raise _unfit(file, None, Message("it must be a list of instructions"))
        yield from ((place, _instruction(file, place, one)) for place, one in enumerate(listed, 1))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and file.suffix == ".jsonl":
            yield number, _instruction(file, number, _json(file, number, line))
        elif line.strip():
            yield number, storable(line).strip()


def _text(file: Path) -> str:
    if file.suffix not in _SUFFIXES:
        raise _unfit(file, None, Message("its name has to end in .txt, .jsonl or .json"))
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise _unfit(file, None, Message("it cannot be read ({error})", error=error.strerror)) from None
    except UnicodeDecodeError:
        raise _unfit(file, None, Message("it is not UTF-8 text")) from None


def _json(file: Path, line: int | None, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _unfit(file, line, Message("it is not JSON")) from None


def _instruction(file: Path, place: int, one: Any) -> str:
    text = one.get("instruction") if isinstance(one, dict) else one
    if not isinstance(text, str) or not text.strip():
        why = Message("there is no text, and no 'instruction' with one, but {what}", what=cited(repr(one)[:80]))
        raise _unfit(file, place, why)
    return storable(text).strip()


def _unfit(file: Path, place: int | None, why: Readable) -> RoleError:
    if place is None:
        return RoleError("{file}: these are no instructions: {why}", file=file, why=why)
    return RoleError("{file}, line {line}: this is no instruction: {why}; mend it, or take it out", file=file,
                     line=place, why=why)  # fmt: skip
