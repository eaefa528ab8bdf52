"""Every fault at every kind of call: none crashes, none passes unseen, and all end in a reply or an error that says it.

In virtual time, so that the pauses are those of real life.
"""

import asyncio
import json
from collections import deque
from itertools import pairwise

import pytest
from pydantic import SecretStr
from starlette.responses import JSONResponse, Response

from characterbox.errors import ContextOverflow, EndpointDown, EndpointError
from characterbox.llm.calls.client import MAX_TEXT, Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.server import Server
from characterbox.llm.usage import Price, Prices
from characterbox.play.replies.forms import RESULT
from tests.fakes.mock_server import MockServer
from tests.fakes.virtual_time import in_no_time

URL = "http://mock/v1"
ENDPOINT = Endpoint(url=URL, model="m")
PROSE = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "## Task: reaction\nAnn 行动"),))
FORM = Request("r1/ann/result", None, "en", (ChatMessage("user", "## Task: result"),), RESULT)
KINDS = {"whole": (PROSE, None), "watched": (PROSE, lambda *_: None), "structured": (FORM, None)}


def now():
    return asyncio.get_running_loop().time()


def server(**known):
    return Server(url=URL, name="Mock", kind="api", key="MOCK_API_KEY", **known)


def client_of(mock, key=None, **known):
    return Client(
        lambda _: server(**known), key_of=lambda _: key and SecretStr(key), transport=AppTransport(mock.app())
    )


def asked(mock, kind="whole", **known):
    """The completion, and how long it took."""

    async def ask():
        client = client_of(mock, **known)
        request, on_token = KINDS[kind]
        try:
            done = await client.complete(ENDPOINT, request, seed=1, on_token=on_token)
            return done, now()
        finally:
            await client.close()

    return in_no_time(ask())


