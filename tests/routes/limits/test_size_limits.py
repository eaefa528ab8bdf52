"""What is too long is refused before anything reads it."""

import asyncio
from contextlib import suppress

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState, ContextInfo

import app
from characterbox.components.streamlit_session import MOST_ABOUT, MOST_FIELDS, MOST_NAME, MOST_TEXT
from characterbox.routes.limits.size_limits import (
    MOST_ADDRESS,
    MOST_COOKIES,
    MOST_MESSAGE,
    MOST_PARAMETER,
    MOST_SILENCE,
    SIGNING_IN,
    BoundsMiddleware,
)
from tests.fakes.virtual_time import in_no_time

MANY_EMPTY_LINES = "bundled:" + "%0A" * 2_500
FIRST_PAGE = BackMsg(rerun_script=ClientState(context_info=ContextInfo()))
"""What asks for the first page, with nothing filled in."""


async def page(scope, receive, send):
    await PlainTextResponse("seen")(scope, receive, send)


async def echo(socket):
    await socket.accept()
    with suppress(WebSocketDisconnect):
        while True:
            await socket.send_bytes(await socket.receive_bytes())


@pytest.fixture
def client():
    routes = [WebSocketRoute("/_stcore/stream", echo), Mount("/", page)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(BoundsMiddleware)]))


def test_the_app_asks_for_it_before_it_asks_who_it_is():
    kinds = [one.cls.__name__ for one in app.before()]
    assert kinds.index("BoundsMiddleware") < kinds.index("TongueMiddleware") < kinds.index("GuardMiddleware")


@pytest.mark.parametrize(
    "address",
    [
        "/scenes?scene=" + "x" * MOST_PARAMETER,
        "/scenes?scene=" + "%E9%9B%A8" * 600,
        "/validity?" + "&".join(f"models=model-{number}" for number in range(400)),
        "/" + "x" * MOST_PARAMETER,
        SIGNING_IN + "?code=" + "x" * 6_000,
    ],
)
def test_a_long_address_that_is_of_use_is_let_through(client, address):
    assert client.get(address).text == "seen"


@pytest.mark.parametrize(
    "address",
    [
        "/scenes?scene=" + "x" * (MOST_PARAMETER + 1),
        "/scenes?scene=" + MANY_EMPTY_LINES,
        "/scenes?" + "x" * (MOST_PARAMETER + 1) + "=yes",
        "/scenes?" + "&".join(["x=yes"] * 2_000),
        "/" + "x" * (MOST_PARAMETER + 1),
        "/stories/" + "x/" * MOST_ADDRESS,
        SIGNING_IN + "?code=" + "x" * MOST_ADDRESS,
    ],
)
def test_an_address_that_is_too_long_is_refused(client, address):
    answer = client.get(address)
    assert answer.status_code == 414
    assert len(answer.text) < 200
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect(address):
        pass
    assert closed.value.code == 1009


def test_cookies_that_are_too_long_are_refused(client):
    assert client.get("/", headers={"Cookie": "language=" + "x" * (MOST_COOKIES - 9)}).text == "seen"
    assert client.get("/", headers={"Cookie": "language=" + "x" * MOST_COOKIES}).status_code == 431


def press(**about):
    """What a page sends when a button is pressed."""
    sent = BackMsg()
    sent.rerun_script.query_string = "story=1"
    sent.rerun_script.page_script_hash = "playback"
    sent.rerun_script.widget_states.widgets.add(id="stop", trigger_value=True)
    for name, value in about.items():
        setattr(sent.rerun_script, name, value)
    return sent


def taken(client, sent):
    """What the page gets to read of what was sent."""
    with client.websocket_connect("/_stcore/stream") as socket:
        socket.send_bytes(sent.SerializeToString())
        return BackMsg.FromString(socket.receive_bytes())


def test_what_a_page_sends_is_taken_as_it_is(client):
    sent = press(query_string="text=" + "x" * MOST_PARAMETER)
    sent.rerun_script.widget_states.widgets.add(id="pasted", string_value="雨" * MOST_TEXT)
    assert taken(client, sent) == sent
    assert taken(client, BackMsg(app_heartbeat=True)) == BackMsg(app_heartbeat=True)


@pytest.mark.parametrize("query", ["scene=" + MANY_EMPTY_LINES, "?scene=" + "x" * (MOST_PARAMETER + 1)])
def test_for_an_address_that_is_too_long_the_page_is_drawn_without_it(client, query):
    again = taken(client, press(query_string=query)).rerun_script
    assert (again.query_string, again.page_script_hash) == ("", "playback")
    assert not again.HasField("widget_states")


