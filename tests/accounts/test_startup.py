"""The app does not start where just anybody could come in, or nobody."""

import logging

import pytest

import app
from characterbox.components import streamlit_session
from characterbox.settings import settings


@pytest.fixture
def start(monkeypatch):
    """Looks whether the app may be served at this address with these settings."""

    def look(address, **set_to):
        for name in ("AUTH", "URL", "DB"):
            monkeypatch.delenv(f"CHARACTERBOX_{name}", raising=False)
        for name, value in set_to.items():
            monkeypatch.setenv(f"CHARACTERBOX_{name}", value)
        settings.cache_clear()
        monkeypatch.setattr(app.st, "get_option", lambda name: address)
        app.check_safe()

    yield look
    settings.cache_clear()


def test_on_this_computer_it_starts_without_accounts(start):
    start("127.0.0.1")
    start("127.0.0.1", AUTH="local")


@pytest.mark.parametrize(
    ("address", "set_to", "told"),
    [
        ("0.0.0.0", {}, "Set CHARACTERBOX_AUTH to local or oidc"),
        (None, {}, "without accounts"),
        ("10.0.0.1", {"AUTH": "local"}, "set CHARACTERBOX_URL"),
        ("127.0.0.1", {"AUTH": "oidc"}, "secrets.toml"),
    ],
)
def test_elsewhere_it_says_what_to_do(start, address, set_to, told):
    with pytest.raises(SystemExit, match=told):
        start(address, **set_to)


def test_others_reach_it_with_accounts_and_are_warned_of_plain_http(start, caplog):
    with caplog.at_level(logging.WARNING):
        start("0.0.0.0", AUTH="local", URL="https://rate.example.org")
        assert caplog.messages == []
        start("0.0.0.0", AUTH="local", URL="http://rate.example.org")
    assert caplog.messages == ["http://rate.example.org is not HTTPS: passwords can be read on their way"]


def test_its_own_name_is_answered_and_no_others(start):
    start("0.0.0.0", AUTH="local", URL="https://rate.example.org:8443")
    _, hosts, *_ = app.before()
    assert hosts.kwargs == {"allowed_hosts": ["127.0.0.1", "localhost", "rate.example.org"]}


def test_a_provider_that_is_not_asked_for_pkce_is_told(start, caplog, monkeypatch):
    pkce, one = {"client_kwargs": {"code_challenge_method": "S256"}}, {"client_id": "one"}
    section = {"redirect_uri": "http://127.0.0.1/oauth2callback", "cookie_secret": "c" * 40, "far": {**one, **pkce}}
    for secrets in (section | one | pkce, section | {"near": one}, section | one):
        monkeypatch.setattr(streamlit_session, "get_secrets_auth_section", lambda secrets=secrets: secrets)
        with caplog.at_level(logging.WARNING):
            start("127.0.0.1", AUTH="oidc")
    lacks = 'in secrets.toml has no client_kwargs = { code_challenge_method = "S256" }: add it'
    assert caplog.messages == [f"[auth.near] {lacks}", f"[auth] {lacks}"]


def test_a_database_that_can_be_read_on_the_way_is_told_without_its_password(start, caplog):
    with caplog.at_level(logging.WARNING):
        start("127.0.0.1", DB="postgresql://me:secretpw@db.example.org/db")
        start("127.0.0.1", DB="postgresql://me:secretpw@db.example.org/db?sslmode=verify-full")
    (message,) = caplog.messages
    assert message.startswith("CHARACTERBOX_DB: what is sent to it can be read and changed on its way")
    assert "secretpw" not in message


def test_a_setting_that_cannot_be_used_stops_it(start, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "on")
    settings.cache_clear()
    with pytest.raises(SystemExit, match="CHARACTERBOX_AUTH cannot be used"):
        app.before()
