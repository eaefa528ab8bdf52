"""Rows as lines: whatever a column holds comes back from its line as it was."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)
from sqlmodel import SQLModel

from characterbox.errors import StoreError
from characterbox.store.tables.columns import UtcDateTime
from characterbox.store.transfer.archive import Lines

TABLE = Table(
    "thing",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("text", Text),
    Column("big", BigInteger),
    Column("ratio", Float),
    Column("yes", Boolean),
    Column("raw", LargeBinary),
    Column("at", UtcDateTime),
    Column("local", DateTime),
    Column("content", JSON),
)
LINES = Lines(TABLE)
NAMES = TABLE.columns.keys()
CONTENT = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=8,
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
VALUES = st.tuples(
    st.integers(),
    st.none() | st.text(st.characters(codec="utf-8")),
    st.none() | st.integers(),
    st.none() | st.floats(allow_nan=False),
    st.none() | st.booleans(),
    st.none() | st.binary(),
    st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=ZONES),
    st.none() | st.datetimes(),
    CONTENT,
)


def of(**values):
    """A row of the query: its values, and whether the JSON column is NULL."""
    values = {"id": 1, **values}
    return [*(values.get(name) for name in NAMES), "content" not in values]


def read(**values):
    """The row as it is inserted after it was written as a line."""
    return LINES.row(LINES.line(of(**values)))


@pytest.mark.slow
@given(VALUES)
def test_values_come_back_as_they_were(values):
    line = LINES.line([*values, False])
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    back = LINES.row(line)
    expected = dict(zip(NAMES, values, strict=True)) | ({"content": JSON.NULL} if values[-1] is None else {})
    assert back == expected
    assert [type(value) for value in back.values()] == [type(value) for value in expected.values()]


def test_a_line_says_what_it_holds_by_column():
    moment = datetime(2026, 1, 2, 3, 4, 5, 6, timezone(timedelta(hours=8)))
    line = LINES.line(of(text="孙悟空", raw=b"\x00\xff", at=moment, yes=False, content={"a": [1, None]}))
    assert json.loads(line) == {
        "id": 1,
        "text": "孙悟空",
        "yes": False,
        "raw": "AP8=",
        "at": "2026-01-01T19:04:05.000006+00:00",
        "content": {"a": [1, None]},
    }
    assert "孙悟空".encode() in line


def test_null_is_left_out_and_the_null_of_json_is_not():
    assert LINES.line(of()) == b'{"id":1}\n'
    assert LINES.line(of(content=None)) == b'{"id":1,"content":null}\n'
    assert read()["content"] is None
    assert read(content=None)["content"] is JSON.NULL


def test_a_float_that_json_has_no_number_for():
    for value in (float("inf"), float("-inf")):
        assert read(ratio=value)["ratio"] == value
    assert str(read(ratio=float("nan"))["ratio"]) == "nan"
    assert "Infinity" not in LINES.line(of(ratio=float("inf"))).decode()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"", "Expecting value"),
        (b"[1]", "no object"),
        (b'{"id":1,"price":3}', "no column 'price'"),
        (b'{"raw":"AAA"}', "padding"),
        (b'{"raw":"~~~~"}', "base64"),
        (b'{"raw":5}', "bytes-like"),
        (b'{"at":"yesterday"}', "isoformat"),
        (b'{"ratio":"much"}', "could not convert"),
        (b'{"id":1', "delimiter"),
        (b'{"text":"\xff"}', "decode"),
    ],
)
def test_a_line_that_is_no_row_of_the_table_is_refused(line, told):
    with pytest.raises((TypeError, ValueError), match=told):
        LINES.row(line)


@pytest.mark.parametrize("value", [b"bytes", object()])
def test_a_value_that_is_none_of_its_column_is_refused(value):
    with pytest.raises(TypeError):
        LINES.line(of(text=value))


def test_a_column_of_an_unknown_kind_is_refused():
    table = Table("calendar", MetaData(), Column("day", Date, primary_key=True))
    with pytest.raises(StoreError, match=r"column calendar.day: archives have no form for its type, Date\(\)"):
        Lines(table)


@pytest.mark.parametrize("name", sorted(SQLModel.metadata.tables))
def test_all_columns_of_all_tables_have_a_form(name):
    assert Lines(SQLModel.metadata.tables[name]).query is not None


def test_moments_without_a_time_zone_stay_so():
    assert read(local=datetime(2026, 1, 2))["local"] == datetime(2026, 1, 2)
    assert read(at=datetime(2026, 1, 2, tzinfo=UTC))["at"] == datetime(2026, 1, 2, tzinfo=UTC)
