"""Files that are taken along from pages are told of in the log, as they are given out and not before."""

import threading

import pytest

from characterbox.accounts.account import LOCAL, ROLES
from characterbox.accounts.origin_address import coming_from
from characterbox.reasons import retold
from pages.parts.given_out import given_out
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in


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
    monkeypatch.setattr("pages.parts.given_out.who", lambda: LOCAL)
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
    monkeypatch.setattr("pages.parts.given_out.who", lambda: LOCAL)

    def fail():
        raise ValueError("cut short")

    with pytest.raises(ValueError, match="cut short"):
        given_out("story.exported", "ab12", fail)()
    assert told(stage) == []


@pytest.mark.parametrize("role", ROLES)
def test_a_file_has_what_servers_said_for_admins_alone(stage, monkeypatch, role):
    monkeypatch.setattr("pages.parts.given_out.who", lambda: LOCAL.model_copy(update={"role": role}))
    made, reason = [], "endpoint http://10.0.0.5/v1#m: HTTP 500: SECRET-BODY"
    make = given_out("story.exported", "ab12", lambda: retold(reason).encode())
    thread = threading.Thread(target=lambda: made.append(make().decode()))
    thread.start()
    thread.join()
    assert "HTTP 500" in made[0]
    assert ("SECRET-BODY" in made[0]) == (role == "admin")
