"""Signing in by a passkey, and what is refused."""

import json

import pytest

from characterbox.accounts.account import LOCAL, NOBODY
from characterbox.store.accounts.audit_log import Wanted
from tests.fakes.authenticator import Authenticator, text_of
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


@pytest.mark.parametrize(
    "told", ["[" * 2_000, "1", '"text"', "{}", "\ud800", "\0"], ids=["deep", "number", "text", "{}", "half", "zero"]
)
def test_what_is_no_answer_is_refused_and_not_a_failure(client, device, people, browser_of, told):
    browser = browser_of()
    come_in(browser, people, "Bea", Authenticator(b"another"))
    parts = ("clientDataJSON", "authenticatorData", "signature", "attestationObject")
    whole = {"id": text_of(device.id), "rawId": text_of(device.id), "type": "public-key"}
    inner = dict.fromkeys(parts, text_of(told.encode("utf-8", "surrogatepass")))
    for credential in (told, json.dumps({**whole, "response": inner}), json.dumps({**whole, "id": told})):
        ticket = post(client, "/passkeys/ask").json()["ticket"]
        assert sent(client, "/passkeys/sign-in", ticket=ticket, credential=credential) in (401, 422)
        ticket = post(browser, "/account/passkeys/ask", now=PASSWORD).json()["ticket"]
        assert sent(browser, "/account/passkeys", ticket=ticket, credential=credential) == 422
    assert sign_in(client, device) == 204


def test_the_name_of_a_passkey_is_what_can_be_written_of_it(people, browser_of):
    browser, device = browser_of(), Authenticator()
    form = {"password": PASSWORD, "again": PASSWORD}
    browser.post(people.link("Ann"), data=form, headers=HEADERS)
    asked = post(browser, "/account/passkeys/ask", now=PASSWORD).json()
    fields = {"ticket": asked["ticket"], "credential": device.make(asked["ask"]["challenge"], SITE)}
    assert sent(browser, "/account/passkeys", **fields, name="my \ud800\0 phone") == 204
    assert [one.name for one in people.store.passkeys.of(people.store.accounts.named("Ann"))] == ["my phone"]


def sent(browser, path, **fields):
    """The status of the answer to a form with any characters, as JSON can write them."""
    headers = {**HEADERS, "Content-Type": "application/json"}
    return browser.post(path, content=json.dumps(fields), headers=headers).status_code


def test_a_count_that_goes_back_is_refused(client, device):
    assert sign_in(client, device) == 204
    device.count = 0
    assert sign_in(client, device) == 401


def test_another_key_does_not_sign_for_a_passkey(client, device):
    assert sign_in(client, Authenticator(device.id, 5)) == 401
    assert sign_in(client, Authenticator(b"unknown")) == 401


def test_who_fails_to_sign_in_with_a_passkey_is_in_the_log(client, device, people):
    assert sign_in(client, Authenticator(device.id, 5)) == 401
    people.store.failed_sign_ins.flush()
    (failed,) = people.store.audit.read(9, wanted=Wanted(action="sign-in.failed"))
    assert (failed.actor_name, failed.subject) == (NOBODY.name, "")


def test_who_is_disabled_is_refused_and_in_the_log(client, device, people):
    people.add("Root", "admin")
    people.store.accounts.disable(LOCAL, people.store.accounts.named("Ann").id)
    assert sign_in(client, device) == 401
    people.store.failed_sign_ins.flush()
    (failed,) = people.store.audit.read(9, wanted=Wanted(action="sign-in.failed"))
    assert failed.detail["name"] == "Ann"


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
