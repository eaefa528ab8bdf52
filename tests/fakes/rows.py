"""Rows for tables of which nothing is known but their columns, and all rows that a database holds."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    Table,
    TypeDecorator,
    insert,
    select,
)

_ROWS = 3


def fill(connection: Connection, tables: Iterable[Table]) -> None:
    """Put three rows into each table, no two alike, the last with NULL wherever that may be."""
    for table in tables:
        for number in range(_ROWS):
            given = (column for column in table.columns if column.computed is None)
            connection.execute(insert(table), {column.name: _value(column, number) for column in given})


def rows_of(connection: Connection, tables: Iterable[Table]) -> dict[str, list[tuple[Any, ...]]]:
    """All rows by table, in the order of their keys."""
    return {
        table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
        for table in tables
    }


def _value(column: Column[Any], number: int) -> Any:
    if column.nullable and number == _ROWS - 1:
        return None
    for key in column.foreign_keys:
        return _value(key.column, number)
    kind = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    match kind:
        case JSON():
            return {"text": f"{column} 孙悟空 🙂\n", "numbers": [number / 3, 2**70, None, True], "": {}}
        case LargeBinary():
            return bytes([number, *range(256)])
        case DateTime():
            return datetime(2024, 2, 29, 23, 59, 59, 999999, UTC) + timedelta(days=number)
        case Boolean():
            return number % 2 == 0
        case Float():
            return 0.1 + number
        case Integer():
            return 10 * (number + 1)
        case _:
            return f"{column} {number}: 孙悟空 'quoted' \"\\n\" \r\n 🙂"
