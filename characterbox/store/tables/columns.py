"""Columns and types that all tables share."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Dialect,
    Index,
    Table,
    Text,
    TypeDecorator,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import SQLModel

from characterbox.pause_reasons import Reason, stored
from characterbox.reason_sentences import reread


def now() -> datetime:
    """The time now, in UTC. For records and people; the story has a clock of its own."""
    return datetime.now(UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC. SQLite forgets the time zone; this puts it back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment as it is stored, wherever its clock stood."""
        return value.astimezone(UTC) if value is not None and value.tzinfo is not None else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment as it was stored."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class ReasonText(TypeDecorator[Reason]):
    """A reason, as JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Reason | str | None, dialect: Dialect) -> str | None:
        """The reason as it is stored; a text is one already."""
        return stored(value) if isinstance(value, Reason) else value

    def process_result_value(self, value: str | None, dialect: Dialect) -> Reason | None:
        """The reason as it was stored."""
        return None if value is None else reread(value)


def moment() -> Any:
    return Column(UtcDateTime, nullable=False)


def optional_json() -> Any:
    return Column(JSON(none_as_null=True))


def index_of(name: str, column: str, where: str) -> Index:
    """An index of some rows alone; what looks for them has to say the condition in the same words."""
    return Index(name, column, sqlite_where=text(where), postgresql_where=text(where))


KEY_FIRST = {"sqlite_with_rowid": False}
"""Rows are stored with their key, not with a number of their own: takes half the space where rows are small."""


def table_of(rows: type[SQLModel]) -> Table:
    """The table behind a class of rows, for statements that take or give plain rows."""
    return SQLModel.metadata.tables[str(rows.__tablename__)]


_INSERTS: Mapping[str, Callable[[Table], sqlite.Insert | postgresql.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


def insert_into(table: Table, dialect: str) -> sqlite.Insert | postgresql.Insert:
    """An insert that can say what to do about what is there already."""
    return _INSERTS[dialect](table)
