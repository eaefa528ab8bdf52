"""Who may do what, written out."""

import pytest

from characterbox.accounts.account import COMMAND_LINE, LOCAL, ROLE_NAMES, ROLES, Account
from characterbox.accounts.permissions import MAY, MENU, PAGES, TITLES, may, menu_of, pages_of, require
from characterbox.errors import NotAllowed
from characterbox.store.tables.columns import now

ACTS = {
    "admin": {"watch", "direct", "rate", "administer"},
    "researcher": {"watch", "direct", "rate"},
    "expert": {"rate"},
    "viewer": {"watch"},
}
STARTS = {"admin": "stage", "researcher": "stage", "expert": "annotate", "viewer": "playback"}


def account(role, **other):
    return Account(id="0123456789ab", name="Ann", role=role, **other)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_do_its_acts_and_no_others(role):
    assert {act for act in MAY if may(account(role), act)} == ACTS[role]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_a_page_to_start_on(role):
    assert pages_of(account(role))[0] == STARTS[role]


def test_each_role_and_page_has_a_name():
    assert ROLE_NAMES.keys() == set(ROLES)
    assert TITLES.keys() == PAGES.keys()


def test_experts_rate_and_viewers_read():
    assert pages_of(account("expert")) == ["annotate"]
    assert pages_of(account("viewer")) == ["playback", "scenes", "roles"]
    assert "admin" not in pages_of(account("researcher"))
    assert "admin" in pages_of(account("admin"))


@pytest.mark.parametrize("role", ROLES)
def test_the_menu_has_the_pages_of_a_role_and_no_empty_group(role):
    menu = menu_of(account(role))
    assert [page for pages in menu.values() for page in pages] == pages_of(account(role))
    assert all(menu.values())
    assert [*menu] == [group for group in MENU if group in menu], "in order"


def test_groups_of_each_role():
    assert menu_of(account("viewer")) == {"Watch": ["playback", "scenes", "roles"]}
    assert menu_of(account("expert")) == {"Rate": ["annotate"]}
    assert [*menu_of(account("researcher"))] == ["Watch", "Rate", "Measure", "Models"]
    assert menu_of(account("admin"))["Accounts"] == ["admin"]


@pytest.mark.parametrize("role", ROLES)
def test_who_is_disabled_may_do_nothing(role):
    assert pages_of(account(role, disabled_at=now())) == []
    assert menu_of(account(role, disabled_at=now())) == {}


def test_who_needs_no_account_may_do_everything():
    for who in (LOCAL, COMMAND_LINE):
        assert all(may(who, act) for act in MAY)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("act", MAY)
def test_who_may_not_is_refused_by_name_and_told_whom_to_ask(role, act):
    if act in ACTS[role]:
        require(account(role), act)
        return
    with pytest.raises(NotAllowed, match=r"Ann is not allowed to .* ask"):
        require(account(role), act)
