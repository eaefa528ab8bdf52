"""The rows of a table as lines of JSON, the same whether they come from SQLite or from PostgreSQL.

A line is an object with the columns of one row that hold something: what is NULL is left out, so that `null` is the
null of a JSON column. Bytes are in base64, moments in UTC; a float that JSON has no number for is a string (inf, nan).
"""

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    Select,
    String,
    Table,
    TypeDecorator,
    null,
    select,
)
from sqlalchemy.types import TypeEngine

from characterbox.errors import StoreError
from characterbox.reasons import Reason, stored


@dataclass(frozen=True, slots=True)
class _Form:
    """How the values of one kind of column are written in JSON, and read from there."""

    write: Callable[[Any], object]
    read: Callable[[Any], object]


def _same(value: object) -> object:
    return value


def _write_text(value: object) -> object:
    return stored(value) if isinstance(value, Reason) else value


def _write_bytes(value: bytes) -> str:
    return b64encode(value).decode()


def _read_bytes(value: str) -> bytes:
    return b64decode(value, validate=True)


def _write_moment(value: datetime) -> str:
    return (value if value.tzinfo is None else value.astimezone(UTC)).isoformat()


def _write_float(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _read_json(value: object) -> object:
    return JSON.NULL if value is None else value


_SAME = _Form(_same, _same)
_FORMS: Mapping[type[TypeEngine[Any]], _Form] = {
    JSON: _Form(_same, _read_json),
    LargeBinary: _Form(_write_bytes, _read_bytes),
    DateTime: _Form(_write_moment, datetime.fromisoformat),
    Float: _Form(_write_float, float),
    Boolean: _SAME,
    Integer: _SAME,
    String: _Form(_write_text, _same),
}


class Lines:
    """How the rows of one table are written as lines, and read from them.

    The JSON columns of a table that rows are read for must tell NULL from null (see `tell_nulls`). Raises StoreError
    if a column is of a kind that has no form here.
    """

    def __init__(self, table: Table) -> None:
        stored = [column for column in table.columns if column.computed is None]
        self._forms = {column.name: _form(column) for column in stored}
        self._json = [column.name for column in stored if isinstance(_plain(column), JSON)]
        self.query: Select[Any] = select(*stored, *(table.c[name].is_(null()) for name in self._json)).order_by(
            *table.primary_key
        )
        """All rows in the order of their key, with what `line` needs to know of each."""

    def line(self, row: Sequence[Any]) -> bytes:
        """A row of the query as a line. Raises TypeError or ValueError for a value that is none of its column's."""
        values = dict(zip(self._forms, row[: len(self._forms)], strict=True))
        is_null = {name: value is None for name, value in values.items()}
        is_null.update(zip(self._json, row[len(self._forms) :], strict=True))
        content = {name: self._forms[name].write(value) for name, value in values.items() if not is_null[name]}
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def row(self, line: bytes) -> dict[str, object]:
        """The values of a line, to be inserted. Raises TypeError or ValueError if it is no row of the table."""
        content = json.loads(line)
        if not isinstance(content, dict):
            raise TypeError("it is no object")
        if unknown := content.keys() - self._forms.keys():
            raise ValueError(f"there is no column {min(unknown)!r}")
        return {name: form.read(content[name]) if name in content else None for name, form in self._forms.items()}


def tell_nulls(table: Table) -> None:
    """Have None mean NULL in all JSON columns of a reflected table; the null of JSON is `JSON.NULL` there."""
    for column in table.columns:
        if isinstance(column.type, JSON):
            column.type.none_as_null = True


def _plain(column: Column[Any]) -> TypeEngine[Any]:
    """The type of a column without what decorates it."""
    plain: TypeEngine[Any] = column.type
    while isinstance(plain, TypeDecorator):
        plain = plain.impl_instance
    return plain


def _form(column: Column[Any]) -> _Form:
    for kind, form in _FORMS.items():
        if isinstance(_plain(column), kind):
            return form
    raise StoreError(f"column {column}: archives have no form for its type, {column.type!r}; give it one in `lines`")
