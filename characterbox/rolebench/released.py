"""Files of RoleBench in the form in which it was released: JSON Lines of roles, questions and answers (RoleLLM).

    {"role": "孙悟空", "question": " ...", "generated": ["...", ...], "type": "script_based"}

The released files differ from one another, and all of it is kept. `type` is in role-specific files only, in some as a
text, in others as a list with one text; the baselines of role-specific files have none. Questions begin and end with
blanks or line breaks, or do not. There are one to six answers, since the authors took out what failed their cleaning.
Which of them are the role's no file says: see `characterbox.rolebench.scoring`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import Field

from annotations.i18n.messages import Message, all_of, cited, listed
from characterbox.atomic_file import new_file
from characterbox.errors import RoleError
from characterbox.values import Language, Value

Type = Literal["script_based", "script_agnostic"]
"""Whether a question about a role was made from its script, or from its description alone."""
TYPES: tuple[Type, ...] = get_args(Type)
Kind = Literal["general", "specific"]
"""Whether a question is general, or about a role; the released files of both lie apart."""
_LANGUAGES: Mapping[str, Language] = {
    "eng": "en",
    "en": "en",
    "english": "en",
    "zh": "zh",
    "chi": "zh",
    "chinese": "zh",
}
_KINDS: Mapping[str, Kind] = {"general": "general", "role_specific": "specific", "specific": "specific"}
_NEEDED = ("role", "question", "generated")
_HALF = re.compile(r"[\ud800-\udfff]")
"""A lone surrogate, which no file in UTF-8 can hold."""

Told = Annotated[str, Field(pattern=r"[^\s\x1c-\x1f]")]
"""Has more than blanks, of which `str.strip` knows four that are none to a pattern."""


class Key(NamedTuple):
    """What tells a row of a file from the others, and is the same in a file of predictions and one of references."""

    role: str
    question: str


class Row(Value):
    """A question to a role, and answers to it."""

    role: Told
    question: Told
    """As it stands in the file, with the blanks at its ends."""
    generated: Annotated[tuple[str, ...], Field(min_length=1)]
    """The answers; an empty one is an answer, too."""
    type: Type | tuple[Type] | None = None
    """In the form that it has in the file; None where there is none."""

    @property
    def key(self) -> Key:
        """Role and question, without the blanks at their ends."""
        return Key(self.role.strip(), self.question.strip())


class Numbered(NamedTuple):
    """A row with its line in the file, from 1."""

    line: int
    row: Row


def read_rows(file: Path) -> Iterator[Numbered]:
    """The rows of a file, one by one.

    Raises RoleError, which names file, line and remedy, at the first line that is no row, or has the role and the
    question of an earlier one.
    """
    seen: dict[Key, int] = {}
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                row = _row(file, number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
                if (earlier := seen.setdefault(row.key, number)) != number:
                    raise _no_row(file, number, Message("line {line} has the same role and question", line=earlier))
                yield Numbered(number, row)
    except OSError as error:
        raise RoleError(
            "{file}: it cannot be read ({error}); check the path and who may read it", file=file, error=error.strerror
        ) from None


def write_rows(file: Path, rows: Iterable[Row]) -> int:
    """Write the rows to a new file, which is there when it is whole, and tell how many there are.

    Raises FileError where there is a file already, or none can be.
    """
    count = 0
    with new_file(file) as out:
        for count, row in enumerate(rows, 1):  # noqa: B007 - told below
            line = json.dumps(row.model_dump(mode="json", exclude_none=True), ensure_ascii=False)
            out.write(f"{line}\n".encode())
    return count


def placed(file: Path) -> tuple[Kind | None, Language | None]:
    """Which kind and which language a file has by the folders that it lies in; None where they do not tell."""
    places = [word for place in file.parts for word in place.lower().split("-")]
    kind = next((_KINDS[one] for one in reversed(places) if one in _KINDS), None)
    return kind, next((_LANGUAGES[one] for one in reversed(places) if one in _LANGUAGES), None)


def _row(file: Path, number: int, line: bytes) -> Row:
    try:
        content = json.loads(line.decode(), object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise _no_row(file, number, Message("it is not UTF-8 text")) from None
    except _FieldTwice:
        raise _no_row(file, number, Message("it has a field twice")) from None
    except (ValueError, RecursionError):
        raise _no_row(file, number, Message("it is not JSON")) from None
    if (fault := next(_faults(content), None)) is not None:
        raise _no_row(file, number, fault)
    return Row.model_validate(content)


class _FieldTwice(Exception):
    """One of the two would be lost."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _FieldTwice
    return found


def _no_row(file: Path, number: int, why: Message) -> RoleError:
    return RoleError(
        "{file}, line {line}: this is no row of RoleBench: {why}; mend the line, or take it out",
        file=file,
        line=number,
        why=why,
    )


def _faults(content: Any) -> Iterator[Message]:
    """Why something is no row; each reason rests on there being none of those before."""
    if not isinstance(content, dict):
        yield Message("it is no JSON object")
    if absent := [name for name in _NEEDED if name not in content]:
        yield Message("it lacks {fields}", fields=all_of(absent))
    if unknown := [name for name in content if name not in Row.model_fields]:
        fields = listed(cited(repr(name)) for name in unknown)
        yield Message("it has fields that are unknown here ({fields})", fields=fields)
    for name in ("role", "question"):
        if not isinstance(content[name], str):
            yield Message("its {field} is no text", field=name)
        if not content[name].strip():
            yield Message("its {field} is blank", field=name)
    answers = content["generated"]
    if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
        yield Message("generated is no list of texts")
    if not answers:
        yield Message("generated is empty")
    if any(_HALF.search(text) for text in (content["role"], content["question"], *answers)):
        yield Message("a text holds half of a character (a lone surrogate)")
    if "type" in content and not _is_type(content["type"]):
        told = {"type": cited(repr(content["type"])), "types": listed(TYPES)}
        yield Message("its type is {type}, not one of {types}, alone or in a list", **told)


def _is_type(kind: object) -> bool:
    [kind] = kind if isinstance(kind, list) and len(kind) == 1 else [kind]
    return isinstance(kind, str) and kind in TYPES
