"""Trying to sign in gets slower, and a restart does not help."""

from datetime import timedelta

import pytest
from sqlalchemy import create_engine, select, update

from characterbox.accounts.login_throttle import key_of_address, key_of_name
from characterbox.store import Store
from characterbox.store.tables.accounts import ThrottleRow
from characterbox.store.tables.columns import now, table_of

THROTTLE = table_of(ThrottleRow)
ANN, BOB, HERE, THERE = key_of_name("Ann"), key_of_name("Bob"), key_of_address("10.0.0.1"), key_of_address("10.0.0.2")
NONE = timedelta(0)


@pytest.fixture
def engine(url, store):
    """A way to the database past the store."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


def failures(engine):
    with engine.connect() as connection:
        return dict(connection.execute(select(THROTTLE.c.key, THROTTLE.c.failures)).all())


def later(engine, time):
    """Let so much time go by."""
    with engine.begin() as connection:
        connection.execute(update(THROTTLE).values(last_at=now() - time))


def test_after_five_failures_one_waits_longer_and_longer(store, engine):
    assert [store.throttles.attempt(ANN, HERE) for _ in range(5)] == [NONE] * 5
    for wait in (1, 2, 4):
        told = store.throttles.attempt(ANN, THERE)
        assert timedelta(seconds=wait - 1) < told <= timedelta(seconds=wait)
        later(engine, timedelta(seconds=wait, milliseconds=1))
        assert store.throttles.attempt(ANN, HERE) == NONE
    assert failures(engine) == {ANN: 8, HERE: 8}
    assert store.throttles.attempt(BOB, HERE) == NONE


def test_a_restart_forgives_nothing(url, store, engine):
    for _ in range(5):
        store.throttles.attempt(ANN, HERE)
    later(engine, -timedelta(seconds=30))
    store.close()
    again = Store(url)
    assert again.throttles.attempt(ANN, HERE) > NONE
    again.close()


def test_an_address_that_tries_many_names_waits_too(store):
    names = [key_of_name(f"name {number}") for number in range(101)]
    assert [store.throttles.attempt(name, HERE) for name in names[:100]] == [NONE] * 100
    assert store.throttles.attempt(names[100], HERE) > NONE
    assert store.throttles.attempt(names[100], THERE) == NONE


def test_success_forgives_the_name_and_counts_for_nothing_at_the_address(store, engine):
    store.throttles.attempt(BOB, HERE)
    for _ in range(4):
        store.throttles.attempt(ANN, HERE)
    store.throttles.succeeded(ANN, HERE)
    assert failures(engine) == {BOB: 1, HERE: 4}


def test_failures_of_long_ago_are_forgotten(store, engine):
    for _ in range(7):
        store.throttles.attempt(ANN, HERE)
    later(engine, timedelta(days=1, seconds=1))
    assert store.throttles.attempt(BOB, THERE) == NONE
    assert failures(engine) == {BOB: 1, THERE: 1}


def test_admins_see_what_failed_in_the_last_day(store, engine):
    store.throttles.attempt(BOB, THERE)
    later(engine, timedelta(days=1, seconds=1))
    with engine.connect() as connection:  # what nobody has tried since is still there, and not told of
        assert connection.execute(select(THROTTLE.c.key)).all()
    assert store.throttles.failures() == []
    for _ in range(3):
        store.throttles.attempt(ANN, HERE)
    store.throttles.attempt(BOB, HERE)
    assert [(one.key, one.count) for one in store.throttles.failures()] == [(HERE, 4), (ANN, 3), (BOB, 1)]
    store.throttles.succeeded(BOB, HERE)
    assert [(one.key, one.count) for one in store.throttles.failures()] == [(HERE, 3), (ANN, 3)]
    assert now() - store.throttles.failures()[0].last < timedelta(minutes=1)