PASSING = {
    "500": ("HTTP 500", 0.375, 0.625),
    "500 bare": ("HTTP 500", 0.375, 0.625),
    "429": ("HTTP 429", 0.375, 0.625),
    "429 in 1 s": ("HTTP 429", 1.0, 1.01),
    "429 bare": ("HTTP 429", 0.375, 0.625),
    "silent": ("timed out after 180 s", 180.375, 180.625),
    "no_choices": ("the response is not a chat completion", 0.375, 0.625),
    "no_message": ("the response is not a chat completion", 0.375, 0.625),
    "html": ("the response is not a chat completion", 0.375, 0.625),
    "malformed": ("the response is not a chat completion", 0.375, 0.625),
}
"""What may pass: how it is counted, and the range of seconds until the reply comes all the same."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_counted_and_asked_again(fault, kind):
    mock = MockServer()
    clean, _ = asked(mock, kind)
    mock.faults.append(fault)
    done, took = asked(mock, kind)
    trouble, least, most = PASSING[fault]
    assert done.usage.troubles == (trouble,)
    assert done.usage.attempts == len(mock.seen) - 1 == 2
    assert done.text == clean.text != ""
    assert least <= took <= most


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", PASSING)
def test_what_does_not_pass_is_down_with_its_reason(fault, kind):
    mock = MockServer(always=fault)
    with pytest.raises(EndpointDown, match=PASSING[fault][0]) as caught:
        asked(mock, kind)
    assert len(mock.seen) == (3 if fault == "silent" else 6)
    assert f"({len(mock.seen)} attempts)" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_reply_is_a_reply_that_is_empty(kind):
    done, _ = asked(MockServer(always="empty"), kind)
    assert (done.text, done.usage.troubles, done.finish_reason) == ("", (), "stop")


@pytest.mark.parametrize("kind", KINDS)
def test_a_megabyte_is_cut_off_and_says_so(kind):
    done, _ = asked(MockServer(always="1 MB"), kind)
    assert (len(done.text), done.usage.troubles, done.finish_reason) == (MAX_TEXT, (), "length")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["400", "401", "403", "404"])
def test_what_is_refused_is_an_error_at_once(fault, kind):
    mock = MockServer(always=fault)
    with pytest.raises(EndpointError, match=f"HTTP {fault}: out of order") as caught:
        asked(mock, kind)
    assert not isinstance(caught.value, EndpointDown | ContextOverflow)
    assert len(mock.seen) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_account_that_is_empty_is_down_at_once(kind):
    mock = MockServer(always="402")
    with pytest.raises(EndpointDown, match="HTTP 402"):
        asked(mock, kind)
    assert len(mock.seen) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_that_is_too_long_says_so(kind):
    mock = MockServer(window=5)
    with pytest.raises(ContextOverflow, match="too long"):
        asked(mock, kind)
    assert len(mock.seen) == 1


def test_pauses_grow_and_are_the_same_each_time():
    def times():
        mock, seen = MockServer(always="500 bare"), []
        chat = mock.chat

        async def noting(request):
            seen.append(now())
            return await chat(request)

        mock.chat = noting
        with pytest.raises(EndpointDown):
            asked(mock)
        return [later - earlier for earlier, later in pairwise(seen)]

    pauses = times()
    for pause, middle in zip(pauses, [0.5, 1, 2, 4, 8], strict=True):
        assert 0.75 * middle <= pause <= 1.25 * middle
    assert times() == pauses


@pytest.mark.parametrize(
    ("fault", "key", "advice"),
    [
        ("401", None, "set MOCK_API_KEY in the environment"),
        ("403", "sk-wrong-one", "check MOCK_API_KEY in the environment"),
        ("404", None, "check the URL"),
    ],
)
def test_a_refusal_says_what_to_do(fault, key, advice):
    with pytest.raises(EndpointError, match=advice) as caught:
        asked(MockServer(always=fault), key=key)
    assert "sk-wrong-one" not in str(caught.value)


def test_a_model_that_is_not_there_is_answered_by_those_that_are():
    with pytest.raises(EndpointError, match="the server offers alpha, beta"):
        asked(MockServer(faults=deque(["404"]), models=("alpha", "beta")))


def test_a_call_whose_reply_does_not_fit_beside_the_prompt_leaves_less_room_for_it():
    mock = MockServer()
    chat = mock.chat

    async def narrow(request):
        body = await request.json()
        if body["max_completion_tokens"] > 600:
            mock.seen.append(body)
            told = "'max_completion_tokens' is too large: 4000. This model's maximum context length is 2048 tokens"
            return JSONResponse({"error": {"message": told}}, 400)
        return await chat(request)

    mock.chat = narrow

    async def ask():
        client = client_of(mock)
        assert client.prompt_room(ENDPOINT) is None
        done = await client.complete(ENDPOINT, PROSE, seed=1)
        assert done.usage.troubles == ("bound of the reply refused",)
        assert client.prompt_room(ENDPOINT) == 2048 - 512
        assert (await client.complete(ENDPOINT, PROSE, seed=1)).usage.troubles == ()

    in_no_time(ask())
    assert [body["max_completion_tokens"] for body in mock.seen] == [4000, 512, 512]


def test_a_key_that_is_echoed_is_masked_also_in_the_pieces_of_a_stream():
    key = "wait in the rain"
    seen = []

    async def ask():
        client = client_of(MockServer(), key=key)
        done = await client.complete(ENDPOINT, PROSE, seed=1, on_token=lambda _, piece: seen.append(piece))
        assert done.text.startswith("They ***, mark-")
        assert "".join(seen) == done.text

    in_no_time(ask())


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_that_is_echoed_as_the_reason_why_a_reply_ends_is_masked_before_that_is_cut(kind):
    key = "sk-" + "0123456789" * 6
    mock = MockServer()

    async def echoing(request):
        body = await request.json()
        told = f"by\0 {request.headers['authorization']}, {'so ' * 30}"
        if body.get("stream"):
            lines = [{"choices": [{"delta": {"content": "Hm."}, "finish_reason": told}]}]
            text = "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"
            return Response(text, media_type="text/event-stream")
        return JSONResponse({"choices": [{"message": {"content": "Hm."}, "finish_reason": told}]})

    mock.chat = echoing
    done, _ = asked(mock, kind, key=key)
    assert done.finish_reason == ("by\ufffd Bearer ***, " + "so " * 30)[:40]
    assert done.text == "Hm."


def test_a_call_has_a_price_where_prices_are_known():
    async def ask(kind, known):
        described = Server(url=URL, name="X", kind=kind)
        client = Client(lambda _: described, prices=known, transport=AppTransport(MockServer().app()))
        return await client.complete(ENDPOINT, PROSE, seed=1)

    done = in_no_time(ask("api", Prices({"m": Price(input=1, output=3)})))
    assert done.usage.price == pytest.approx((done.usage.prompt_tokens + 3 * done.usage.completion_tokens) / 1e6)
    assert in_no_time(ask("vllm", Prices())).usage.price is None


def test_a_reply_that_has_come_does_not_depend_on_what_is_known_of_its_server():
    mock, looked_up = MockServer(), []

    def once(url):
        if looked_up:
            raise ConnectionError("the database is away")
        looked_up.append(url)
        return server()

    async def ask():
        client = Client(once, key_of=lambda _: None, transport=AppTransport(mock.app()))
        return await client.complete(ENDPOINT, PROSE, seed=1)

    assert in_no_time(ask()).text.startswith("They wait in the rain")
    assert len(mock.seen) == len(looked_up) == 1


LONG_AGO = "Wed, 21 Oct 2015 07:28:00 GMT"


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("when", ["0", LONG_AGO, "0.4"])
def test_who_asks_for_no_pause_is_given_one_that_grows(status, when):
    mock, times = MockServer(), []

    async def busy(_):
        times.append(now())
        return JSONResponse({}, status, headers={"Retry-After": when})

    mock.chat = busy
    with pytest.raises(EndpointDown, match=f"HTTP {status}"):
        asked(mock)
    for (earlier, later), middle in zip(pairwise(times), [0.5, 1, 2, 4, 8], strict=True):
        assert 0.75 * middle <= later - earlier <= 1.25 * middle


def test_what_a_server_may_be_asked_is_looked_up_at_each_attempt():
    mock, known = (
        MockServer(faults=deque(["500 bare", "500 bare"])),
        [server(reply_tokens=100 * n) for n in range(1, 40)],
    )

    async def ask():
        settings = iter(known)
        client = Client(lambda _: next(settings), key_of=lambda _: None, transport=AppTransport(mock.app()))
        await client.complete(ENDPOINT, PROSE, seed=1)

    in_no_time(ask())
    bounds = [body["max_completion_tokens"] for body in mock.seen]
    assert bounds == sorted(set(bounds))
    assert len(bounds) == 3
