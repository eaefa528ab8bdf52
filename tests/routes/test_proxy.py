"""A proxy whose word is not taken is told of, once, and no other."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from characterbox.routes.security import LOOKED_AT, Forwarded, ForwardedMiddleware
from characterbox.settings import settings

PROXY = "10.0.0.2"


@pytest.fixture
def served(monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    monkeypatch.setenv("CHARACTERBOX_URL", "https://rate.example.org")
    settings.cache_clear()
    yield
    settings.cache_clear()


def ask(forwarded, times=LOOKED_AT, people=3, trusted="127.0.0.1", proxies=(PROXY,), headers=None):
    """What the app, behind uvicorn's reading of the header, hears of people through proxies."""
    app = Starlette(middleware=[Middleware(ForwardedMiddleware, forwarded)])
    for number in range(times):
        told = {"X-Forwarded-For": f"203.0.113.{number % people}"} if headers is None else headers
        client = (proxies[number % len(proxies)], 50_000)
        TestClient(ProxyHeadersMiddleware(app, trusted), client=client).get("/", headers=told)
    return forwarded


def test_a_proxy_that_is_not_believed_is_told_of_once(served, caplog):
    forwarded = ask(Forwarded(), LOOKED_AT - 1)
    assert (forwarded.untrusted, caplog.messages) == (None, [])
    ask(forwarded, 5)
    assert forwarded.untrusted == PROXY
    told = "all requests come from 10.0.0.2: set FORWARDED_ALLOW_IPS to it so that addresses of people are seen"
    assert [line for line in caplog.messages if line.startswith("all requests")] == [told]


@pytest.mark.parametrize(
    "how",
    [
        {"trusted": PROXY},
        {"trusted": PROXY, "people": 1},
        {"headers": {}},
        {"proxies": ("10.0.0.2", "10.0.0.3")},
        {"headers": {"X-Forwarded-For": f"203.0.113.1, {PROXY}"}, "trusted": "10.0.0.0/24"},
    ],
)
def test_nothing_is_told_where_addresses_are_seen(served, how):
    assert ask(Forwarded(), **how).untrusted is None


def test_nothing_is_told_on_ones_own_computer(monkeypatch, served):
    monkeypatch.setenv("CHARACTERBOX_URL", "http://127.0.0.1:8501")
    settings.cache_clear()
    assert ask(Forwarded()).untrusted is None
