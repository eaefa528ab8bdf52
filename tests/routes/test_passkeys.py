"""Signing in by a passkey, and what is refused."""

import pytest

from characterbox.accounts.account import LOCAL
from tests.fakes.authenticator import Authenticator
from tests.routes.conftest import PASSWORD

pytestmark = pytest.mark.usefixtures("light")

SITE = "http://localhost"
HEADERS = {"Host": "localhost", "Origin": SITE, "Sec-Fetch-Site": "same-origin"}


def post(browser, path, **fields):
    return browser.post(path, json=fields, headers=HEADERS)


def come_in(browser, people, name, device):
    """Somebody with an account, a password and a passkey."""
    form = {"password": PASSWORD, "again": PASSWORD}
    assert browser.post(people.link(name), data=form, headers=HEADERS).status_code == 303
    asked = post(browser, "/account/passkeys/ask", now=PASSWORD).json()
    answer = device.make(asked["ask"]["challenge"], SITE)
    added = post(browser, "/account/passkeys", ticket=asked["ticket"], name="phone", credential=answer)
    assert added.status_code == 204, added.text


def sign_in(browser, device, origin=SITE, **more):
    asked = post(browser, "/passkeys/ask").json()
    credential = device.sign(asked["ask"]["challenge"], origin, **more)
    return post(browser, "/passkeys/sign-in", ticket=asked["ticket"], credential=credential).status_code


@pytest.fixture
def device(people, browser_of):
    device = Authenticator()
    come_in(browser_of(), people, "Ann", device)
    return device


def test_a_passkey_signs_in(client, device):
    assert sign_in(client, device) == 204


@pytest.mark.parametrize("how", [{"origin": "http://evil.example"}, {"site": "evil.example"}, {"flags": 0x01}])
def test_another_site_or_nobody_verified_is_refused(client, device, how):
    assert sign_in(client, device, **how) == 401


def test_an_answer_is_good_once(client, device):
    asked = post(client, "/passkeys/ask").json()
    fields = {"ticket": asked["ticket"], "credential": device.sign(asked["ask"]["challenge"], SITE)}
    assert [post(client, "/passkeys/sign-in", **fields).status_code for _ in range(2)] == [204, 401]


def test_a_count_that_goes_back_is_refused(client, device):
    assert sign_in(client, device) == 204
    device.count = 0
    assert sign_in(client, device) == 401


def test_another_key_does_not_sign_for_a_passkey(client, device):
    assert sign_in(client, Authenticator(device.id, 5)) == 401
    assert sign_in(client, Authenticator(b"unknown")) == 401


def test_who_is_disabled_is_refused(client, device, people):
    people.add("Root", "admin")
    people.store.accounts.disable(LOCAL, people.store.accounts.named("Ann").id)
    assert sign_in(client, device) == 401


def test_a_new_invitation_removes_passkeys(client, device, people, browser_of):
    form = {"password": PASSWORD, "again": PASSWORD}
    assert browser_of().post(people.link("Ann"), data=form, headers=HEADERS).status_code == 303
    assert sign_in(client, device) == 401


def test_adding_and_removing_take_the_password(people, browser_of):
    browser, device = browser_of(), Authenticator()
    come_in(browser, people, "Ann", device)
    assert post(browser, "/account/passkeys/ask", now="wrong").status_code == 401
    [passkey] = people.store.passkeys.of(people.store.accounts.named("Ann"))
    assert post(browser, "/account/passkeys/remove", id=passkey.id, now="wrong").status_code == 401
    assert sign_in(browser_of(), device) == 204
    assert post(browser, "/account/passkeys/remove", id=passkey.id, now=PASSWORD).status_code == 303
    assert sign_in(browser_of(), device) == 401
