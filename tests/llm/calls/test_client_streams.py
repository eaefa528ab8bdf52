"""Streams as endpoints send them: what counts as broken off, as silent, and how one is left. In virtual time."""

import asyncio
import json
import sys

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from characterbox.errors import EndpointDown
from characterbox.llm.calls.client import MAX_TEXT, Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.server import Server
from tests.fakes.virtual_time import in_no_time

URL = "http://mock/v1"
REQUEST = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "What does Ann do?"),))
END = "data: [DONE]\n\n"


def chunk(text, finish_reason=None, **more):
    return (
        f"data: {json.dumps({'choices': [{'delta': {'content': text}, 'finish_reason': finish_reason}], **more})}\n\n"
    )


async def pings(count):
    """One each second."""
    for _ in range(count):
        yield ": ping\n\n"
        await asyncio.sleep(1)


async def watched(stream, *, timeout=5):
    """The completion and what was shown of it, where a reply that is not streamed would be another one."""

    async def chat(request):
        if (await request.json()).get("stream"):
            return StreamingResponse(stream(), media_type="text/event-stream")
        return JSONResponse({"choices": [{"message": {"content": "asked anew"}}]})

    app, shown = Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])]), []
    server = Server(url=URL, name="Mock", kind="api", timeout=timeout)
    client = Client(lambda _: server, transport=AppTransport(app))
    done = await client.complete(
        Endpoint(url=URL, model="m"), REQUEST, seed=1, on_token=lambda _, piece: shown.append(piece)
    )
    return done, shown


def test_an_error_that_is_none_breaks_nothing_off():
    async def stream():
        yield chunk("She ", error=None)
        yield chunk("bows.", "stop", error=None)
        yield END

    done, shown = in_no_time(watched(stream))
    assert (done.text, done.usage.troubles, shown) == ("She bows.", (), ["", "She ", "bows."])


def test_an_error_in_a_stream_breaks_it_off():
    async def stream():
        yield chunk("She ")
        yield chunk("", error={"message": "overloaded"})
        yield END

    done, _ = in_no_time(watched(stream))
    assert (done.text, done.usage.troubles) == ("asked anew", ("response interrupted",))


@pytest.mark.parametrize("begun", [False, True])
def test_a_stream_that_only_says_that_it_is_alive_has_timed_out(begun):
    async def stream():
        if begun:
            yield chunk("She ")
        async for ping in pings(10_000):
            yield ping

    async def story():
        done, _ = await watched(stream)
        return done, asyncio.get_running_loop().time()

    done, took = in_no_time(story())
    assert (done.text, done.usage.troubles) == ("asked anew", ("timed out after 5 s",))
    assert 5 <= took <= 6


def test_a_stream_may_take_long_as_long_as_something_comes():
    async def stream():
        for word in ("She ", "bows ", "low."):
            async for ping in pings(4):
                yield ping
            yield chunk(word)
        yield chunk("", "stop")
        yield END
        async for ping in pings(10_000):
            yield ping

    done, _ = in_no_time(watched(stream))
    assert (done.text, done.usage.troubles) == ("She bows low.", ())


def test_an_endpoint_that_only_ever_pings_is_down():
    async def chat(_):
        return StreamingResponse(pings(10_000), media_type="text/event-stream")

    async def story():
        app = Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])
        client = Client(lambda url: Server(url=url, name="Mock", kind="api", timeout=5), transport=AppTransport(app))
        await client.complete(Endpoint(url=URL, model="m"), REQUEST, seed=1, on_token=lambda *_: None)

    with pytest.raises(EndpointDown, match="timed out after 5 s"):
        in_no_time(asyncio.wait_for(story(), 3600))


def test_a_stream_that_is_left_is_ended_there_and_then():
    left_over = []

    async def stream():
        for _ in range(100):
            yield chunk("ha " * 1000)
        yield END

    async def story():
        usual = sys.get_asyncgen_hooks().finalizer

        def note(generator):
            left_over.append(generator.__qualname__)
            usual(generator)

        sys.set_asyncgen_hooks(finalizer=note)
        return await watched(stream)

    done, _ = in_no_time(story())
    assert (len(done.text), done.finish_reason) == (MAX_TEXT, "length")
    assert [name for name in left_over if name in ("_events", "Response.aiter_bytes")] == []
