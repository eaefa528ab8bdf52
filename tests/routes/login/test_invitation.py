"""A link of invitation in the browser: once, and only with a password that is good."""

from datetime import timedelta

import pytest
from sqlalchemy import create_engine, update

from characterbox.accounts.account import LOCAL
from characterbox.store.tables.accounts import InvitationRow
from characterbox.store.tables.columns import now, table_of
from tests.routes.conftest import OURS, PASSWORD

pytestmark = pytest.mark.usefixtures("light")


def accept(client, link, password=PASSWORD, again=None):
    return client.post(link, data={"password": password, "again": password if again is None else again}, headers=OURS)


def test_it_says_for_whom_it_is_and_lets_them_in(client, people):
    link = people.link("Ann <b>Lee</b>", "researcher")
    page = client.get(link)
    assert page.status_code == 200
    assert "Welcome, Ann &lt;b&gt;Lee&lt;/b&gt;" in page.text
    assert "invited as researcher" in page.text
    assert "受邀成为研究员" in client.get(f"{link}?language=zh").text
    answer = accept(client, link)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert client.get("/models").text == "the app at /models"


def test_it_can_be_used_once(client, browser_of, people):
    link = people.link("Ann")
    accept(client, link)
    other = browser_of()
    for answer in (other.get(link), accept(other, link)):
        assert answer.status_code == 410
        assert "has been used" in answer.text
    assert other.get("/annotate").status_code == 303
    assert client.get("/annotate").status_code == 200


def test_one_of_two_who_use_it_at_once_is_too_late(client, people, monkeypatch):
    link = people.link("Ann")

    async def slow(password):
        people.store.accounts.accept(link.rpartition("/")[2], "the hash of the other")
        return "a hash"

    monkeypatch.setattr("characterbox.routes.login.own_account.hash_of", slow)
    answer = accept(client, link)
    assert answer.status_code == 410
    assert people.store.accounts.password_of("Ann")[1] == "the hash of the other"


@pytest.mark.parametrize(
    ("password", "again", "told"),
    [
        ("short", None, "must have at least 10 characters"),
        ("x" * 1001, None, "at most 1000 characters"),
        ("sherlock holmes", None, "The password is the same as your name."),
        (PASSWORD, "correct horse", "The passwords do not match."),
        (PASSWORD, "", "The passwords do not match."),
    ],
)
def test_a_password_that_is_no_good_is_told_and_uses_nothing_up(client, people, password, again, told):
    link = people.link("Sherlock Holmes")
    answer = accept(client, link, password, again)
    assert answer.status_code == 422
    assert told in answer.text
    assert password not in answer.text.replace("The password", "")
    assert accept(client, link).status_code == 303


def test_one_that_has_expired_says_so(client, people, url):
    link = people.link("Ann")
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(update(table_of(InvitationRow)).values(expires_at=now() - timedelta(seconds=1)))
    engine.dispose()
    for answer in (client.get(link), accept(client, link)):
        assert answer.status_code == 410
        assert "has expired" in answer.text


@pytest.mark.parametrize("token", ["nothing", "%F0%9F%99%82", "a.b", "x" * 5000])
def test_one_that_never_was_is_told(client, people, token):
    people.link("Ann")
    for answer in (client.get(f"/invitation/{token}"), accept(client, f"/invitation/{token}")):
        assert answer.status_code == 404
        assert "This invitation does not exist" in answer.text


def test_whoever_is_signed_in_becomes_the_invited_one(client, people):
    accept(client, people.link("Ann"))
    accept(client, people.link("Vi", "viewer"))
    assert "You are signed in as Vi (viewer)." in client.get("/account").text


def test_the_link_of_somebody_disabled_is_no_good(client, people):
    link = people.link("Ann")
    people.store.accounts.disable(LOCAL, people.store.accounts.named("Ann").id)
    assert client.get(link).status_code == 410
