"""The log of changes: who did what, in order; and nobody can change it, not even with SQL."""

from datetime import timedelta

import pytest
from sqlalchemy import create_engine, insert, select, text
from sqlalchemy.exc import DBAPIError

from characterbox.accounts.account import COMMAND_LINE, LOCAL, THE_APP
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.accounts import AuditPruningRow, AuditRow
from characterbox.store.tables.columns import now, table_of


@pytest.fixture
def engine(url, store):
    """A way to the database past the store."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


def write(engine, *actions):
    with engine.begin() as connection:
        for action in actions:
            record(connection, LOCAL, action, "somebody", {"to": "扮演", "n": 1})


def test_it_is_read_newest_first_and_in_parts(store, engine):
    write(engine, "a.one", "a.two", "a.three")
    newest = store.audit.read(2)
    assert [entry.action for entry in newest] == ["a.three", "a.two"]
    (oldest,) = store.audit.read(2, before=newest[-1].id)
    assert (oldest.action, oldest.subject, oldest.detail) == ("a.one", "somebody", {"to": "扮演", "n": 1})
    assert (oldest.actor, oldest.actor_name) == (None, LOCAL.name)
    assert oldest.at.utcoffset().total_seconds() == 0
    assert store.audit.read(2, before=oldest.id) == []


def test_an_entry_goes_with_its_change(store, engine):
    with engine.connect() as connection:
        record(connection, COMMAND_LINE, "a.one", "somebody", {})
        connection.rollback()
    assert store.audit.read(1) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET action = 'a.lie'",
        "UPDATE audit SET at = at WHERE id = 1",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE id = 1",
    ],
)
def test_the_database_refuses_to_change_it(store, engine, statement):
    write(engine, "a.one")
    before = store.audit.read(9)
    with pytest.raises(DBAPIError, match="only added to"), engine.begin() as connection:
        connection.execute(text(statement))
    assert store.audit.read(9) == before


REPLACING = "INTO audit (id, at, actor, actor_name, action, subject, detail) SELECT id, at, NULL, '', 'a.lie', '', '{}'"


def test_a_row_cannot_be_put_in_place_of_another(store, engine):
    write(engine, "a.one")
    before = store.audit.read(9)
    if engine.dialect.name == "sqlite":
        statements = [f"INSERT OR REPLACE {REPLACING} FROM audit", f"REPLACE {REPLACING} FROM audit"]
    else:
        statements = [
            "TRUNCATE audit",
            f"INSERT {REPLACING} FROM audit ON CONFLICT (id) DO UPDATE SET action = 'a.lie'",
        ]
    for statement in statements:
        with pytest.raises(DBAPIError, match="only added to"), engine.begin() as connection:
            connection.execute(text(statement))
    assert store.audit.read(9) == before
    with engine.connect() as connection:
        assert connection.execute(select(table_of(AuditRow).c.action)).scalars().all() == ["a.one"]


def put_in(engine, action, age):
    """An entry of so many days ago."""
    with engine.begin() as connection:
        values = {"at": now() - timedelta(days=age), "actor_name": "Ann", "action": action}
        connection.execute(insert(table_of(AuditRow)), {**values, "subject": "", "detail": {}})


def test_what_is_older_than_is_set_goes_and_the_log_says_so(store, engine):
    for action, age in (("a.old", 31), ("a.older", 400), ("a.young", 29)):
        put_in(engine, action, age)
    assert store.audit.prune(30) == 2
    pruned, kept = store.audit.read(9)
    assert (pruned.action, pruned.actor_name, pruned.detail["entries"]) == ("log.pruned", THE_APP.name, 2)
    assert kept.action == "a.young"
    assert store.audit.prune(30) == 0
    assert len(store.audit.read(9)) == 2


def test_after_pruning_the_database_refuses_as_before(store, engine):
    put_in(engine, "a.old", 31)
    store.audit.prune(30)
    put_in(engine, "a.old", 31)
    with pytest.raises(DBAPIError, match="only added to"), engine.begin() as connection:
        connection.execute(text("DELETE FROM audit WHERE action = 'a.old'"))
    assert [entry.action for entry in store.audit.read(9)] == ["a.old", "log.pruned"]


def test_what_is_younger_than_what_is_announced_is_not_deleted(store, engine):
    put_in(engine, "a.old", 31)
    put_in(engine, "a.young", 1)
    with engine.connect() as connection:
        connection.execute(insert(table_of(AuditPruningRow)).values(before=now() - timedelta(days=30)))
        with pytest.raises(DBAPIError, match="only added to"):
            connection.execute(text("DELETE FROM audit"))
        connection.rollback()
    assert [entry.action for entry in store.audit.read(9)] == ["a.young", "a.old"]
