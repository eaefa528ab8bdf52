"""Databases that are there at once: copies of one that was migrated, which takes longer than most tests."""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Engine, event, make_url

from characterbox.settings import database_url
from characterbox.store import Store
from characterbox.store.engine import open_engine


@cache
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="characterbox-template-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Store(database_url(folder / "template.db")).close()
    return folder / "template.db"


def database_in(file: Path) -> str:
    """The URL of the database in a file; where there is none, it is made, empty and with the newest schema."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_template(), file)
    return database_url(file)


def store_in(file: Path) -> Store:
    """A store on the database in a file; where there is none, it is made."""
    return Store(database_in(file))


@contextmanager
def connection_to(url: str) -> Iterator[Connection]:
    """A connection beside those of any store, to look at rows, or to write some that no store would write.

    What is written is committed at the end.
    """
    engine = open_engine(url)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def listening(url: str) -> Iterator[list[str]]:
    """The statements that this process sends to a database as long as the context lasts."""
    heard: list[str] = []

    def hear(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if connection.engine.url.database == make_url(url).database:  # the driver is named by the engine alone
            heard.append(statement)

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        yield heard
    finally:
        event.remove(Engine, "before_cursor_execute", hear)
