"""Keys that come back are masked before a text is cut: no part of one is left where it is cut. In virtual time."""

import json

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from characterbox.errors import EndpointError
from characterbox.llm.calls.client import MAX_TEXT, Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.server import Server
from tests.fakes.virtual_time import in_no_time

KEY = "QZ-live-" + "A1b2C3d4" * 5
URL = "http://mock/v1"
REQUEST = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "What does Ann do?"),))


def asked(answer, *, on_token=None):
    """The completion, where the response is what `answer` makes of the key that was sent."""

    async def chat(request):
        return answer(request.headers["authorization"].removeprefix("Bearer "))

    async def ask():
        app = Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])
        server = Server(url=URL, name="Mock", kind="api", key="MOCK_API_KEY")
        client = Client(lambda _: server, key_of=lambda _: SecretStr(KEY), transport=AppTransport(app))
        return await client.complete(Endpoint(url=URL, model="m"), REQUEST, seed=1, on_token=on_token)

    return in_no_time(ask())


def events(*chunks):
    lines = [*map(json.dumps, chunks), "[DONE]"]
    return Response("".join(f"data: {line}\n\n" for line in lines), media_type="text/event-stream")


def piece(text, **more):
    return {"choices": [{"delta": {"content": text}, **more}]}


ERRORS = {
    "refusal": lambda text: JSONResponse({"error": {"message": text}}, 401),
    "trouble": lambda text: JSONResponse({"error": {"message": text}}, 500),
    "page": lambda text: PlainTextResponse(text, 403),
    "no completion": lambda text: JSONResponse({"error": text}),
    "broken stream": lambda text: events({"error": {"message": text}}),
}


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("cut", [300, 3000, 10_000])
@pytest.mark.parametrize("kept", [1, 8, 37, 47])
def test_no_part_of_a_key_is_left_where_an_error_is_cut(kind, cut, kept):
    """The key stands so that `kept` characters of it lie before the cut; blanks are told as one."""
    blanks = max(0, cut - 290)

    def answer(key):
        return ERRORS[kind]("x" * (cut - kept - blanks) + " " * blanks + key)

    with pytest.raises(EndpointError) as caught:
        asked(answer, on_token=lambda *_: None)
    assert "xx" in str(caught.value)
    assert KEY[0] not in str(caught.value)


@pytest.mark.parametrize("kept", [1, 8, 40, 47])
def test_no_part_of_a_key_is_left_where_a_reply_is_cut(kept):
    before = "y" * (MAX_TEXT - kept)
    done = asked(lambda key: JSONResponse({"choices": [{"message": {"content": before + key + " and so on"}}]}))
    assert done.text == (before + "*** and so on")[:MAX_TEXT]


@pytest.mark.parametrize("kept", [1, 8, 40, 47])
@pytest.mark.parametrize("size", [7, 50_000])
def test_no_part_of_a_key_is_left_where_a_stream_is_cut(kept, size):
    before, shown = "y" * (MAX_TEXT - kept), []

    def answer(key):
        text = before + key + " and so on" * 10
        edges = [0, *range(MAX_TEXT - 100, len(text), size)]
        parts = [text[start:end] for start, end in zip(edges, [*edges[1:], len(text)], strict=True)]
        return events(*map(piece, parts), piece("", finish_reason="stop"))

    done = asked(answer, on_token=lambda _, text: shown.append(text))
    assert done.text == "".join(shown) == (before + "***" + " and so on" * 10)[:MAX_TEXT]
    assert "" not in shown[1:]


def test_a_reply_that_is_short_enough_without_the_key_is_whole():
    done = asked(lambda key: JSONResponse({"choices": [{"message": {"content": "y" * (MAX_TEXT - 3) + key}}]}))
    assert (done.text, done.finish_reason) == ("y" * (MAX_TEXT - 3) + "***", None)


def test_no_part_of_a_key_is_left_where_the_name_of_a_model_is_cut():
    async def models(request):
        key = request.headers["authorization"].removeprefix("Bearer ")
        return JSONResponse({"data": [{"id": "m" * 180 + key}]})

    async def ask():
        app = Starlette(routes=[Route("/v1/models", models)])
        server = Server(url=URL, name="Mock", kind="api", key="MOCK_API_KEY")
        client = Client(lambda _: server, key_of=lambda _: SecretStr(KEY), transport=AppTransport(app))
        return await client.offers(URL)

    assert [offer.model for offer in in_no_time(ask())] == ["m" * 180 + "***"]
