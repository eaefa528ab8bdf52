"""The chat client against a server that fails in the ways servers fail, over the network where that matters."""

import asyncio
import json
from dataclasses import replace

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from characterbox.errors import EndpointDown, EndpointError
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.sampling import Sampling
from characterbox.llm.server import Server
from characterbox.play.replies.forms import ACTION, RESULT
from tests.fakes.in_process_servers import ToNearby, nearby, nearby_mock
from tests.fakes.mock_server import mock_server

PROSE = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "## Task: reaction\nAnn 行动"),))
FORM = Request("r1/ann/result", None, "en", (ChatMessage("user", "## Task: result"),), RESULT)
ACTED = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "## Task: action\nAnn"),), ACTION)
KEY = "sk-very-secret-key"
QUICK = RetryPolicy(pause=0.001)
MAX_TOKENS = 4000


def registered(url):
    if url == REHEARSAL:
        return Server.unregistered(url)
    return Server(url=url, name="Lab", kind="api", key="LAB_API_KEY")


@pytest.fixture
async def client():
    client = Client(registered, key_of=lambda _: SecretStr(KEY), patience=QUICK, transport=ToNearby())
    yield client
    await client.close()


@pytest.fixture
async def calling():
    """A client that calls over the network."""
    client = Client(registered, key_of=lambda _: SecretStr(KEY), patience=QUICK)
    yield client
    await client.close()


@pytest.fixture
def server():
    with nearby_mock() as server:
        yield server


@pytest.fixture
def remote():
    """The server on a port."""
    with mock_server() as server:
        yield server


def endpoint(server, model="m"):
    return Endpoint(url=server.url, model=model)


