"""There and back: what was backed up is in the new database, all of it or none."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from threading import Barrier

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
)
from sqlmodel import SQLModel, create_engine

from characterbox.errors import FileError, StoreError
from characterbox.play.events import Action
from characterbox.store import Store
from characterbox.store.engine import open_engine
from characterbox.store.stories.story import story_row
from characterbox.store.tables.columns import UtcDateTime, table_of
from characterbox.store.tables.ratings import RatingRow
from characterbox.store.tables.stories import EventRow, StoryRow
from characterbox.store.transfer.archive import Lines, open_archive, travels, write_archive
from characterbox.store.transfer.backup import back_up, pour, restore
from tests.fakes.databases import database_in
from tests.fakes.examples import examples
from tests.fakes.rows import fill, rows_of
from tests.fakes.stories import a_story

pytestmark = pytest.mark.slow

_numbers = itertools.count(1)
TABLES = [table for table in SQLModel.metadata.sorted_tables if travels(table)]
MIGRATIONS = str(files("characterbox.store").joinpath("migrations"))
ACTION = Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Ann grüßt 孙悟空 🙂")


@pytest.fixture
def new(request, tmp_path):
    """Gives the URL of a new, empty database of either kind, which has a schema when it was migrated."""

    def new(kind, *, migrated=False):
        name = f"restored_{next(_numbers)}"
        if kind == "sqlite":
            file = tmp_path / f"{name}.db"
            return database_in(file) if migrated else f"sqlite:///{file}"
        postgres = request.getfixturevalue("postgres")
        with psycopg.connect(postgres.format(database="postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return postgres.format(database=name)

    return new


def quiet(table, rows):
    """Nobody is told how far it is."""


def filled(url):
    """A database with rows in all tables."""
    engine = open_engine(url)
    with engine.begin() as connection:
        fill(connection, SQLModel.metadata.sorted_tables)
    engine.dispose()
    return url


def stored(url):
    """All rows of the tables that travel."""
    engine = open_engine(url)
    with engine.connect() as connection:
        rows = rows_of(connection, TABLES)
    engine.dispose()
    return rows


def bare_engine(url):
    """An engine on a database without the app's schema."""
    return create_engine(url.replace("postgresql:", "postgresql+psycopg:"))


def refusal(path, url):
    with pytest.raises(StoreError) as caught:
        restore(path, url, quiet)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "kinds",
    [("sqlite", "sqlite"), pytest.param(("sqlite", "postgresql", "sqlite"), marks=pytest.mark.process)],
    ids="-".join,
)
def test_all_rows_of_all_tables_go_from_one_database_to_the_next(new, tmp_path, kinds):
    url = filled(new(kinds[0], migrated=True))
    before = stored(url)
    assert {len(rows) for rows in before.values()} == {3}
    first = back_up(url, tmp_path / "0.zip", quiet)
    for number, kind in enumerate(kinds[1:]):
        url = new(kind)
        restore(tmp_path / f"{number}.zip", url, quiet)
        assert stored(url) == before
        again = back_up(url, tmp_path / f"{number + 1}.zip", quiet)
        assert again.tables == first.tables, "an archive does not depend on the database"


THING = Table(
    "thing",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("text", Text),
    Column("big", BigInteger),
    Column("ratio", Float),
    Column("yes", Boolean),
    Column("raw", LargeBinary),
    Column("at", UtcDateTime),
    Column("content", JSON(none_as_null=True)),
)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))  # PostgreSQL has no place for NUL in a text
CONTENT = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=5,
)
ROW = st.fixed_dictionaries({
    "text": st.none() | TEXT,
    "big": st.none() | st.integers(-(2**63), 2**63 - 1),
    "ratio": st.none() | st.floats(allow_nan=False),
    "yes": st.none() | st.booleans(),
    "raw": st.none() | st.binary(),
    "at": st.none() | st.datetimes(datetime(1900, 1, 1), timezones=st.just(UTC)),
    "content": st.sampled_from([None, JSON.NULL]) | st.dictionaries(TEXT, CONTENT),
})  # fmt: skip


