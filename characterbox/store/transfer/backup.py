"""Backing up while others read and write, and restoring into an empty database: all of it or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, Integer, MetaData, Table, create_engine, func, insert, select
from sqlalchemy.exc import DBAPIError, InvalidRequestError
from sqlmodel import SQLModel

from characterbox.atomic_file import check_new, new_file
from characterbox.errors import StoreError
from characterbox.store.engine import migrations, open_engine, shown, unknown_schema
from characterbox.store.transfer.archive import (
    Archive,
    ArchivedTable,
    Lines,
    Manifest,
    Told,
    open_archive,
    tell_nulls,
    travels,
    write_archive,
)


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


_ROWS = 500
"""How many rows are inserted at once at most."""
_ROOM = 1 << 20
"""After how many bytes of lines they are inserted, however few they are."""


def restore(file: Path, url: str, told: Told) -> Manifest:
    """Put the rows of an archive into the database at `url`, which is made where there is none, and must hold no rows.

    An archive of an older schema is restored into a database of that schema first, a temporary one, and migrated there.
    Raises StoreError, with nothing restored, if the archive is damaged or of a newer schema, or the database holds rows
    or does not take those of the archive.
    """
    with open_archive(file) as archive, migrations() as config:
        scripts = ScriptDirectory.from_config(config)
        revision = archive.manifest.revision
        if revision not in {script.revision for script in scripts.walk_revisions()}:
            raise StoreError(f"{file}: {unknown_schema(revision)}")
        engine = open_engine(url)
        try:
            with engine.connect() as connection:
                _check_empty(connection, [table for table in SQLModel.metadata.sorted_tables if travels(table)])
            if revision == scripts.get_current_head():
                pour(archive, engine, told)
            else:
                with _brought_up(archive, config, told) as newest:
                    pour(newest, engine, told)
        finally:
            engine.dispose()
        return archive.manifest


def pour(archive: Archive, engine: Engine, told: Told) -> None:
    """Insert the rows of an archive, in one transaction, into a database of its schema that holds none.

    Raises StoreError, with nothing inserted, if the archive is damaged or the database does not take its rows.
    """
    try:
        with engine.begin() as connection:
            tables = _tables(connection, archive)
            _keep_others_out(connection, list(tables.values()))
            _check_empty(connection, list(tables.values()))
            for table in archive.manifest.tables:
                _insert(connection, archive, table, tables[table.name], told)
            if connection.dialect.name == "postgresql":
                _count_on(connection, list(tables.values()))
    except DBAPIError as error:
        raise StoreError(f"{_name(engine)}: nothing is restored: {_reason(error)}") from None


@contextmanager
def _brought_up(archive: Archive, config: Config, told: Told) -> Iterator[Archive]:
    """The same rows as an archive of the newest schema: restored into a temporary database, migrated, and backed up."""
    with TemporaryDirectory(prefix="characterbox-") as folder:
        url, newest = f"sqlite:///{folder}/older.db", Path(folder) / "newest.zip"
        older = create_engine(url)
        with older.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, archive.manifest.revision)
        pour(archive, older, told)
        older.dispose()
        back_up(url, newest, told)
        with open_archive(newest) as opened:
            yield opened


def _tables(connection: Connection, archive: Archive) -> Mapping[str, Table]:
    """The tables of the archive, as they are in the database."""
    metadata = MetaData()
    try:
        metadata.reflect(connection, only=[table.name for table in archive.manifest.tables])
    except InvalidRequestError as error:
        raise StoreError(f"{archive.name}: its tables are not those of its schema: {error}") from None
    for table in metadata.tables.values():
        tell_nulls(table)
    return {table.name: metadata.tables[table.name] for table in archive.manifest.tables}


def _keep_others_out(connection: Connection, tables: Sequence[Table]) -> None:
    """Nobody else writes until the transaction ends."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        names = ", ".join(connection.dialect.identifier_preparer.format_table(table) for table in tables)
        connection.exec_driver_sql(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")


def _check_empty(connection: Connection, tables: Sequence[Table]) -> None:
    for table in tables:
        if connection.execute(select(table).limit(1)).first() is not None:
            raise StoreError(
                "{database}: it already contains data (table {table}), which is never overwritten; give a new"
                " file or an empty database with --db or CHARACTERBOX_DB",
                database=_name(connection.engine),
                table=table.name,
            )


def _insert(connection: Connection, archive: Archive, told_of: ArchivedTable, table: Table, told: Told) -> None:
    lines, inserting, done = Lines(table), insert(table), 0
    for some in _batches(archive.lines(told_of)):
        where = f"{archive.name}: table {table.name}, rows {done + 1}-{done + len(some)}"
        try:
            connection.execute(inserting, [lines.row(line) for line in some])
        except (TypeError, ValueError, OverflowError) as error:
            raise StoreError(f"{where}: they cannot be read ({error}); take another copy of it") from None
        except DBAPIError as error:
            raise StoreError(f"{where}: {_name(connection.engine)} does not take them: {_reason(error)}") from None
        done += len(some)
        told(table.name, done)


def _batches(lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    """The lines in lists that fit into memory."""
    some: list[bytes] = []
    size = 0
    for line in lines:
        some.append(line)
        size += len(line)
        if len(some) == _ROWS or size >= _ROOM:
            yield some
            some, size = [], 0
    if some:
        yield some


def _count_on(connection: Connection, tables: Sequence[Table]) -> None:
    """Let what PostgreSQL numbers by itself be numbered from behind the restored rows."""
    for table in tables:
        for column in table.primary_key:
            if isinstance(column.type, Integer):
                name = connection.dialect.identifier_preparer.format_table(table)
                sequence = func.pg_get_serial_sequence(name, column.name)
                highest = select(func.max(column)).where(column > 0).scalar_subquery()
                connection.execute(select(func.setval(sequence, highest)))


def _name(engine: Engine) -> str:
    return f"database {shown(engine.url)}"


def _reason(error: DBAPIError) -> str:
    return str(error.orig).splitlines()[0]
