"""The database: an engine for its URL, brought to the newest schema by Alembic."""

import json
from importlib.resources import as_file, files
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlmodel import create_engine

from characterbox.errors import StoreError

_LOCKS = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(7242)"}
"""What keeps others out until the schema is up to date; who comes later finds it so."""


def open_engine(url: str) -> Engine:
    """An engine on the database at `url`, with its schema up to date.

    Raises StoreError if the URL is no URL of SQLite or PostgreSQL, or the database cannot be opened.
    """
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgresql", "postgres"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise ArgumentError("neither SQLite nor PostgreSQL")
        engine = create_engine(parsed, pool_pre_ping=True, json_serializer=_to_json)
    except (ArgumentError, NoSuchModuleError) as error:
        raise StoreError(f"database {_shown(url)}: {error}; give sqlite:///FILE or postgresql://...") from None
    try:
        if parsed.get_backend_name() == "sqlite":
            _prepare_sqlite(engine)
        _migrate(engine)
    except (DBAPIError, CommandError, OSError) as error:
        engine.dispose()
        reason = str(getattr(error, "orig", error)).splitlines()[0]
        raise StoreError(f"database {parsed.render_as_string()}: cannot be opened: {reason}") from None
    return engine


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(url: str) -> str:
    """The URL without anything that could be a password."""
    scheme, separator, _ = url.partition("://")
    return f"{scheme}://..." if separator else "..."


def _prepare_sqlite(engine: Engine) -> None:
    path = engine.url.database
    if path and path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)

    @event.listens_for(engine, "connect")
    def _set_pragmas(connection, _record) -> None:  # type: ignore[no-untyped-def]
        for pragma in ("busy_timeout=15000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")


def _migrate(engine: Engine) -> None:
    with as_file(files("characterbox.store").joinpath("migrations")) as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        newest = ScriptDirectory.from_config(config).get_current_head()
        with engine.connect() as connection:
            present = MigrationContext.configure(connection).get_current_revision()
        if present != newest:
            with engine.begin() as connection:
                connection.exec_driver_sql(_LOCKS[engine.dialect.name])
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
