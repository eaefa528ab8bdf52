"""What tells one who comes from others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.routes.login import authentication
from characterbox.settings import settings


@pytest.fixture
def mode(monkeypatch):
    def choose(auth, url=None):
        monkeypatch.setenv("CHARACTERBOX_AUTH", auth)
        if url is not None:
            monkeypatch.setenv("CHARACTERBOX_URL", url)
        settings.cache_clear()

    yield choose
    settings.cache_clear()


@given(st.dictionaries(st.text().filter(lambda name: "session" not in name), st.text()))
def test_no_other_cookie_makes_somebody_else_of_one(others):
    assert authentication.badge_of({**others, "characterbox_session": "ann's"}) == "ann's"


def test_with_https_it_is_the_cookie_of_this_host_alone(mode):
    mode("local", "https://box.example.org")
    cookies = {"characterbox_session": "any host's", "__Host-characterbox_session": "this host's"}
    assert authentication.badge_of(cookies) == "this host's"


def test_of_those_who_sign_in_elsewhere_it_is_what_the_provider_vouches_for(mode, monkeypatch):
    mode("oidc")
    monkeypatch.setattr(authentication, "read_claims", lambda cookies: cookies.get("claims"))
    ann = {"iss": "https://id.example.org", "sub": "ann"}
    badge = authentication.badge_of({"claims": {**ann, "iat": 1}})
    assert badge == authentication.badge_of({"claims": {**ann, "iat": 2}, "x": "y"})
    assert badge != authentication.badge_of({"claims": {**ann, "sub": "bob"}})
    assert authentication.badge_of({}) == authentication.badge_of({"x": "y"})
