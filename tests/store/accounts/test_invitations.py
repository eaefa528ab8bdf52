"""Links of invitation: each is good once, for a week."""

from datetime import timedelta

import pytest
from sqlalchemy import create_engine, select, update

from characterbox.accounts.account import COMMAND_LINE, LOCAL
from characterbox.errors import AccountError
from characterbox.store.tables.accounts import InvitationRow
from characterbox.store.tables.columns import now, table_of

INVITATION = table_of(InvitationRow)


@pytest.fixture
def ann(store):
    return store.accounts.add(LOCAL, "Ann", "expert")


@pytest.fixture
def engine(url, store):
    """A way to the database past the store."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


def test_it_sets_a_password_and_signs_in(store, ann):
    token = store.invitations.make(COMMAND_LINE, ann.id)
    invitation = store.invitations.find(token)
    assert (invitation.account, invitation.state) == (ann, "open")
    assert timedelta(days=6, hours=23) < invitation.expires_at - now() <= timedelta(days=7)
    cookie = store.accounts.accept(token, "a hash")
    assert store.sessions.find(cookie).account.id == ann.id
    assert store.accounts.password_of("Ann")[1] == "a hash"


def test_it_is_good_once(store, ann):
    token = store.invitations.make(LOCAL, ann.id)
    store.accounts.accept(token, "a hash")
    assert store.invitations.find(token).state == "used"
    with pytest.raises(AccountError, match="ask the sender for a new one"):
        store.accounts.accept(token, "another hash")
    assert store.accounts.password_of("Ann")[1] == "a hash"


def test_a_new_link_takes_the_place_of_the_old_one_and_ends_sessions(store, ann):
    first = store.invitations.make(LOCAL, ann.id)
    cookie = store.accounts.accept(first, "a hash")
    second, third = store.invitations.make(LOCAL, ann.id), store.invitations.make(LOCAL, ann.id)
    assert [store.invitations.find(token).state for token in (first, second, third)] == ["used", "used", "open"]
    assert store.sessions.find(cookie) is not None  # until the link is used
    store.accounts.accept(third, "another hash")
    assert store.sessions.find(cookie) is None


def test_it_expires(store, ann, engine):
    token = store.invitations.make(LOCAL, ann.id, days=1)
    with engine.begin() as connection:
        connection.execute(update(INVITATION).values(expires_at=now() - timedelta(seconds=1)))
    assert store.invitations.find(token).state == "expired"
    with pytest.raises(AccountError, match="can no longer be used"):
        store.accounts.accept(token, "a hash")


def test_who_is_disabled_can_not_use_it_and_gets_none(store, ann):
    token = store.invitations.make(LOCAL, ann.id)
    store.accounts.disable(LOCAL, ann.id)
    assert store.invitations.find(token).state == "used"
    with pytest.raises(AccountError, match="Ann is disabled"):
        store.invitations.make(LOCAL, ann.id)
    store.accounts.enable(LOCAL, ann.id)
    assert store.invitations.find(token).state == "used"


@pytest.mark.parametrize("token", ["", "nothing", "\ud800"])
def test_an_unknown_link_is_no_link(store, ann, token):
    store.invitations.make(LOCAL, ann.id)
    assert store.invitations.find(token) is None
    with pytest.raises(AccountError, match="can no longer be used"):
        store.accounts.accept(token, "a hash")


def test_nobody_is_invited_without_an_account(store):
    with pytest.raises(AccountError, match="does not exist"):
        store.invitations.make(LOCAL, "000000000000")


def test_the_secret_is_nowhere_in_the_database(store, ann, engine):
    token = store.invitations.make(LOCAL, ann.id)
    with engine.connect() as connection:
        rows = connection.execute(select(INVITATION)).all()
    assert token not in str(rows)
    assert token not in str(store.audit.read(9))
