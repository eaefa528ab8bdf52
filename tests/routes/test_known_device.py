"""Strangers who fail to sign in keep nobody out of a browser in which the person has signed in before."""

import pytest

from characterbox.accounts.credentials import COOKIE
from characterbox.accounts.session_user import DEVICE_COOKIE
from tests.routes.conftest import OURS, PASSWORD

pytestmark = pytest.mark.usefixtures("light")

OTHER = "another horse entirely"


@pytest.fixture
def known(people, browser_of):
    """A browser in which Ann has been signed in, and is so no longer."""
    return come_in(browser_of(), people.link("Ann"))


def come_in(browser, link, password=PASSWORD):
    """Use an invitation, and sign out."""
    assert browser.post(link, data={"password": password, "again": password}, headers=OURS).status_code == 303
    assert browser.post("/sign-out", headers=OURS).status_code == 303
    return browser


def tries(browser, password=PASSWORD, name="Ann"):
    return browser.post("/sign-in", json={"name": name, "password": password}, headers=OURS).status_code


def attack(browser, name="Ann"):
    """Fail until one has to wait."""
    while tries(browser, "wrong", name) != 429:
        pass


def test_strangers_do_not_keep_the_owner_out_of_a_known_browser(known, browser_of):
    attack(browser_of())
    assert tries(browser_of()) == 429
    assert tries(known) == 204
    assert tries(browser_of()) == 429  # what was forgiven is what failed in this browser


def test_nor_does_an_address_that_is_slowed_down(known, browser_of, people):
    stranger = browser_of()
    for number in range(100):
        assert tries(stranger, "wrong", f"name {number}") == 401
    assert tries(stranger, PASSWORD) == 429
    assert tries(known) == 204


def test_failures_in_a_known_browser_count_there_alone(known, browser_of):
    for _ in range(5):
        assert tries(known, "wrong") == 401
    assert tries(known) == 429
    assert tries(browser_of()) == 204


def test_whoever_took_the_cookie_is_slowed_down_by_its_own_count(known, browser_of):
    thief = browser_of()
    thief.cookies.set(DEVICE_COOKIE, known.cookies[DEVICE_COOKIE])
    assert thief.get("/annotate").status_code == 303  # it lets nobody in
    for _ in range(5):
        assert tries(thief, "wrong") == 401
    thief.cookies.set(DEVICE_COOKIE, known.cookies[DEVICE_COOKIE])
    assert tries(thief) == 429


def test_signing_in_again_gives_the_browser_no_second_count(known, browser_of):
    before = known.cookies[DEVICE_COOKIE]
    assert tries(known) == 204
    other = browser_of()
    other.cookies.set(DEVICE_COOKIE, before)
    for _ in range(5):
        assert tries(other, "wrong") == 401
    assert tries(known) == 429


def test_a_browser_that_knows_bob_is_a_stranger_to_ann(known, browser_of, people):
    bobs = come_in(browser_of(), people.link("Bob"))
    attack(browser_of())
    assert tries(bobs) == 429
    assert tries(bobs, name="Bob") == 204


def test_another_password_makes_cookies_from_before_void(known, browser_of):
    elsewhere = browser_of()
    assert tries(elsewhere) == 204
    assert tries(known) == 204
    form = {"now": PASSWORD, "password": OTHER, "again": OTHER}
    assert known.post("/account", data=form, headers=OURS).status_code == 200
    attack(browser_of())
    assert tries(elsewhere, OTHER) == 429
    assert tries(known, OTHER) == 204  # where it was changed, the account is known with it


def test_a_new_invitation_makes_them_void_too(known, browser_of, people):
    fresh = come_in(browser_of(), people.link("Ann"), OTHER)
    attack(browser_of())
    assert tries(known, OTHER) == 429
    assert tries(fresh, OTHER) == 204


def test_strangers_do_not_keep_one_from_changing_the_password(known, browser_of):
    assert tries(known) == 204
    attack(browser_of())
    form = {"now": PASSWORD, "password": OTHER, "again": OTHER}
    assert known.post("/account", data=form, headers=OURS).status_code == 200


@pytest.mark.parametrize("name", ["Ann", "Nobody"])
def test_a_cookie_that_is_nobodys_changes_no_answer(known, browser_of, name):
    browser = browser_of()
    browser.cookies.set(DEVICE_COOKIE, "nonsense")
    browser.cookies.set(COOKIE, "nonsense")
    assert [tries(browser, "wrong", name) for _ in range(6)] == [401] * 5 + [429]
