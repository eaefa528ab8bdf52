"""The store on both databases."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from characterbox.store import Store
from tests.fakes.databases import database_in
from tests.fakes.postgres import cluster, why_not

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres():
    """The URL of a running PostgreSQL, with its database left open."""
    if reason := why_not():
        pytest.skip(reason)
    with cluster() as url:
        yield url


@pytest.fixture(scope="session")
def template(postgres):
    """The name of a database of that PostgreSQL that was migrated."""
    with _database(postgres, "template1", "migrated") as url:
        Store(url).close()
        yield "migrated"


@contextmanager
def _database(postgres: str, template: str, name: str) -> Iterator[str]:
    with psycopg.connect(postgres.format(database="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
    yield postgres.format(database=name)
    with psycopg.connect(postgres.format(database="postgres"), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request):
    return request.param


@pytest.fixture
def url(request, kind, tmp_path):
    """The URL of an empty database with the newest schema."""
    if kind == "sqlite":
        yield database_in(tmp_path / "characterbox.db")
    else:
        template = request.getfixturevalue("template")
        with _database(request.getfixturevalue("postgres"), template, f"test_{next(_numbers)}") as url:
            yield url


@pytest.fixture
def bare_url(request, kind, tmp_path):
    """The URL of a database without a schema; of SQLite, its folder is still to be made, too."""
    if kind == "sqlite":
        yield f"sqlite:///{tmp_path}/deep/er/characterbox.db"
    else:
        with _database(request.getfixturevalue("postgres"), "template1", f"test_{next(_numbers)}") as url:
            yield url
