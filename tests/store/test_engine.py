"""Opening a database: the right ones open, the wrong ones are refused in one line without the password."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlmodel import SQLModel

from characterbox.errors import StoreError
from characterbox.store import Store
from characterbox.store.engine import can_be_read_on_the_way, migrations, newest, open_engine


def refusal(url):
    with pytest.raises(StoreError) as caught:
        Store(url)
    message = str(caught.value)
    assert "\n" not in message
    assert "secretpw" not in message
    return message


def test_a_new_database_has_the_schema_that_the_tables_say(bare_url):
    engine = open_engine(bare_url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []
    engine.dispose()


def test_the_newest_schema_is_that_of_alembic():
    with migrations() as config:
        assert newest() == ScriptDirectory.from_config(config).get_current_head()


def test_opening_it_again_changes_nothing(bare_url):
    for _ in range(2):
        Store(bare_url).close()


@pytest.mark.slow
def test_many_who_open_a_new_database_at_once_all_get_it(bare_url):
    together = threading.Barrier(4)

    def opened(_):
        together.wait(10)
        Store(bare_url).close()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(opened, range(4))) == [None] * 4


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://me:secretpw@host/db", "neither SQLite nor PostgreSQL"),
        ("me:secretpw@host", "give sqlite:///FILE or postgresql://"),
        ("postgresql://me:secretpw@127.0.0.1:9/db", "cannot be opened"),
        ("sqlite:////proc/nowhere/x.db", "cannot be opened"),
        ("sqlite://", "names no file"),
        ("sqlite:///", "names no file"),
        ("sqlite:/// ", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///f.db?nonsense=1", "no parameters"),
        ("sqlite:///what?.db", "no parameters"),
        ("sqlite://me:secretpw@host/f.db", "no host"),
        ("sqlite+aiosqlite:///f.db", "with the driver that is used here"),
        ("postgresql+asyncpg://host/db", "with the driver that is used here"),
        ("postgresql://me:secretpw@127.0.0.1:abc/db", "the host or port cannot be read"),
        ("postgresql://me:secretpw@more:secretpw/db", "the host or port cannot be read"),
        ("postgresql://127.0.0.1:9/db?nonsense=1", "cannot be opened"),
        ("postgresql://127.0.0.1:9/db?user=me&password=secretpw&sslpassword=secretpw", "cannot be opened"),
        ("postgresql://me:more@secretpw@127.0.0.1:9/db", "must be written as %40"),
        ("postgresql://me:1/secretpw@127.0.0.1:9/db", "cannot be opened"),
        ("postgresql://me:secretpw@nowhere.invalid/db", "cannot be opened"),
    ],
)
def test_what_can_not_be_opened_is_told(url, told):
    assert told in refusal(url)


@pytest.mark.parametrize(
    ("url", "open_to_others"),
    [
        ("sqlite:///f@r.db", False),
        ("postgresql://me@db.example.org/db", True),
        ("postgresql://me@db.example.org/db?sslmode=require", True),
        ("postgresql:///db?host=127.0.0.1,db.example.org", True),
        ("postgresql://me@db.example.org/db?sslmode=verify-full&sslrootcert=/ca.pem", False),
        ("postgresql://me@db.example.org/db?sslmode=verify-ca", False),
        ("postgresql://me@localhost/db", False),
        ("postgresql://me@[::1]:5433/db", False),
        ("postgresql:///db?host=/run/postgresql", False),
        ("postgresql:///db", False),
        ("postgresql:///db?host=127.0.0.1:5433,localhost:5434", False),
        ("postgresql://me@[::ffff:10.0.0.1]/db", True),
        ("mysql://db.example.org/db", False),
    ],
)
def test_a_server_beyond_this_computer_has_its_certificate_checked_or_is_told_of(url, open_to_others, monkeypatch):
    for name in ("PGHOST", "PGSSLMODE"):
        monkeypatch.delenv(name, raising=False)
    assert can_be_read_on_the_way(url) is open_to_others


def test_a_file_that_is_no_database_is_told(tmp_path):
    junk = tmp_path / "junk.db"
    junk.write_bytes(b"once upon a time " * 100)
    assert "not a database" in refusal(f"sqlite:///{junk}")
    assert junk.read_bytes().startswith(b"once upon")


def test_a_folder_is_no_database(tmp_path):
    assert "cannot be opened" in refusal(f"sqlite:///{tmp_path}")


def test_a_database_of_a_newer_version_is_left_alone(tmp_path):
    url = f"sqlite:///{tmp_path}/new.db"
    Store(url).close()
    connection = sqlite3.connect(tmp_path / "new.db")
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    assert "made by a newer CharacterBox (schema 9999); update this one" in refusal(url)


def test_a_database_from_before_the_baseline_is_left_alone_and_told_what_to_do(tmp_path):
    url = f"sqlite:///{tmp_path}/old.db"
    Store(url).close()
    connection = sqlite3.connect(tmp_path / "old.db")
    connection.execute("UPDATE alembic_version SET version_num = '0016'")
    connection.commit()
    connection.close()
    told = refusal(url)
    assert "it is of an early CharacterBox (schema 0016), older than any that this version reads" in told
    assert "open or restore it once with commit 44393ef of CharacterBox, which brings it to schema 0022" in told


@pytest.mark.parametrize("table", ["story", "recipe"])
def test_a_database_of_another_program_is_left_alone(tmp_path, table):
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute(f"CREATE TABLE {table} (name TEXT)")
    assert "contains tables that do not belong to CharacterBox; choose another file" in refusal(
        f"sqlite:///{tmp_path}/other.db"
    )
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [(table,)]
