"""The transport hands a body on while the application still sends it, and ends the application with the reader."""

import asyncio

import httpx2
import pytest

from characterbox.llm.rehearsal.transport import AppTransport

START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}


def part(body, more):
    return {"type": "http.response.body", "body": body, "more_body": more}


def client_of(app, **options):
    return httpx2.AsyncClient(transport=AppTransport(app), base_url="http://app", **options)


async def test_a_piece_arrives_before_the_next_is_sent():
    read = asyncio.Event()

    async def app(scope, receive, send):
        await send(START)
        await send(part(b"first", True))
        await read.wait()
        await send(part(b"second", False))

    async with client_of(app) as client, client.stream("GET", "/") as response:
        pieces = response.aiter_raw()
        assert await asyncio.wait_for(anext(pieces), 1) == b"first"
        read.set()
        assert [piece async for piece in pieces] == [b"second"]


async def test_the_application_sees_the_request_as_it_was_sent():
    seen = {}

    async def app(scope, receive, send):
        seen.update(scope)
        seen["message"] = await receive()
        await send({"type": "http.response.start", "status": 201})
        await send(part(b"", False))

    async with client_of(app) as client:
        response = await client.post("/a%20b?q=%C3%A9", content=b"hello", headers={"X-Name": "value"})
    assert response.status_code == 201
    assert (seen["method"], seen["path"], seen["raw_path"], seen["query_string"]) == (
        "POST",
        "/a b",
        b"/a%20b",
        b"q=%C3%A9",
    )
    assert (b"x-name", b"value") in seen["headers"]
    assert seen["message"] == {"type": "http.request", "body": b"hello", "more_body": False}


async def test_the_application_is_ended_when_the_reader_leaves():
    ended = asyncio.Event()

    async def app(scope, receive, send):
        await send(START)
        await send(part(b"first", True))
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with client_of(app) as client:
        async with client.stream("GET", "/") as response:
            assert await anext(response.aiter_raw()) == b"first"
        assert ended.is_set()


async def test_an_error_of_the_application_is_raised_to_the_reader():
    async def app(scope, receive, send):
        raise LookupError("broken")

    async with client_of(app) as client:
        with pytest.raises(LookupError, match="broken"):
            await client.get("/")


@pytest.mark.parametrize("messages", [[], [START], [START, part(b"half", True)]])
async def test_an_unfinished_response_is_an_error(messages):
    async def app(scope, receive, send):
        for message in messages:
            await send(message)

    async with client_of(app) as client:
        with pytest.raises(httpx2.RemoteProtocolError, match="before its response was complete"):
            await client.get("/")


async def test_a_silent_application_times_out():
    async def app(scope, receive, send):
        await asyncio.Event().wait()

    async with client_of(app, timeout=0.02) as client:
        with pytest.raises(httpx2.ReadTimeout):
            await client.get("/")


async def test_a_request_that_is_given_up_ends_the_application():
    begun, ended = asyncio.Event(), asyncio.Event()

    async def app(scope, receive, send):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with client_of(app) as client:
        request = asyncio.create_task(client.get("/"))
        await begun.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
    assert ended.is_set()