async def refused(client, server, request=PROSE, **options):
    """The one line of the failure."""
    with pytest.raises(EndpointError) as caught:
        await client.complete(endpoint(server), request, seed=1, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert KEY not in message
    assert server.url in message
    return message


@pytest.mark.process
async def test_over_the_network_a_reply_is_what_it_is_in_this_process(client, server, calling, remote):
    for on_token in (None, lambda *_: None):
        for request in (PROSE, FORM):
            near = await client.complete(endpoint(server), request, seed=5, on_token=on_token)
            far = await calling.complete(endpoint(remote), request, seed=5, on_token=on_token)
            assert replace(far.usage, latency=0.0) == replace(near.usage, latency=0.0)
            assert (far.text, far.finish_reason) == (near.text, near.finish_reason)
    assert remote.seen == server.seen


async def test_a_call_brings_its_text_and_what_it_took(client, server):
    done = await client.complete(endpoint(server), PROSE, seed=5)
    assert done.text.startswith("They wait in the rain, mark-")
    assert (done.usage.attempts, done.usage.prompt_tokens, done.usage.completion_tokens) == (1, 7, len(done.text))
    assert (done.usage.cached_tokens, done.finish_reason) == (None, "stop")
    [body] = server.seen
    assert (body["model"], body["seed"]) == ("m", 5)
    assert body["messages"] == [{"role": "user", "content": "## Task: reaction\nAnn 行动"}]
    assert "response_format" not in body


async def test_a_streamed_reply_is_the_same_as_one_that_came_whole(client, server):
    pieces = []
    streamed = await client.complete(
        endpoint(server), PROSE, seed=5, on_token=lambda request, piece: pieces.append((request.path, piece))
    )
    whole = await client.complete(endpoint(server), PROSE, seed=5)
    assert [body.get("stream") for body in server.seen] == [True, None]
    assert pieces[0] == (PROSE.path, "")
    assert len(pieces) == 3
    assert "".join(piece for _, piece in pieces) == streamed.text == whole.text
    assert streamed.finish_reason == whole.finish_reason
    assert replace(streamed.usage, latency=0.0) == replace(whole.usage, latency=0.0)


async def test_of_a_reply_in_a_form_the_text_of_its_live_field_is_shown(client, server):
    pieces = []
    streamed = await client.complete(endpoint(server), ACTED, seed=5, on_token=lambda _, piece: pieces.append(piece))
    whole = await client.complete(endpoint(server), ACTED, seed=5)
    assert (server.seen[0]["stream"], server.formats()) == (True, ["json_schema"] * 2)
    assert streamed.text == whole.text
    assert pieces[0] == ""
    assert "".join(pieces) == json.loads(whole.text)["action"]


async def test_a_form_that_does_not_stream_is_asked_for_as_a_whole_from_then_on(client, server):
    server.streams_forms = False
    for path in ("r1/ann/action", "r1/bea/action"):
        done = await client.complete(endpoint(server), replace(ACTED, path=path), seed=5, on_token=lambda *_: None)
        assert "action" in json.loads(done.text)
    await client.complete(endpoint(server), PROSE, seed=5, on_token=lambda *_: None)
    assert [body.get("stream") for body in server.seen] == [True, None, None, True]
    assert server.formats() == ["json_schema"] * 3 + ["none"]


async def test_a_structured_reply_without_a_live_field_is_not_streamed_but_announced(client, server):
    pieces = []
    await client.complete(endpoint(server), FORM, seed=1, on_token=lambda _, piece: pieces.append(piece))
    assert pieces == [""]
    assert server.formats() == ["json_schema"]
    assert server.seen[0]["response_format"]["json_schema"]["schema"] == RESULT.schema


@pytest.mark.parametrize(
    ("refused_formats", "first", "later"),
    [
        (set(), ["json_schema"], "json_schema"),
        ({"json_schema"}, ["json_schema", "json_object"], "json_object"),
        ({"json_schema", "json_object"}, ["json_schema", "json_object", "none"], "none"),
    ],
)
async def test_the_format_that_an_endpoint_takes_is_found_once(client, server, refused_formats, first, later):
    server.refused_formats = refused_formats
    await client.complete(endpoint(server), FORM, seed=1)
    assert server.formats() == first
    await client.complete(endpoint(server), FORM, seed=2)
    assert server.formats() == [*first, later]


async def test_the_format_is_remembered_for_each_endpoint_of_its_own(client, server):
    server.refused_formats = {"json_schema"}
    await client.complete(endpoint(server, "m"), FORM, seed=1)
    await client.complete(endpoint(server, "n"), FORM, seed=1)
    assert server.formats() == ["json_schema", "json_object"] * 2


async def test_a_refusal_that_is_not_about_the_format_leaves_the_format_alone(client, server):
    server.faults.append("400")
    await refused(client, server, FORM)
    await client.complete(endpoint(server), FORM, seed=1)
    assert server.formats() == ["json_schema", "json_schema"]


SENT = {"seed", "max_completion_tokens", "stream", "stream_options"}


@pytest.mark.parametrize("refusal", [400, 422])
@pytest.mark.parametrize(
    ("fields", "calls", "sent"),
    [
        ({"seed"}, 2, SENT - {"seed"}),
        ({"max_completion_tokens"}, 2, SENT - {"max_completion_tokens"} | {"max_tokens"}),
        ({"max_completion_tokens", "max_tokens"}, 3, SENT - {"max_completion_tokens"}),
        ({"stream_options"}, 2, SENT - {"stream_options"}),
        ({"seed", "stream_options", "max_completion_tokens", "max_tokens"}, 5, {"stream"}),
    ],
)
async def test_what_an_endpoint_refuses_is_left_out_from_then_on(client, server, refusal, fields, calls, sent):
    server.refused_fields, server.refusal = fields, refusal
    done = await client.complete(endpoint(server), PROSE, seed=1, on_token=lambda *_: None)
    assert done.usage.attempts == len(server.seen) == calls
    assert set(server.seen[-1]) == {"model", "messages", *sent}
    assert {server.seen[-1].get(bound, MAX_TOKENS) for bound in ("max_completion_tokens", "max_tokens")} == {MAX_TOKENS}
    done = await client.complete(endpoint(server), PROSE, seed=2, on_token=lambda *_: None)
    assert done.usage.attempts == 1
    assert set(server.seen[-1]) == {"model", "messages", *sent}
    await client.complete(endpoint(server, "n"), PROSE, seed=1, on_token=lambda *_: None)
    assert len(server.seen) == 2 * calls + 1, "another model finds out for itself"


async def test_a_reply_tells_which_options_were_not_taken(client, server):
    request = replace(PROSE, sampling=Sampling())
    assert (await client.complete(endpoint(server), request, seed=1)).usage.refused == ()
    assert (server.seen[-1]["temperature"], server.seen[-1]["top_p"]) == (0.5, 1.0)
    server.refused_fields = {"temperature", "seed", "max_completion_tokens"}
    first, later = [await client.complete(endpoint(server), request, seed=1) for _ in range(2)]
    assert first.usage.refused == later.usage.refused == ("seed", "temperature")
    assert (first.usage.attempts, later.usage.attempts, server.seen[-1]["top_p"]) == (4, 1, 1.0)
    unsent = await client.complete(endpoint(server), PROSE, seed=1)
    assert unsent.usage.refused == ("seed",), "what was never asked for can't be missed"


async def test_a_field_and_a_format_that_are_refused_are_told_apart(client, server):
    server.refused_fields, server.refused_formats = {"seed"}, {"json_schema"}
    done = await client.complete(endpoint(server), FORM, seed=1)
    assert (server.formats()[-1], "seed" in server.seen[-1]) == ("json_object", False)
    assert done.usage.attempts == len(server.seen) == 3


async def test_an_endpoint_that_knows_no_formats_is_asked_without(client, server):
    server.refused_fields = {"response_format"}
    await client.complete(endpoint(server), FORM, seed=1)
    assert server.formats() == ["json_schema", "json_object", "none"]
    assert server.seen[-1]["seed"] == 1


async def test_calls_that_failed_before_a_refusal_are_counted(client, server):
    server.faults.append("500")
    server.refused_fields = {"seed"}
    done = await client.complete(endpoint(server), PROSE, seed=1)
    assert done.usage.attempts == len(server.seen) == 3


async def test_what_can_not_be_left_out_is_told(client, server):
    server.refused_fields = {"model"}
    assert "Extra inputs are not permitted" in await refused(client, server)
    assert len(server.seen) == 1


async def test_nothing_is_learned_from_a_call_that_fails_in_the_end(client, server):
    server.refused_fields = {"seed", "stream"}
    await refused(client, server, on_token=lambda *_: None)
    assert ["seed" in body for body in server.seen] == [True, False]
    server.refused_fields = set()
    await client.complete(endpoint(server), PROSE, seed=1)
    assert server.seen[-1]["seed"] == 1


@pytest.mark.parametrize("watched", [False, True])
async def test_a_reply_that_was_cut_off_says_so(client, server, watched):
    server.faults.append("length")
    done = await client.complete(endpoint(server), PROSE, seed=1, on_token=(lambda *_: None) if watched else None)
    assert done.finish_reason == "length"
    assert done.usage.completion_tokens == len(done.text) > 0


@pytest.mark.parametrize("faults", [["500"], ["500", "500", "500"], ["429"], ["429", "500"], ["reset"]])
@pytest.mark.parametrize("watched", [False, True])
async def test_what_passes_is_tried_again_and_counted(client, server, faults, watched):
    server.faults.extend(faults)
    on_token = (lambda *_: None) if watched else None
    done = await client.complete(endpoint(server), PROSE, seed=1, on_token=on_token)
    assert done.usage.attempts == len(server.seen) == len(faults) + 1
    assert done.text == (await client.complete(endpoint(server), PROSE, seed=1)).text


async def test_what_stays_broken_fails_after_all_retries(client, server):
    server.always = "500"
    message = await refused(client, server)
    assert "out of order 500" in message
    assert "6 attempts" in message
    assert len(server.seen) == 6


async def test_a_stream_that_always_breaks_off_fails_too(client, server):
    server.always = "reset"
    await refused(client, server, on_token=lambda *_: None)
    assert [body.get("stream") for body in server.seen] == [True] + [None] * 5


@pytest.mark.parametrize("fault", ["401", "400"])
async def test_a_refusal_is_not_tried_again(client, server, fault):
    server.always = fault
    await refused(client, server)
    assert len(server.seen) == 1


@pytest.mark.parametrize("fault", ["html", "no_choices", "no_message"])
@pytest.mark.parametrize("watched", [False, True])
async def test_an_answer_that_is_no_completion_is_a_failure(client, server, fault, watched):
    server.always = fault
    await refused(client, server, on_token=(lambda *_: None) if watched else None)


async def test_a_server_that_repeats_the_key_does_not_bring_it_out(client, server):
    server.always = "401"
    assert server.authorization is None
    assert "Bearer ***" in await refused(client, server)
    assert server.authorization == f"Bearer {KEY}"


async def test_nobody_at_the_address_is_told_in_one_line(calling):
    nobody = Endpoint(url="http://127.0.0.1:9/v1", model="m")
    with pytest.raises(EndpointError, match=r"127\.0\.0\.1:9.*connection refused \(6 attempts\)") as caught:
        await calling.complete(nobody, PROSE, seed=1)
    assert "\n" not in str(caught.value)


async def test_the_rehearsal_is_reached_without_a_server(client):
    done = await client.complete(Endpoint.parse("rehearsal"), PROSE, seed=1)
    again = await client.complete(Endpoint.parse("rehearsal"), PROSE, seed=1, on_token=lambda *_: None)
    assert done.text == again.text
    assert done.usage.price == 0


@pytest.mark.process
@pytest.mark.parametrize(
    ("fault", "watched", "trouble"),
    [
        ("closed", False, "connection lost"),
        ("closed", True, "connection lost"),
        ("reset", False, "response interrupted"),
        ("reset", True, "response interrupted"),
        ("silent", False, "timed out after 1 s"),
        ("silent", True, "timed out after 1 s"),
    ],
)
async def test_what_goes_wrong_on_the_wire_is_named(remote, fault, watched, trouble):
    impatient = Server(url=remote.url, name="Mock", kind="api", timeout=1.0 if fault == "silent" else 30.0)
    client = Client(lambda _: impatient, patience=QUICK)
    remote.faults.append(fault)
    done = await client.complete(endpoint(remote), PROSE, seed=1, on_token=(lambda *_: None) if watched else None)
    await client.close()
    assert done.usage.troubles == (trouble,)


@pytest.mark.process
async def test_who_is_there_can_be_asked(calling, remote):
    nobody = Endpoint(url="http://127.0.0.1:9/v1", model="m")
    assert not await calling.reachable(nobody.url)
    assert await calling.reachable(remote.url)
    with pytest.raises(EndpointDown):
        await calling.complete(nobody, PROSE, seed=1)
    assert str(calling.down(nobody.url)) == "connection refused (6 attempts)"
    assert calling.down(remote.url) is None


@pytest.mark.process
async def test_connections_are_used_again(calling, remote, monkeypatch):
    opened = []
    connect = asyncio.get_running_loop().create_connection

    async def counting(*arguments, **more):
        opened.append(arguments)
        return await connect(*arguments, **more)

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", counting)
    for watched in (False, True) * 5:
        await calling.complete(endpoint(remote), PROSE, seed=1, on_token=(lambda *_: None) if watched else None)
    await asyncio.gather(*(calling.complete(endpoint(remote), PROSE, seed=1) for _ in range(3)))
    assert len(opened) == 3


async def test_a_redirection_is_not_followed_but_told(client):
    async def elsewhere(_):
        return RedirectResponse("https://elsewhere.example/v1/chat/completions")

    with nearby(Starlette(routes=[Route("/v1/chat/completions", elsewhere, methods=["POST"])])) as address:
        with pytest.raises(EndpointError, match=r"HTTP 307: it leads on to https://elsewhere\.example"):
            await client.complete(Endpoint(url=f"{address}/v1", model="m"), PROSE, seed=1)
        await client.close()


async def test_an_answer_without_bottom_is_no_completion(client):
    async def deep(_):
        return Response("[" * 100_000, media_type="application/json")

    with nearby(Starlette(routes=[Route("/v1/chat/completions", deep, methods=["POST"])])) as address:
        with pytest.raises(EndpointDown, match="the response is not a chat completion"):
            await client.complete(Endpoint(url=f"{address}/v1", model="m"), PROSE, seed=1)
        await client.close()
