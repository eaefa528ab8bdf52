"""What pages of other sites ask of the app is refused before anything else sees it."""

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from characterbox.routes.security import SameOriginMiddleware, check_origin
from characterbox.settings import settings


async def page(_):
    return PlainTextResponse("seen")


async def stream(socket: WebSocket):
    await socket.accept()
    await socket.send_text("seen")
    await socket.close()


@pytest.fixture
def client():
    routes = [Route("/", page), WebSocketRoute("/stream", stream)]
    app = Starlette(routes=routes, middleware=[Middleware(SameOriginMiddleware)])
    return TestClient(app, base_url="http://127.0.0.1:8501")


@pytest.mark.parametrize("origin", [None, "http://127.0.0.1:8501"])
def test_the_apps_own_pages_are_let_through(client, origin):
    headers = {} if origin is None else {"Origin": origin}
    assert client.get("/", headers=headers).text == "seen"
    with client.websocket_connect("ws://127.0.0.1:8501/stream", headers=headers) as socket:
        assert socket.receive_text() == "seen"


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:9999", "null", "", "http://[::1"])
def test_others_are_refused(client, origin):
    assert client.get("/", headers={"Origin": origin}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("ws://127.0.0.1:8501/stream", headers={"Origin": origin}),
    ):
        pass


@pytest.fixture
def named(monkeypatch):
    """The app behind a proxy that does HTTPS: requests come to it by HTTP."""

    def at(url):
        monkeypatch.setenv("CHARACTERBOX_URL", url)
        settings.cache_clear()

    yield at
    settings.cache_clear()


@pytest.mark.parametrize(
    ("url", "host", "origin", "status"),
    [
        ("https://rate.example.org", "rate.example.org", "https://rate.example.org", 200),
        ("https://rate.example.org", "rate.example.org", "http://rate.example.org", 403),
        ("https://rate.example.org:443", "rate.example.org", "https://rate.example.org", 200),
        ("https://rate.example.org", "rate.example.org:8443", "https://rate.example.org:8443", 403),
        ("https://rate.example.org:8443", "rate.example.org:8443", "https://rate.example.org:8443", 200),
        ("https://rate.example.org", "rate.example.org:80", "http://rate.example.org:80", 403),
        ("https://rate.example.org", "RATE.example.org", "http://RATE.example.org", 403),
        ("http://10.0.0.1:8501", "10.0.0.1:8501", "http://10.0.0.1:8501", 200),
        ("http://10.0.0.1:8501", "10.0.0.1:8501", "https://10.0.0.1:8501", 403),
        ("https://rate.example.org", "127.0.0.1:8501", "http://127.0.0.1:8501", 200),
        ("https://rate.example.org", "rate.example.org", "ws://rate.example.org", 403),
        ("https://rate.example.org", "rate.example.org", "null", 403),
        ("https://rate.example.org", "rate.example.org", "", 403),
    ],
)
def test_the_scheme_of_the_apps_address_counts_too(client, named, url, host, origin, status):
    named(url)
    asked = {"Host": host, "Origin": origin}
    assert client.get("/", headers=asked).status_code == status
    if status == 200:
        with client.websocket_connect("/stream", headers=asked) as socket:
            assert socket.receive_text() == "seen"
    else:
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/stream", headers=asked):
            pass


def test_what_changes_something_is_asked_for_the_scheme_too(named):
    def asked_from(origin):
        headers = [(b"host", b"rate.example.org"), (b"origin", origin)]
        return Request({"type": "http", "headers": headers})

    named("https://rate.example.org")
    check_origin(asked_from(b"https://rate.example.org"))
    with pytest.raises(HTTPException):
        check_origin(asked_from(b"http://rate.example.org"))
