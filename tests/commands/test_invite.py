"""`characterbox invite`: how the first admin comes in."""

from pathlib import Path

import pytest

from characterbox.settings import settings
from characterbox.store import Store
from tests.fakes.databases import store_in


@pytest.fixture(autouse=True)
def _fresh():
    settings.cache_clear()
    yield
    settings.cache_clear()


def opened(tmp_path: Path) -> Store:
    return store_in(tmp_path / "accounts.db")


def invite(in_process, tmp_path, *words):
    return in_process("invite", *words, "--db", str(tmp_path / "accounts.db"))


def test_it_prints_a_link_that_lets_somebody_in(in_process, tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_URL", "https://rate.example.org")
    done = invite(in_process, tmp_path, "Ann Lee", "--role", "admin", "--days", "2")
    assert (done.status, done.err) == (0, "")
    address, _, token = done.out.strip().rpartition("/")
    assert address == "https://rate.example.org/invitation"
    store = opened(tmp_path)
    invitation = store.invitations.find(token)
    assert (invitation.account.name, invitation.account.role, invitation.state) == ("Ann Lee", "admin", "open")
    assert [entry.actor_name for entry in store.audit.read(9)] == ["the command line"] * 2
    assert store.audit.read(1)[0].detail == {"name": "Ann Lee", "days": 2}
    store.close()


def test_who_is_there_gets_a_new_link(in_process, tmp_path):
    first, second = (invite(in_process, tmp_path, name, "--role", "admin").out for name in ("Ann", "ann"))
    assert first.startswith("http://127.0.0.1:8501/invitation/")
    store = opened(tmp_path)
    assert [store.invitations.find(out.strip().rpartition("/")[2]).state for out in (first, second)] == ["used", "open"]
    assert len(store.accounts.all()) == 1
    store.close()


def test_a_role_is_not_changed_by_it(in_process, tmp_path):
    invite(in_process, tmp_path, "Ann", "--role", "viewer")
    done = invite(in_process, tmp_path, "Ann", "--role", "admin")
    assert (done.status, done.out) == (2, "")
    assert "Ann is there already, as viewer" in done.one_line()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("Ann",), "--role"),
        (("Ann", "--role", "king"), "king"),
        ((" ", "--role", "admin"), "the name is missing"),
        (("Ann", "--role", "admin", "--email", "ann"), "is not a valid e-mail address"),
        (("Ann", "--role", "admin", "--days", "0"), "from 1 to 365"),
    ],
)
def test_what_cannot_be_is_told(in_process, tmp_path, words, told):
    done = invite(in_process, tmp_path, *words)
    assert (done.status, done.out) == (2, "")
    assert told in done.one_line()


@pytest.mark.slow
def test_where_people_sign_in_elsewhere_they_need_an_address(in_process, tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "oidc")
    assert "--email is missing" in invite(in_process, tmp_path, "Ann", "--role", "admin").one_line()
    done = invite(in_process, tmp_path, "Ann", "--role", "admin", "--email", "Ann@Example.org")
    assert done.out == "http://127.0.0.1:8501/sign-in\n"
    store = opened(tmp_path)
    assert store.accounts.named("Ann").email == "ann@example.org"
    assert store.accounts.signed_in_elsewhere("https://login.example.org", "17", "ann@example.org") is not None
    store.close()
