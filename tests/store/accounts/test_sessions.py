"""Who is signed in: through restarts, until it is over."""

from datetime import timedelta

import pytest
from sqlalchemy import create_engine, select, update

from characterbox.accounts.account import LOCAL
from characterbox.accounts.credentials import digest, signed
from characterbox.store import Store
from characterbox.store.tables.accounts import SecretRow, SessionRow
from characterbox.store.tables.columns import now, table_of

SESSION = table_of(SessionRow)


@pytest.fixture
def ann(store):
    return store.accounts.add(LOCAL, "Ann", "expert")


@pytest.fixture
def engine(url, store):
    """A way to the database past the store."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


def ends_in(store, engine, time):
    """Let all sessions end in this time."""
    with engine.begin() as connection:
        connection.execute(update(SESSION).values(expires_at=now() + time))
    store.sessions.forget()


def test_who_is_signed_in_is_found_again_after_a_restart(url, store, ann):
    cookie = store.sessions.start(ann.id, "password")
    assert store.sessions.find(cookie).account == ann
    store.close()
    again = Store(url)
    session = again.sessions.find(cookie)
    again.close()
    assert session.account == ann
    assert timedelta(days=29, hours=23) < session.expires_at - now() <= timedelta(days=30)
    assert not session.is_to_be_extended


def test_the_database_does_not_have_what_the_cookie_has(store, engine, ann):
    cookie = store.sessions.start(ann.id, "password")
    token = store.sessions.find(cookie).token
    with engine.connect() as connection:
        row = connection.execute(select(SESSION)).mappings().one()
    assert row["token_hash"] == digest(token)
    assert token not in str(row)


@pytest.mark.parametrize("wrong", ["", "nothing", "ImEi.AAAA", "\ud800", "🙂"])
def test_a_cookie_that_was_not_made_here_is_nobodys(store, ann, wrong):
    store.sessions.start(ann.id, "password")
    assert store.sessions.find(wrong) is None


def test_a_cookie_needs_the_signature(store, ann):
    cookie = store.sessions.start(ann.id, "password")
    token = store.sessions.find(cookie).token
    assert store.sessions.find(token) is None
    assert store.sessions.find(signed(token, "another key")) is None
    assert store.sessions.find(store.sessions.cookie("another token")) is None
    assert store.sessions.find(store.sessions.cookie(token)).account == ann


def test_the_key_is_made_once_by_whoever_is_first(url, store, engine):
    other = Store(url)
    assert store.sessions.key() == other.sessions.key() == store.sessions.key()
    other.close()
    with engine.connect() as connection:
        assert connection.execute(select(table_of(SecretRow))).all() == [("cookies", store.sessions.key())]
    assert len(store.sessions.key()) == 64


def test_signing_out_ends_one_session(store, ann):
    here, there = store.sessions.start(ann.id, "password"), store.sessions.start(ann.id, "password")
    store.sessions.end(store.sessions.find(here))
    assert store.sessions.find(here) is None
    assert store.sessions.find(there).account == ann


def test_another_password_ends_the_other_sessions(store, ann):
    here, there = store.sessions.start(ann.id, "password"), store.sessions.start(ann.id, "password")
    store.sessions.find(there)  # is remembered for a while
    store.accounts.change_password(store.sessions.find(here), "a hash")
    assert store.sessions.find(here).account.id == ann.id
    assert store.sessions.find(there) is None


def test_who_is_disabled_is_out_at_once_and_for_good(store, ann):
    cookie = store.sessions.start(ann.id, "password")
    assert store.sessions.find(cookie).account == ann
    store.accounts.disable(LOCAL, ann.id)
    assert store.sessions.find(cookie) is None
    store.accounts.enable(LOCAL, ann.id)
    assert store.sessions.find(cookie) is None


def test_another_role_holds_at_once(store, ann):
    cookie = store.sessions.start(ann.id, "password")
    assert store.sessions.find(cookie).account.role == "expert"
    store.accounts.change_role(LOCAL, ann.id, "viewer")
    assert store.sessions.find(cookie).account.role == "viewer"


def test_a_session_ends_by_itself_unless_it_is_extended(store, engine, ann):
    cookie = store.sessions.start(ann.id, "password")
    ends_in(store, engine, timedelta(days=3))
    session = store.sessions.find(cookie)
    assert session.is_to_be_extended
    assert store.sessions.extend(session) == cookie
    assert not store.sessions.find(cookie).is_to_be_extended
    ends_in(store, engine, timedelta(seconds=-1))
    assert store.sessions.find(cookie) is None


def test_what_another_process_ends_is_over_soon(url, store, ann, monkeypatch):
    cookie = store.sessions.start(ann.id, "password")
    other = Store(url)
    assert store.sessions.find(cookie).account == ann
    other.sessions.end(other.sessions.find(cookie))
    other.close()
    monkeypatch.setattr("characterbox.store.accounts.sessions._FRESH", 0.0)
    assert store.sessions.find(cookie) is None
