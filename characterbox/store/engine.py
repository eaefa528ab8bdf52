"""The database: an engine for its URL, brought to the newest schema by Alembic; statements in batches."""

import json
import os
import re
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import URL, Connection, Engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlmodel import create_engine

from characterbox.atomic_file import make_private_file
from characterbox.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config

BASELINE = "0022"
"""The oldest schema that is read; earlier ones were never released."""
_REVISION = re.compile(r'^(down_)?revision\b[^=\n]*= "([^"]+)"', re.MULTILINE)


@contextmanager
def migrations() -> Iterator["Config"]:
    """The configuration of Alembic; with `attributes["connection"]` set, its commands work on that connection."""
    from alembic.config import Config  # noqa: PLC0415 - a quarter of a second, for a database that is up to date

    with as_file(files("characterbox.store").joinpath("migrations")) as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        yield config


@cache
def newest() -> str:
    """The newest schema, which no migration goes on from; read without Alembic, as each start asks for it."""
    versions = files("characterbox.store").joinpath("migrations", "versions")
    texts = [file.read_text(encoding="utf-8") for file in versions.iterdir() if file.name.endswith(".py")]
    found = [match for text in texts for match in _REVISION.finditer(text)]
    continued = {match[2] for match in found if match[1]}
    [last] = {match[2] for match in found if not match[1]} - continued
    return last


def unknown_schema(revision: str) -> str:
    """Why a database or an archive with a schema that this version does not have cannot be used, and what to do."""
    if revision < BASELINE:
        return (
            f"it is of an early CharacterBox (schema {revision}), older than any that this version reads; open or "
            f"restore it once with commit 44393ef of CharacterBox, which brings it to schema {BASELINE}"
        )
    return f"it was made by a newer CharacterBox (schema {revision}); update this one"


T = TypeVar("T")


