"""Every answer says who may frame it and what may run in it: ours, Streamlit's, refusals and failures."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

import app
from characterbox.components.page_language import SCRIPTS
from characterbox.routes import security
from characterbox.routes.login.html_pages import HEADERS, plain_page
from characterbox.routes.security import HeadersMiddleware
from characterbox.settings import settings
from tests.fakes.built_app import built_app
from tests.routes.test_guard import address

ADDRESS = "http://127.0.0.1:8501"


async def page(_):
    return PlainTextResponse("seen")


async def plain(_):
    return plain_page("Title", "")


async def broken(_):
    raise RuntimeError("a secret at /home/ann")


async def cookies(_):
    """As Streamlit sets them, and as we do."""
    answer = PlainTextResponse("seen")
    answer.set_cookie("_streamlit_user", "; secure=no", httponly=True, samesite="lax", max_age=60)
    answer.set_cookie("ours", "yes", secure=True)
    answer.delete_cookie("old")
    return answer


def client_of(*embedded_by, https=False, address=ADDRESS):
    routes = [Route("/", page), Route("/plain", plain), Route("/broken", broken), Route("/cookies", cookies)]
    before = Middleware(HeadersMiddleware, embedded_by, https=https)
    site = Starlette(routes=routes, middleware=[before])
    return TestClient(site, address, raise_server_exceptions=False)


def check(answer):
    """That nobody may frame it, and that one policy says so."""
    (policy,) = answer.headers.get_list("content-security-policy")
    assert policy.endswith("; frame-ancestors 'none'")
    assert policy.count("frame-ancestors") == 1
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert "cache-control" in answer.headers


@pytest.mark.slow
@pytest.mark.parametrize("auth", ["off", "local"])
def test_all_answers_of_the_app_have_them(auth, monkeypatch):
    """As it is built, with nothing opened: what comes before the routes refuses, they answer, or they fail."""
    monkeypatch.setenv("CHARACTERBOX_AUTH", auth)
    settings.cache_clear()
    try:
        routes = [getattr(route, "path", "") for route in built_app().routes]
        site = Starlette(routes=built_app().routes, middleware=app.before())
        client = TestClient(site, ADDRESS, raise_server_exceptions=False, follow_redirects=False)
        for path in [*routes, "/static/nothing.js", "/favicon.png", "/%2e%2e/etc"]:
            if path != "/_stcore/stream":  # a web socket
                check(client.get(address(path)))
                check(client.post(address(path)))
        check(client.get("/", headers={"Host": "evil.example"}))
        check(client.get("/", headers={"Origin": "http://evil.example"}))
    finally:
        settings.cache_clear()


def test_a_failure_says_nothing_of_itself():
    answer = client_of().get("/broken")
    assert (answer.status_code, answer.text) == (500, "Internal Server Error")
    check(answer)


def test_a_page_keeps_its_own_policy():
    answer = client_of().get("/plain")
    check(answer)
    assert answer.headers["content-security-policy"].startswith(f"{HEADERS['Content-Security-Policy']}; ")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/plain"])
def test_sites_that_embed_the_app_are_named(path):
    answer = client_of("https://lab.example.org", "https://www.example.org").get(path)
    policy = answer.headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors https://lab.example.org https://www.example.org")
    assert "x-frame-options" not in answer.headers


def test_browsers_are_told_to_stay_with_https_where_the_app_has_it():
    assert client_of(https=True).get("/").headers["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in client_of().get("/").headers


@pytest.mark.parametrize(
    ("url", "https"), [(None, False), ("http://rate.example.org", False), ("https://rate.example.org", True)]
)
def test_the_address_of_the_app_decides_on_https(url, https, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    if url is not None:
        monkeypatch.setenv("CHARACTERBOX_URL", url)
    settings.cache_clear()
    try:
        client = TestClient(Starlette(routes=[Route("/", page)], middleware=app.before()[:1]), ADDRESS)
        assert ("strict-transport-security" in client.get("/").headers) == https
    finally:
        settings.cache_clear()


@pytest.mark.parametrize(
    ("https", "address", "secure"),
    [(False, ADDRESS, 1), (True, ADDRESS, 3), (False, "https://127.0.0.1:8501", 3)],
    ids=["http", "https by the setting", "https by a proxy that is believed"],
)
def test_all_cookies_are_for_https_alone_where_the_app_has_it(https, address, secure):
    told = client_of(https=https, address=address).get("/cookies").headers.get_list("set-cookie")
    assert [cookie.partition("=")[0] for cookie in told] == ["_streamlit_user", "ours", "old"]
    assert [cookie.count("; Secure") for cookie in told].count(1) == secure
    assert "; HttpOnly" in told[0]


def test_streamlits_own_script_is_the_one_that_is_let_run():
    text = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    text = re.sub("<!--.*?-->", "", text, flags=re.DOTALL)
    (script,) = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in security.STREAMLIT_SCRIPT


def test_of_scripts_in_pages_those_that_tell_the_language_are_let_run_and_no_other():
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in SCRIPTS.values()]
    (scripts,) = [part for part in security._APP.split("; ") if part.startswith("script-src ")]
    assert scripts.count("'sha256-") == 1 + len(SCRIPTS)
    assert all(f"'sha256-{hash}'" in scripts for hash in hashes)
    assert "'unsafe-inline'" not in scripts
