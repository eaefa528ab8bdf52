"""The whole way of signing in at an OpenID provider, with everything that somebody between may change on it."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.browser.app import App, run
from tests.fakes.mock_server import serving
from tests.fakes.oidc import CLIENT, SECRET, Provider

pytestmark = [pytest.mark.process, pytest.mark.slow]

ANN = {"sub": "17", "email": "ann@example.org", "email_verified": True}


def section(app: str, provider: str) -> str:
    """The section of `secrets.toml` as docs/en/how-to/accounts.md has it, with these addresses."""
    text = (Path(__file__).parents[2] / "docs/en/how-to/accounts.md").read_text(encoding="utf-8")
    lines = text.partition("[auth]\n")[2].partition("\n```")[0].splitlines()
    told = "\n".join(["[auth]", *(line.strip().partition("   #")[0] for line in lines)])
    told = told.replace("https://rate.example.org", app).replace("https://login.example.org", provider)
    return told.replace("CLIENT-ID", CLIENT).replace("CLIENT-SECRET", SECRET).replace("RANDOM", "c" * 40)


@pytest.fixture(scope="module")
def known() -> Iterator[tuple[Provider, str]]:
    provider = Provider()
    with serving(provider.app) as address:
        yield provider, address


@pytest.fixture
def provider(known: tuple[Provider, str]) -> Provider:
    """The provider, in which all is right and Ann sits."""
    known[0].person, known[0].forged, known[0].signs = dict(ANN), {}, "right"
    return known[0]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, known: tuple[Provider, str]) -> Iterator[App]:
    """The running app, where Ann is invited, by her address."""
    folder = tmp_path_factory.mktemp("elsewhere")
    app = App(folder / "app.db")
    (folder / "secrets.toml").write_text(section(app.url, known[1]), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STREAMLIT_SECRETS_FILES", str(folder / "secrets.toml"))
        patch.setenv("CHARACTERBOX_AUTH", "oidc")
        try:
            app.start()
            run(app.db, "invite", "Ann", "--role", "expert", "--email", "ann@example.org", CHARACTERBOX_URL=app.url)
            yield app
        finally:
            app.stop()


@pytest.fixture
def visitor(app: App) -> Iterator[httpx.Client]:
    """A browser, as far as signing in goes: it keeps cookies, and is sent on by hand."""
    with httpx.Client(base_url=app.url, timeout=30) as client:
        yield client


def begun(visitor: httpx.Client) -> str:
    """Where the app sends those who want to sign in."""
    page = visitor.get("/sign-in").text
    way = page.partition("/auth/login")[2].partition('"')[0].replace("&amp;", "&")
    return visitor.get(f"/auth/login{way}").headers["location"]


def come_back(visitor: httpx.Client) -> str:
    """The address with which the provider sends the visitor back."""
    return httpx.get(begun(visitor)).headers["location"]


def is_in(visitor: httpx.Client) -> bool:
    return visitor.get("/annotate").status_code == 200


def test_the_right_one_comes_in_with_a_proof_that_it_is_the_one_who_began(
    visitor: httpx.Client, provider: Provider
) -> None:
    there = begun(visitor)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(there).query).items()}
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["code_challenge"]) == 43
    assert asked["state"] != asked["nonce"]
    assert not is_in(visitor)
    visitor.get(httpx.get(there).headers["location"])
    assert is_in(visitor)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_behind_a_proxy_with_https_cookies_are_for_https_alone(
    visitor: httpx.Client, provider: Provider, scheme: str
) -> None:
    """The proxy is on this computer: uvicorn takes its word."""
    visitor.headers["X-Forwarded-Proto"] = scheme
    page = visitor.get("/sign-in").text
    way = page.partition("/auth/login")[2].partition('"')[0].replace("&amp;", "&")
    there = visitor.get(f"/auth/login{way}")
    sent = {"Cookie": there.headers["set-cookie"].partition(";")[0]}  # by hand: to this client it is no HTTPS
    back = visitor.get(httpx.get(there.headers["location"]).headers["location"], headers=sent)
    told = [*there.headers.get_list("set-cookie"), *back.headers.get_list("set-cookie")]
    assert {cookie.partition("=")[0] for cookie in told} >= {"_streamlit_user", "_streamlit_user_tokens"}
    assert {"; secure" in cookie.lower() for cookie in told} == {scheme == "https"}


@pytest.mark.parametrize("change", ["", "&state=", "&state=another"])
def test_without_the_state_of_this_browser_nobody_comes_in(
    visitor: httpx.Client, provider: Provider, change: str
) -> None:
    back = come_back(visitor)
    visitor.get(back.partition("&state=")[0] + change)
    assert not is_in(visitor)


def test_an_address_is_good_for_the_browser_that_began_and_once(
    app: App, visitor: httpx.Client, provider: Provider
) -> None:
    back = come_back(visitor)
    with httpx.Client(base_url=app.url) as another:
        begun(another)
        another.get(back)
        assert not is_in(another)
        old = dict(visitor.cookies)
        visitor.get(back)
        assert is_in(visitor)
        another.cookies.update(old)
        another.get(back)
        assert not is_in(another)


@pytest.mark.parametrize(
    "forged",
    [
        {"iss": "http://elsewhere.example.org"},
        {"aud": "another client"},
        {"nonce": "another"},
        {"nonce": None},
        {"exp": int(time.time()) - 3600, "iat": int(time.time()) - 7200},
    ],
    ids=["issuer", "audience", "nonce", "no nonce", "expired"],
)
def test_a_token_that_is_not_for_this_sign_in_is_none(
    visitor: httpx.Client, provider: Provider, forged: dict[str, Any]
) -> None:
    provider.forged = forged
    visitor.get(come_back(visitor))
    assert not is_in(visitor)


@pytest.mark.parametrize("signs", ["by another key", "not at all"])
def test_a_token_that_the_provider_has_not_signed_is_none(
    visitor: httpx.Client, provider: Provider, signs: Any
) -> None:
    provider.signs = signs
    visitor.get(come_back(visitor))
    assert not is_in(visitor)


@pytest.mark.parametrize(
    "person",
    [{**ANN, "sub": "18"}, {**ANN, "sub": "19", "email_verified": False}, {"sub": "20", "email": "eve@example.org"}],
    ids=["the address of another", "an address that nobody looked at", "nobody invited"],
)
def test_an_address_does_not_make_one_somebody_else(
    visitor: httpx.Client, provider: Provider, person: dict[str, Any]
) -> None:
    visitor.get(come_back(visitor))
    assert is_in(visitor)
    visitor.cookies.clear()
    provider.person = person
    visitor.get(come_back(visitor))
    assert not is_in(visitor)