def portions(things: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """The things in order, at most so many at a time."""
    for start in range(0, len(things), most):
        yield things[start : start + most]


_PATIENCE = 15
"""Seconds to wait for others who write to an SQLite file."""
_DRIVERS = {
    "sqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
"""What a URL may begin with, and the driver that is taken for it."""
_LOCKS = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(7242)"}
"""What keeps others out until the schema is up to date; who comes later finds it so."""

_NEAR = ("", "localhost", "127.0.0.1", "::1")
_PORT = re.compile(r"^([^:]*):[0-9]+$")
_CHECKED = ("verify-ca", "verify-full")
"""What `sslmode` is where the server's certificate is checked."""
_NOT_ALLOWED = "42501"
"""SQLSTATE of what a role has no right to."""

_MANNERS: dict[str, dict[str, Any]] = {
    "sqlite": {},
    "postgresql": {
        "pool_pre_ping": True,
        "connect_args": {"keepalives_idle": 60, "keepalives_interval": 15, "keepalives_count": 4},
    },
}
"""Connections to a server can break while they idle: they are kept busy, and looked at before use."""


def open_engine(url: str) -> Engine:
    """An engine on the database at `url`, with its schema up to date.

    Raises StoreError if the URL is no URL of an SQLite file or of PostgreSQL, or the database cannot be opened.
    """
    try:
        parsed = _parsed(url)
        engine = create_engine(parsed, json_serializer=_to_json, **_MANNERS[parsed.get_backend_name()])
    except ArgumentError as error:
        raise StoreError(f"database {_shown(url)}: {error}; give sqlite:///FILE or postgresql://...") from None
    try:
        if parsed.get_backend_name() == "sqlite":
            _prepare_sqlite(engine)
        _migrate(engine)
    except (DBAPIError, StoreError, OSError) as error:
        engine.dispose()
        reason = str(getattr(error, "orig", error)).splitlines()[0]
        raise StoreError(f"database {shown(parsed)}: cannot be opened: {reason}") from None
    return engine


def files_of(url: str) -> list[Path]:
    """The files that an SQLite database is in; none for a database on a server."""
    file = url.removeprefix("sqlite:///")
    return [] if file == url else [Path(file + ending) for ending in ("", "-wal", "-shm")]


def shown(url: URL) -> str:
    """A URL as it may be told: without passwords, of which PostgreSQL takes some as parameters, too."""
    hidden = {name: "***" for name in url.query if "password" in name}
    return url.update_query_dict(hidden).render_as_string()


def can_be_read_on_the_way(url: str) -> bool:
    """Whether the database is a PostgreSQL beyond this computer whose certificate is not checked."""
    try:
        parsed = _parsed(url)
    except ArgumentError:  # which is told where it is opened
        return False
    if parsed.get_backend_name() != "postgresql":
        return False
    told = {name: ",".join(values) for name, values in parsed.normalized_query.items()}
    hosts = parsed.host or told.get("hostaddr") or told.get("host") or os.environ.get("PGHOST", "")
    near = all(_PORT.sub(r"\1", host) in _NEAR or host.startswith(("/", "@")) for host in hosts.split(","))
    return not near and (told.get("sslmode") or os.environ.get("PGSSLMODE")) not in _CHECKED


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ValueError:  # its text may be a part of the password
        raise ArgumentError("the host or port cannot be read") from None
    if "@" in f"{parsed.host}{parsed.database if parsed.drivername != 'sqlite' else ''}":  # a part of the password
        raise ArgumentError("a name or password has a sign in it that must be written as %40 (@), %3A (:) or %2F (/)")
    if parsed.drivername not in _DRIVERS:
        raise ArgumentError("neither SQLite nor PostgreSQL, with the driver that is used here")
    if parsed.drivername == "sqlite":
        if not (parsed.database or "").strip() or parsed.database == ":memory:":
            raise ArgumentError("it names no file")
        if url != f"sqlite:///{parsed.database}":
            raise ArgumentError("an SQLite file has no host and no parameters")
    return parsed.set(drivername=_DRIVERS[parsed.drivername])


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(url: str) -> str:
    """The URL without anything that could be a password."""
    scheme, separator, _ = url.partition("://")
    return f"{scheme}://..." if separator else "..."


def _prepare_sqlite(engine: Engine) -> None:
    make_private_file(Path(engine.url.database or ""))  # SQLite gives the files beside it the same mode

    @event.listens_for(engine, "connect")
    def _set_pragmas(connection, _record) -> None:  # type: ignore[no-untyped-def]
        connection.execute(f"PRAGMA busy_timeout={_PATIENCE * 1000}")
        _turn_to_wal(connection)
        for pragma in ("synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")


def _turn_to_wal(connection: sqlite3.Connection) -> None:
    """Of several who do this to a new file at once, SQLite refuses all but one at once, whatever the timeout."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _migrate(engine: Engine) -> None:
    with engine.connect() as connection:
        present = _schema_of(connection)
    if present != newest():
        _upgrade(engine, present)


def _schema_of(connection: Connection) -> str | None:
    """The schema of the database; None where it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(engine: Engine, present: str | None) -> None:
    # Alembic takes a quarter of a second, which a database that is up to date need not wait for.
    from alembic import command  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    with migrations() as config, engine.begin() as connection:
        connection.exec_driver_sql(_LOCKS[engine.dialect.name])
        _check_ours(connection, {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()})
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise StoreError(str(error)) from None
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _NOT_ALLOWED:
                raise
            raise StoreError(
                "its schema version is {present}, but {newest} is needed, and this database role may not change"
                " it; update it as the owner of its tables (docs/en/how-to/postgresql.md)",
                present=present or "none",
                newest=newest(),
            ) from None


def _check_ours(connection: Connection, known: Collection[str]) -> None:
    """Raises StoreError unless the database is empty or of a schema that this version knows."""
    present = _schema_of(connection)
    if present is None:
        if set(inspect(connection).get_table_names()) - {"alembic_version"}:
            raise StoreError("it contains tables that do not belong to CharacterBox; choose another file or database")
    elif present not in known:
        raise StoreError(unknown_schema(present))
