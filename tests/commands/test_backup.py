"""`characterbox backup` and `restore`: one command each, and no half of anything, however they end."""

import math
import random
import signal
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import pytest
from sqlalchemy import insert
from sqlmodel import SQLModel

from characterbox.accounts.account import LOCAL
from characterbox.commands import archives
from characterbox.llm.server import Server
from characterbox.store import Store
from characterbox.store.engine import open_engine
from characterbox.store.stories.story import story_row
from characterbox.store.tables.columns import now, table_of
from characterbox.store.tables.stories import ReplyRow, StoryRow
from characterbox.store.transfer.archive import travels
from tests.fakes.databases import store_in
from tests.fakes.mock_server import mock_server
from tests.fakes.rows import fill
from tests.fakes.stories import a_story
from tests.fakes.warm_cli import start

pytestmark = pytest.mark.slow

BIG_REPLIES = 250
"""Of 100 kB each, that can hardly be compressed: enough to be killed in the middle of them."""


@pytest.fixture
def database(tmp_path):
    """A database with three rows in each table, by the name of its file."""
    file = tmp_path / "full.db"
    engine = open_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        fill(connection, SQLModel.metadata.sorted_tables)
    engine.dispose()
    return file


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A database with some 25 MB of replies."""
    file = tmp_path_factory.mktemp("big") / "big.db"
    url = f"sqlite:///{file}"
    store = Store(url)
    story = a_story(store)
    store.close()
    dice = random.Random(1)
    fields = {"take": 0, "digest": b"", "prompt": b"", "author": "model", "url": "u", "model": "m", "attempts": 1}
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(insert(table_of(StoryRow)), {**story_row(story), "id": "big"})
        for number in range(BIG_REPLIES):
            text = dice.randbytes(50_000).hex()
            row = {**fields, "story_id": "big", "path": f"r{number}", "text": text, "latency": 0.0, "created_at": now()}
            connection.execute(insert(table_of(ReplyRow)), row)
    engine.dispose()
    return file


def size_of(file):
    return file.stat().st_size if file.exists() else 0


def count(file, table):
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_there_and_back(in_process, database, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "_QUIET", math.inf)
    saved = in_process("backup", "all.zip", "--db", database)
    assert saved.status == 0
    assert saved.err == ""
    counts = saved.out.splitlines()
    names = [table.name for table in SQLModel.metadata.sorted_tables if travels(table)]
    assert [line.split() for line in counts[: len(names)]] == [["3", name] for name in names]
    assert counts[len(names)].split() == [str(3 * len(names)), "rows", "in", "all"]
    assert counts[-1].startswith("all.zip: ")
    assert stat.S_IMODE((tmp_path / "all.zip").stat().st_mode) == 0o600
    restored = in_process("restore", "all.zip", "--db", "new.db")
    assert restored.status == 0
    assert restored.err == ""
    assert restored.out.splitlines()[:-1] == counts[:-1]
    assert restored.out.splitlines()[-1].startswith("all.zip: restored, as of 20")
    assert count(tmp_path / "new.db", "reply") == 3


def test_the_database_of_the_settings_is_meant_where_none_is_named(in_process, database, tmp_path):
    database.rename(tmp_path / "cli.db")
    assert in_process("backup", "all.zip").status == 0
    (tmp_path / "cli.db").unlink()
    assert in_process("restore", "all.zip").status == 0
    assert count(tmp_path / "cli.db", "reply") == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["backup", "full.db", "--db", "full.db"], "full.db: it is there already; give another name"),
        (["backup", "all.zip", "--db", "nosuch.db"], "there is no such file; say which one is meant: --db"),
        (["backup", "all.zip", "--db", ""], "--db: '' names no file"),
        (["backup", "no/such/all.zip", "--db", "full.db"], "there is no folder no/such; make it first"),
        (["backup", "all.zip", "--db", "notes.txt"], "file is not a database"),
        (["backup"], "the following arguments are required: FILE"),
        (["restore", "nosuch.zip", "--db", "new.db"], "nosuch.zip: it cannot be read (No such file or directory)"),
        (["restore", "full.db", "--db", "new.db"], "full.db: it is damaged, cut short, or no archive"),
        (["restore", "full.db", "--db", "mysql://me:secret@host/db"], "full.db: it is damaged"),
    ],
)
def test_what_can_not_be_done_is_told_in_one_line(in_process, database, tmp_path, words, told):
    (tmp_path / "notes.txt").write_text("once upon a time " * 100)
    before = sorted(tmp_path.iterdir())
    done = in_process(*words)
    assert done.status == 2
    assert told in done.one_line()
    assert "secret" not in done.err
    assert sorted(tmp_path.iterdir()) == before


def test_a_database_that_holds_something_is_left_alone(in_process, database):
    assert in_process("backup", "all.zip", "--db", database).status == 0
    before = database.read_bytes()
    done = in_process("restore", "all.zip", "--db", database)
    assert done.status == 2
    assert "it already contains data (table account)" in done.one_line()
    assert database.read_bytes() == before


def test_it_says_how_far_it_is(in_process, database, monkeypatch):
    monkeypatch.setattr(archives, "_QUIET", 0.0)
    saved = in_process("backup", "all.zip", "--db", database)
    assert "characterbox: backing up: table reply, 3 rows" in saved.err.splitlines()
    restored = in_process("restore", "all.zip", "--db", "new.db")
    assert "characterbox: restoring: table reply, 3 rows" in restored.err.splitlines()


def test_no_key_is_in_a_backup(command, environment, tmp_path):
    with mock_server() as server:
        store = store_in(Path(environment["CHARACTERBOX_DB"]))
        store.servers.save(LOCAL, Server(url=server.url, name="ours", kind="api", key="OUR_API_KEY"))
        store.close()
        played = command("play", "bundled:holmes-study", "--rounds", "1", "--narrator", f"{server.url}#n",
                         "--character", f"{server.url}#c", OUR_API_KEY="sk-secret-key")  # fmt: skip
        assert played.status == 0, played.err
        assert server.authorization == "Bearer sk-secret-key"
    assert command("backup", "all.zip", OUR_API_KEY="sk-secret-key").status == 0
    with ZipFile(tmp_path / "all.zip") as archive:
        everything = {name: archive.read(name) for name in archive.namelist()}
    assert b"OUR_API_KEY" in everything["tables/server.jsonl"]
    assert len(everything["tables/reply.jsonl"].splitlines()) > 10
    assert all(b"sk-secret-key" not in content for content in everything.values())


def test_a_backup_that_is_killed_has_no_name(command, environment, big, tmp_path):
    saving = start(["backup", "all.zip", "--db", str(big)], tmp_path, environment)
    saving.until(lambda: any(size_of(part) > 100_000 for part in tmp_path.glob(".all.zip.*.part")))
    saving.kill()
    assert saving.process.exitcode == -signal.SIGKILL
    assert not (tmp_path / "all.zip").exists()
    assert command("backup", "all.zip", "--db", big).status == 0


def test_a_backup_that_is_told_to_end_leaves_nothing(environment, big, tmp_path):
    saving = start(["backup", "all.zip", "--db", str(big)], tmp_path, environment)
    saving.until(lambda: any(size_of(part) > 100_000 for part in tmp_path.glob(".all.zip.*.part")))
    saving.process.terminate()
    assert saving.wait() == 130
    assert list(tmp_path.glob("*.zip*")) + list(tmp_path.glob(".*")) == []


def test_a_restore_that_is_killed_leaves_an_empty_database_that_can_be_restored_to(command, environment, big, tmp_path):
    assert command("backup", "all.zip", "--db", big).status == 0
    new = tmp_path / "new.db"
    restoring = start(["restore", "all.zip", "--db", str(new)], tmp_path, environment)
    restoring.until(lambda: size_of(tmp_path / "new.db-wal") > 500_000)
    restoring.kill()
    assert restoring.process.exitcode == -signal.SIGKILL
    assert (count(new, "story"), count(new, "reply")) == (0, 0)
    assert command("restore", "all.zip", "--db", new).status == 0
    assert (count(new, "story"), count(new, "reply")) == (2, BIG_REPLIES)
