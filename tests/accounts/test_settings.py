"""The settings of accounts, from the environment."""

import pytest

from characterbox.errors import CharacterBoxError
from characterbox.settings import as_origin, settings


@pytest.fixture(autouse=True)
def _fresh():
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://rate.example.org", "https://rate.example.org"),
        (" https://Rate.Example.ORG/ ", "https://rate.example.org"),
        ("http://10.0.0.1:8501", "http://10.0.0.1:8501"),
        ("http://[::1]:8501", "http://[::1]:8501"),
    ],
)
def test_an_address_has_scheme_host_and_port(url, origin):
    assert as_origin(url) == origin


@pytest.mark.parametrize(
    "url",
    ["", "rate.example.org", "ftp://x.org", "https://", "https://x.org/app", "https://x.org?a=1", "https://x.org#a",
     "https://me:pw@x.org", "https://x.org:port", "https://x.org:99999", "http://["],
)  # fmt: skip
def test_what_is_no_address_of_an_app_is_told(monkeypatch, url):
    monkeypatch.setenv("CHARACTERBOX_URL", url)
    with pytest.raises(CharacterBoxError, match="CHARACTERBOX_URL cannot be used"):
        settings()


def test_nothing_set_means_no_accounts():
    assert (settings().auth, settings().url) == ("off", None)


def test_an_unknown_way_to_let_people_in_is_told(monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "on")
    with pytest.raises(CharacterBoxError, match="CHARACTERBOX_AUTH cannot be used"):
        settings()


def test_sites_that_embed_the_app_are_named_by_their_origins(monkeypatch):
    assert settings().embedded_by == ()
    monkeypatch.setenv("CHARACTERBOX_EMBEDDED_BY", " https://Lab.example.org/  http://10.0.0.1:80 ")
    settings.cache_clear()
    assert settings().embedded_by == ("https://lab.example.org", "http://10.0.0.1:80")


@pytest.mark.parametrize(
    "origins", ["*", "lab.example.org", "https://a;script-src", "https://*", "https://a,https://b"]
)
def test_what_is_no_origin_of_a_site_is_told(origins, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_EMBEDDED_BY", origins)
    with pytest.raises(CharacterBoxError, match="CHARACTERBOX_EMBEDDED_BY cannot be used"):
        settings()
