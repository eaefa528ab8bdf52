"""Backing up: all that a database holds at one moment goes into a file, while others read and write the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

from characterbox.errors import StoreError
from characterbox.new_file import check_new, new_file
from characterbox.store.archive import Manifest, Told, write_archive
from characterbox.store.engine import open_engine, shown


def back_up(url: str, file: Path, told: Told) -> Manifest:
    """Write the database at `url` to a new file, which is there when it is whole, and which nobody else may read.

    Raises FileError if the file is there already, or can't be written there, and StoreError if the database cannot be
    read.
    """
    check_new(file)
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        raise StoreError(f"database {url}: there is no such file; say which one is meant: --db, or CHARACTERBOX_DB")
    engine = open_engine(url)
    try:
        with new_file(file) as out, _snapshot(engine) as connection:
            revision = MigrationContext.configure(connection).get_current_revision()
            return write_archive(out, connection, SQLModel.metadata.sorted_tables, str(revision), told)
    except DBAPIError as error:
        reason = str(error.orig).splitlines()[0]
        raise StoreError(f"database {shown(engine.url)}: it cannot be read: {reason}") from None
    finally:
        engine.dispose()


@contextmanager
def _snapshot(engine: Engine) -> Iterator[Connection]:
    """A connection that sees the database as it is at its first query, and holds nobody up."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        else:
            connection.exec_driver_sql("BEGIN")
        yield connection