def move(source, target, path):
    """Move the things from one database to another, by way of an archive; gives what both hold then."""
    with source.connect() as connection, path.open("w+b") as out:
        before = [tuple(row) for row in connection.execute(Lines(THING).query)]
        write_archive(out, connection, [THING], "0000", quiet)
    with open_archive(path) as archive:
        pour(archive, target, quiet)
    with target.connect() as connection:
        return before, [tuple(row) for row in connection.execute(Lines(THING).query)]


@pytest.mark.process
def test_any_value_goes_from_sqlite_to_postgresql_and_back(new, tmp_path):
    first, second, third = engines = [bare_engine(new(kind)) for kind in ("sqlite", "postgresql", "sqlite")]
    for engine in engines:
        THING.create(engine)

    @settings(max_examples=examples(10, 40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(ROW, min_size=1, max_size=4))
    def check(rows):
        for engine in engines:
            with engine.begin() as connection:
                connection.execute(delete(THING))
        with first.begin() as connection:
            connection.execute(insert(THING), [{"id": number, **row} for number, row in enumerate(rows)])
        before, between = move(first, second, tmp_path / "there.zip")
        assert between == before
        assert move(second, third, tmp_path / "back.zip") == (before, before)

    check()
    for engine in engines:
        engine.dispose()


@pytest.mark.parametrize("source", ["sqlite", "postgresql"])
def test_a_backup_shows_one_moment_whatever_is_written_meanwhile(new, tmp_path, source):
    url = new(source, migrated=True)
    store = Store(url)
    story = a_story(store)
    writing = open_engine(url)
    written = []

    def write(table, rows):
        name = f"story {len(written)}"
        with writing.begin() as connection:
            connection.execute(insert(table_of(StoryRow)), {**story_row(story), "id": name})
            event = {"seq": 1, "path": "p", "kind": "action", "content": {}}
            connection.execute(insert(table_of(EventRow)), {"story_id": name, **event})
        written.append(table)

    fill_one = [table for table in TABLES if table.name in ("server", "scene_chain")]
    with writing.begin() as connection:
        fill(connection, fill_one)
    manifest = back_up(url, tmp_path / "a.zip", write)
    assert written == ["scene_chain", "server", "story"]
    assert len(store.stories.stories()) == 4
    store.close()
    writing.dispose()
    assert {table.name: table.rows for table in manifest.tables if table.rows} == {
        "scene_chain": 3,
        "server": 3,
        "story": 1,
    }
    restore(tmp_path / "a.zip", new("sqlite", migrated=True), quiet)


def test_what_is_restored_can_be_gone_on_with(bare_url, new, tmp_path):
    restore_from = tmp_path / "a.zip"
    back_up(filled(new("sqlite", migrated=True)), restore_from, quiet)
    restore(restore_from, bare_url, quiet)
    rating = table_of(RatingRow)
    engine = open_engine(bare_url)
    with engine.begin() as connection:
        highest = connection.scalar(select(func.max(rating.c.id)))
        one = connection.execute(select(rating).limit(1)).mappings().one()
        row = {name: value for name, value in one.items() if name not in ("id", "item")}
        numbers = [connection.execute(insert(rating).values(**row)).inserted_primary_key[0] for _ in range(2)]
    engine.dispose()
    assert numbers == [highest + 1, highest + 2]


def test_nothing_is_put_over_what_is_there(bare_url, new, tmp_path):
    source = new("sqlite", migrated=True)
    store = Store(source)
    a_story(store)
    store.close()
    back_up(source, tmp_path / "a.zip", quiet)
    restore(tmp_path / "a.zip", bare_url, quiet)
    before = stored(bare_url)
    told = refusal(tmp_path / "a.zip", bare_url)
    assert "it already contains data (table story), which is never overwritten; give a new file" in told
    assert stored(bare_url) == before


def test_an_empty_database_that_the_app_has_opened_already_is_taken(url, new, tmp_path):
    back_up(filled(new("sqlite", migrated=True)), tmp_path / "a.zip", quiet)
    restore(tmp_path / "a.zip", url, quiet)
    assert {len(rows) for rows in stored(url).values()} == {3}


def test_of_two_who_restore_at_once_one_is_refused(url, new, tmp_path):
    back_up(filled(new("sqlite", migrated=True)), tmp_path / "a.zip", quiet)
    together = Barrier(2)

    def restored(_):
        together.wait(10)
        try:
            restore(tmp_path / "a.zip", url, quiet)
        except StoreError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(2) as threads:
        told = sorted(threads.map(restored, range(2)))
    assert told[0] == ""
    assert "it already contains data" in told[1]
    assert {len(rows) for rows in stored(url).values()} == {3}


def test_what_the_database_does_not_take_is_told_and_nothing_is_restored(bare_url, new, tmp_path):
    source = new("sqlite", migrated=True)
    engine = open_engine(filled(source))
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        connection.exec_driver_sql("UPDATE reply SET story_id = 'nosuch' WHERE story_id LIKE '% 0:%'")
        connection.commit()
    engine.dispose()
    back_up(source, tmp_path / "a.zip", quiet)
    told = refusal(tmp_path / "a.zip", bare_url)
    assert "a.zip: table reply, rows 1-3: database " in told
    assert "does not take them: " in told
    assert {len(rows) for rows in stored(bare_url).values()} == {0}


@pytest.mark.process
def test_a_text_that_postgresql_has_no_place_for_is_told(new, tmp_path):
    source = new("sqlite", migrated=True)
    engine = open_engine(filled(source))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE reply SET text = 'a' || char(0)")
    engine.dispose()
    back_up(source, tmp_path / "a.zip", quiet)
    told = refusal(tmp_path / "a.zip", new("postgresql"))
    assert "a.zip: table reply, rows 1-3: database " in told
    assert "does not take them: PostgreSQL text fields cannot contain NUL" in told
    restore(tmp_path / "a.zip", new("sqlite", migrated=True), quiet)


@pytest.mark.parametrize(
    ("revision", "why"),
    [
        ("9999", "it was made by a newer CharacterBox (schema 9999); update this one"),
        ("0007", "it is of an early CharacterBox (schema 0007), older than any that this version reads"),
    ],
)
def test_an_archive_of_another_schema_is_refused_before_anything_is_made(tmp_path, revision, why):
    source = create_engine(f"sqlite:///{tmp_path}/thing.db")
    THING.create(source)
    with source.connect() as connection, (tmp_path / "a.zip").open("w+b") as out:
        write_archive(out, connection, [THING], revision, quiet)
    source.dispose()
    told = refusal(tmp_path / "a.zip", f"sqlite:///{tmp_path}/new.db")
    assert told.startswith(f"{tmp_path}/a.zip: {why}")
    assert not (tmp_path / "new.db").exists()


def test_a_damaged_archive_is_refused_before_anything_is_made(new, tmp_path):
    path = tmp_path / "a.zip"
    back_up(filled(new("sqlite", migrated=True)), path, quiet)
    path.write_bytes(path.read_bytes()[:-1])
    assert "it is damaged, cut short, or no archive" in refusal(path, f"sqlite:///{tmp_path}/new.db")
    assert not (tmp_path / "new.db").exists()


def test_a_backup_is_never_written_over_anything(new, tmp_path):
    url = filled(new("sqlite", migrated=True))
    database = Path(url.removeprefix("sqlite:///"))
    before = database.read_bytes()
    with pytest.raises(FileError, match="it is there already; give another name, or delete it first"):
        back_up(url, database, quiet)
    assert database.read_bytes() == before


def test_a_database_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(StoreError, match="there is no such file; say which one is meant"):
        back_up(f"sqlite:///{tmp_path}/nosuch.db", tmp_path / "a.zip", quiet)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()])
def test_a_backup_that_fails_leaves_nothing_behind(new, tmp_path, error):
    def fail(table, rows):
        raise error

    (tmp_path / "backups").mkdir()
    with pytest.raises(type(error)):
        back_up(filled(new("sqlite", migrated=True)), tmp_path / "backups" / "a.zip", fail)
    assert list((tmp_path / "backups").iterdir()) == []


def test_a_row_that_the_database_can_not_read_is_told(new, tmp_path):
    url = filled(new("sqlite", migrated=True))
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE reply SET text = CAST(x'ff' AS TEXT)")
    engine.dispose()
    with pytest.raises(StoreError, match="it cannot be read: Could not decode to UTF-8"):
        back_up(url, tmp_path / "a.zip", quiet)
    assert not (tmp_path / "a.zip").exists()
