"""The statements of docs/en/how-to/postgresql.md: the app works as a role that can change neither schema nor log."""

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from characterbox.accounts.account import LOCAL
from characterbox.errors import StoreError
from characterbox.store import Store
from tests.fakes.stories import a_story

pytestmark = [pytest.mark.process, pytest.mark.slow]

DATABASE = "characterbox"
TEXT = (Path(__file__).parents[2] / "docs/en/how-to/postgresql.md").read_text(encoding="utf-8")
SETTING_UP, GRANTS = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)
KEPT = re.findall(r"\w+", re.search(r"REVOKE UPDATE, DELETE ON (.*) FROM", GRANTS)[1])


def told(url: str, statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in filter(str.strip, statements.split(";")):
            connection.execute(statement)


@pytest.fixture(scope="module")
def roles(postgres) -> Iterator[tuple[str, str]]:
    """The URLs of a new database, for its owner and for the app."""
    superuser = postgres.format(database="postgres")
    told(superuser, SETTING_UP)
    url = postgres.format(database=DATABASE)
    yield url.replace("tester@", "characterbox_owner@"), url.replace("tester@", "characterbox_app@")
    told(superuser, f"DROP DATABASE {DATABASE} WITH (FORCE); DROP ROLE characterbox_app; DROP ROLE characterbox_owner")


@pytest.fixture(scope="module")
def app(roles) -> str:
    """The URL of the app's role, where the owner has brought the schema up to date; before that it is refused."""
    owner, app = roles
    with pytest.raises(StoreError, match=r"this database role may not change it; .* as the owner of its tables"):
        Store(app)
    Store(owner).close()
    for _ in range(2):
        told(owner, GRANTS)
    return app


def test_the_app_works_as_a_role_that_owns_nothing(app):
    store = Store(app)
    ann = store.accounts.add(LOCAL, "Ann", "expert")
    assert store.sessions.find(store.sessions.start(ann.id, "password")).account == ann
    assert [entry.action for entry in store.audit.read(2)] == ["session.started", "account.add"]
    story = a_story(store)
    store.families.delete(LOCAL, story.id)
    store.close()
    Store(app).close()


def test_its_logs_are_all_that_the_schema_keeps(app):
    with psycopg.connect(app) as connection:
        rows = connection.execute("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%\\_kept'")
        assert {name for (name,) in rows} == {*KEPT}


@pytest.mark.parametrize(
    "statement",
    [
        *(f"DELETE FROM {name}" for name in KEPT),
        "UPDATE audit SET actor_name = 'Eve'",
        "TRUNCATE audit",
        "ALTER TABLE audit DISABLE TRIGGER audit_kept",
        "SET session_replication_role = replica",
        "CREATE TABLE mine (x int)",
        "UPDATE alembic_version SET version_num = '0001'",
        "CREATE ROLE eve SUPERUSER",
        "CREATE DATABASE eve",
        "CREATE TEMPORARY TABLE mine (x int)",
        "COPY audit TO PROGRAM 'cat'",
        "SELECT pg_read_file('/etc/passwd')",
    ],
)
def test_it_may_do_nothing_else(app, statement):
    with psycopg.connect(app, autocommit=True) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute(statement)
