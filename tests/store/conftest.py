"""The store on both databases."""

import itertools

import psycopg
import pytest

from characterbox.store import Store
from tests.fakes.postgres import cluster, why_not

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres():
    """The URL of a running PostgreSQL, with its database left open."""
    if reason := why_not():
        pytest.skip(reason)
    with cluster() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/deep/er/characterbox.db"
    postgres = request.getfixturevalue("postgres")
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres.format(database="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.format(database=name)


@pytest.fixture
def store(url):
    store = Store(url)
    yield store
    store.close()
