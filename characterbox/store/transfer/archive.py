"""An archive: all that a database holds, as lines of JSON in one file that depends on no database.

A line is an object with the columns of one row that hold something: what is NULL is left out, so that `null` is the
null of a JSON column. Bytes are in base64, moments in UTC; a float that JSON has no number for is a string (inf, nan).

It is a ZIP file. `tables/NAME.jsonl` has the rows of a table, one a line; no table refers to one that comes later.
`manifest.json` tells of them. The comment of the file is its seal: the SHA-256, in hexadecimal, of all bytes before it.
"""

import hashlib
import json
import math
import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Annotated, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from pydantic import AwareDatetime, Field, ValidationError
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
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

from characterbox import __version__
from characterbox.errors import StoreError
from characterbox.pause_reasons import Reason, stored
from characterbox.store.tables.columns import now
from characterbox.values import Value


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
    raise StoreError(f"column {column}: archives have no form for its type, {column.type!r}; give it one in `_FORMS`")


FORMAT = 1
"""The format of archives that is written, and the only one that is read."""
MANIFEST = "manifest.json"
_MANIFEST_ROOM = 1 << 20
"""The most bytes of a manifest."""
_SEAL = 64
"""Bytes of the seal."""
_CHUNK = 1 << 20
_ROWS = 100
"""Rows that are in memory at once while an archive is written."""
_FAULTS = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)
"""What reading a ZIP file may raise that is none."""

Count = Annotated[int, Field(ge=0)]
Told = Callable[[str, int], None]
"""Is told, as it goes, of a table and how many of its rows are done."""


class ArchivedTable(Value):
    """What a table's file in an archive must hold."""

    name: str
    rows: Count
    size: Count
    """Bytes, unpacked."""
    sha256: str
    """Of those bytes, in hexadecimal."""

    @property
    def file(self) -> str:
        """Its name within the archive."""
        return f"tables/{self.name}.jsonl"


class Manifest(Value):
    """What an archive holds, and where it comes from."""

    format: int
    revision: str
    """The schema of the rows, as Alembic calls it."""
    version: str
    """The version of CharacterBox that wrote it."""
    made_at: AwareDatetime
    tables: tuple[ArchivedTable, ...]
    left_out: tuple[str, ...]
    """Tables whose rows stay with their database."""

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(table.rows for table in self.tables)


def travels(table: Table) -> bool:
    """Whether the rows of a table go into archives; those with `info={"travels": False}` stay with their database."""
    return bool(table.info.get("travels", True))


def write_archive(
    out: IO[bytes], connection: Connection, tables: Sequence[Table], revision: str, told: Told
) -> Manifest:
    """Write the rows of tables that travel, as the connection sees them, to an empty file that can be read too.

    Raises StoreError if a row cannot be written.
    """
    made_at = now()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.comment = bytes(_SEAL)
        manifest = Manifest(
            format=FORMAT,
            revision=revision,
            version=__version__,
            made_at=made_at,
            tables=tuple(_write_table(archive, connection, table, told) for table in tables if travels(table)),
            left_out=tuple(table.name for table in tables if not travels(table)),
        )
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
    seal = _digest(out)
    out.write(seal)
    return manifest


def _write_table(archive: ZipFile, connection: Connection, table: Table, told: Told) -> ArchivedTable:
    lines, digest, rows, size = Lines(table), hashlib.sha256(), 0, 0
    with archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as file:
        found = connection.execution_options(yield_per=_ROWS).execute(lines.query)
        for some in found.partitions():
            written = b"".join(_line(lines, row, table.name, rows + n) for n, row in enumerate(some, 1))
            file.write(written)
            digest.update(written)
            rows, size = rows + len(some), size + len(written)
            told(table.name, rows)
    return ArchivedTable(name=table.name, rows=rows, size=size, sha256=digest.hexdigest())


def _line(lines: Lines, row: Sequence[Any], table: str, number: int) -> bytes:
    try:
        return lines.line(row)
    except (TypeError, ValueError, OverflowError) as error:
        where = f"table {table}, row {number} in the order of its key"
        raise StoreError(f"{where}: it cannot be written as JSON ({error}); mend it in the database") from None


def _digest(file: IO[bytes]) -> bytes:
    """What the seal of a file must be; the file is left at the place of the seal."""
    end = file.seek(0, os.SEEK_END) - _SEAL
    file.seek(0)
    digest = hashlib.sha256()
    while (left := end - file.tell()) > 0 and (chunk := file.read(min(_CHUNK, left))):
        digest.update(chunk)
    return digest.hexdigest().encode()


class Archive:
    """An archive that is whole; `open_archive` gives one."""

    def __init__(self, name: str, archive: ZipFile, manifest: Manifest) -> None:
        self.name = name
        """How the file is called, for messages."""
        self.manifest = manifest
        self._archive = archive

    def lines(self, table: ArchivedTable) -> Iterator[bytes]:
        """The lines of a table; after the last, raises StoreError unless they were what the manifest says."""
        digest, rows = hashlib.sha256(), 0
        try:
            with self._archive.open(table.file) as file:
                for line in file:
                    digest.update(line)
                    rows += 1
                    yield line
        except _FAULTS as error:
            raise _damaged(self.name, f"table {table.name}: {error}") from None
        if (rows, digest.hexdigest()) != (table.rows, table.sha256):
            raise _damaged(self.name, f"table {table.name}: its rows are not those of the manifest")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """An archive, to be read. Raises StoreError unless it is whole and of a format that is known here."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise StoreError(
            f"{path}: it cannot be read ({error.strerror}); give what `characterbox backup` has written"
        ) from None
    with file:
        try:
            sealed = _digest(file) == file.read()
            archive = ZipFile(file) if sealed else None
        except _FAULTS as error:
            raise _damaged(str(path), str(error)) from None
        if archive is None:
            raise _damaged(str(path), "its seal is broken")
        with archive:
            yield Archive(str(path), archive, _manifest(str(path), archive))


def _manifest(name: str, archive: ZipFile) -> Manifest:
    """The manifest, once the files are known to be those that it tells of."""
    try:
        if archive.getinfo(MANIFEST).file_size > _MANIFEST_ROOM:
            raise ValueError("it is too long")
        text = archive.read(MANIFEST)
        _check_format(name, text)
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors()[0]
        raise _damaged(name, f"manifest: {': '.join([*map(str, fault['loc']), fault['msg']])}") from None
    except (KeyError, *_FAULTS) as error:
        raise _damaged(name, f"manifest: {error}") from None
    told = [(MANIFEST, len(text)), *((table.file, table.size) for table in manifest.tables)]
    if sorted(told) != sorted((file.filename, file.file_size) for file in archive.infolist()):
        raise _damaged(name, "its files are not those of the manifest")
    return manifest


def _check_format(name: str, manifest: bytes) -> None:
    match json.loads(manifest):
        case {"format": int(found)} if found > FORMAT:
            raise StoreError(f"{name}: it was written by a newer CharacterBox (format {found}); update this one")


def _damaged(name: str, what: str) -> StoreError:
    return StoreError(f"{name}: it is damaged, cut short, or no archive ({what}); take another copy of it")
