"""Files that are taken along from pages are told of in the log, as they are given out and not before."""

import threading

import pytest

from annotations.i18n.translation import translate
from characterbox.accounts.account import LOCAL, ROLES
from characterbox.accounts.credentials import COOKIE
from characterbox.accounts.login_throttle import coming_from
from characterbox.errors import NotAllowed
from pages.shared.downloads import given_out
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.reasons import a_reason


@pytest.fixture
def stage(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        yield stage


def told(stage):
    return [
        (entry.actor_name, entry.address, entry.action, entry.subject, entry.detail)
        for entry in stage.store.audit.read(9)
    ]


def test_it_is_logged_when_it_is_made_with_the_address_of_the_page(stage, monkeypatch):
    monkeypatch.setattr("pages.shared.downloads.current_user", lambda: LOCAL)
    with coming_from("192.0.2.1"):
        make = given_out("story.exported", "ab12", lambda: b"whole", form="md")
    assert told(stage) == []
    made = []
    thread = threading.Thread(target=lambda: made.append(make()))
    thread.start()
    thread.join()
    assert made == [b"whole"]
    assert told(stage) == [(LOCAL.name, "192.0.2.1", "story.exported", "ab12", {"form": "md"})]


def test_what_cannot_be_made_is_not_given_out(stage, monkeypatch):
    monkeypatch.setattr("pages.shared.downloads.current_user", lambda: LOCAL)

    def fail():
        raise ValueError("cut short")

    with pytest.raises(ValueError, match="cut short"):
        given_out("story.exported", "ab12", fail)()
    assert told(stage) == []


@pytest.mark.parametrize("role", ROLES)
def test_a_file_has_what_servers_said_for_admins_alone(tmp_path, monkeypatch, role):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        account = stage.store.accounts.add(LOCAL, "Ann", role)
        cookies = {COOKIE: stage.store.sessions.start(account.id, "password")}
        monkeypatch.setattr("pages.shared.downloads.current_user", lambda: account)
        monkeypatch.setattr("pages.shared.downloads.cookies_of_page", lambda: cookies)
        made, reason = [], a_reason("endpoint http://10.0.0.5/v1#m: HTTP 500: SECRET-BODY")
        make = given_out("story.exported", "ab12", lambda: translate(reason).encode())
        thread = threading.Thread(target=lambda: made.append(make().decode()))
        thread.start()
        thread.join()
    assert "HTTP 500" in made[0]
    assert ("SECRET-BODY" in made[0]) == (role == "admin")


@pytest.fixture
def press(tmp_path, monkeypatch):
    """For a researcher, one page is drawn with a button; gives what pressing it does, the store, and the account."""
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        accounts = stage.store.accounts
        accounts.add(LOCAL, "Root", "admin")
        ann = accounts.add(LOCAL, "Ann", "researcher")
        cookies = {COOKIE: stage.store.sessions.start(ann.id, "password")}
        monkeypatch.setattr("pages.shared.downloads.current_user", lambda: ann)
        monkeypatch.setattr("pages.shared.downloads.cookies_of_page", lambda: cookies)
        yield given_out("ratings.exported", "c1", lambda: b"whole"), stage.store, ann


def test_the_right_is_asked_when_it_is_pressed(press):
    press, store, ann = press
    assert press() == b"whole"
    store.accounts.change_role(LOCAL, ann.id, "viewer")
    with pytest.raises(NotAllowed, match="Ann has signed out, or has another role by now"):
        press()
    assert [entry.action for entry in store.audit.read(9)].count("ratings.exported") == 1


def test_who_is_disabled_meanwhile_gets_no_file(press):
    press, store, ann = press
    store.accounts.disable(LOCAL, ann.id)
    with pytest.raises(NotAllowed, match="Ann has signed out"):
        press()
    assert "ratings.exported" not in [entry.action for entry in store.audit.read(9)]
