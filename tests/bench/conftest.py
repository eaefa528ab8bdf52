"""Empty databases of both kinds, for processes that share one."""

import itertools

import psycopg
import pytest

from tests.fakes.mock_server import mock_server
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
def database(request, tmp_path):
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/shared.db"
    postgres = request.getfixturevalue("postgres")
    name = f"bench_{next(_numbers)}"
    with psycopg.connect(postgres.format(database="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.format(database=name)


@pytest.fixture
def server():
    with mock_server(latency=0.01) as server:
        yield server