@pytest.mark.parametrize("kind", ["string_value", "json_value", "json_trigger_value", "bytes_value"])
def test_with_a_field_that_is_too_long_the_page_is_drawn_as_if_nothing_were_filled_in(client, kind):
    sent, long = press(), "x" * (MOST_TEXT + 1)
    sent.rerun_script.widget_states.widgets.add(id="pasted", **{kind: long.encode() if kind == "bytes_value" else long})
    again = taken(client, sent).rerun_script
    assert (again.query_string, again.page_script_hash) == ("story=1", "playback")
    assert not again.HasField("widget_states")


def test_a_field_of_many_texts_is_as_long_as_they_are_together(client):
    sent = press()
    sent.rerun_script.widget_states.widgets.add(id="models").string_array_value.data.extend(["x" * 1_000] * 1_001)
    assert not taken(client, sent).rerun_script.HasField("widget_states")


def test_no_page_has_that_many_fields(client):
    sent = press()
    for number in range(MOST_FIELDS):
        sent.rerun_script.widget_states.widgets.add(id=str(number), bool_value=True)
    assert not taken(client, sent).rerun_script.HasField("widget_states")


@pytest.mark.parametrize("name", ["page_script_hash", "page_name", "fragment_id"])
def test_who_names_a_page_at_length_gets_the_first_one(client, name):
    assert taken(client, press(**{name: "x" * (MOST_NAME + 1)})) == FIRST_PAGE


def test_who_tells_much_of_the_browser_gets_the_first_one(client):
    sent = press()
    sent.rerun_script.context_info.url = "x" * MOST_ABOUT
    assert taken(client, sent) == FIRST_PAGE


def test_what_cannot_be_read_asks_for_the_first_page(client):
    with client.websocket_connect("/_stcore/stream") as socket:
        socket.send_bytes(b"no message at all")
        assert BackMsg.FromString(socket.receive_bytes()) == FIRST_PAGE


@pytest.mark.parametrize(
    "sent",
    [
        BackMsg(clear_cache=True),
        BackMsg(load_git_info=True),
        BackMsg(set_run_on_save=True),
        BackMsg(debug_shutdown_runtime=True),
        BackMsg(backend_operation_request={"request_id": "1", "install_skills": {}}),
        BackMsg(),
    ],
    ids=lambda sent: sent.WhichOneof("type"),
)
def test_what_is_for_developers_of_an_app_is_not_taken(client, sent):
    assert taken(client, sent) == BackMsg(app_heartbeat=True)


def test_a_file_is_made_when_it_is_asked_for(client):
    sent = BackMsg(backend_operation_request={"request_id": "1", "deferred_file": {"file_id": "a"}})
    assert taken(client, sent) == sent


@pytest.mark.parametrize("sent", [b"\n" * (MOST_MESSAGE + 1), "text"])
def test_a_message_that_no_page_sends_ends_the_connection(client, sent):
    with client.websocket_connect("/_stcore/stream") as socket:
        (socket.send_bytes if isinstance(sent, bytes) else socket.send_text)(sent)
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_bytes()
    assert closed.value.code == 1009


def test_a_body_of_which_nothing_more_comes_counts_as_broken_off_and_a_long_answer_goes_on():
    async def seen():
        heard, sent = [], asyncio.Queue()

        async def site(scope, receive, send):
            heard.extend([await receive(), await receive()])

        for piece in (b"a", b"b"):
            sent.put_nowait({"type": "http.request", "body": piece, "more_body": True})
        scope = {"type": "http", "path": "/", "query_string": b"", "headers": []}
        await BoundsMiddleware(site)(scope, sent.get, None)
        assert [message["type"] for message in heard] == ["http.request"] * 2
        before = asyncio.get_running_loop().time()
        sent.put_nowait({"type": "http.request", "body": b"a", "more_body": True})
        await BoundsMiddleware(site)(scope, sent.get, None)
        assert heard[-1] == {"type": "http.disconnect"}
        assert asyncio.get_running_loop().time() - before == pytest.approx(MOST_SILENCE)
        sent.put_nowait({"type": "http.request", "body": b"", "more_body": False})
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(10 * MOST_SILENCE):
                await BoundsMiddleware(site)(scope, sent.get, None)

    in_no_time(seen())
