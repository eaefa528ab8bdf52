"""What pages of other sites ask of the app is refused before anything else sees it."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from characterbox.routes.same_origin import SameOriginMiddleware


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
