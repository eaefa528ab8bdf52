"""Addresses that go down and come back: known to all calls at once, tried by one at a time. In virtual time."""

import asyncio
from collections import deque

import pytest

from characterbox.errors import EndpointDown, EndpointError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.server import Server
from tests.fakes.mock_server import MockServer
from tests.fakes.virtual_time import in_no_time

URL = "http://mock/v1"
ENDPOINT = Endpoint(url=URL, model="m")


def now():
    return asyncio.get_running_loop().time()


def request(number=0):
    return Request(f"r{number}/ann/action", "Ann", "en", (ChatMessage("user", f"## Task: reaction\n{number}"),))


def client_of(mock, **known):
    server = Server(url=URL, name="Mock", kind="api", **known)
    return Client(lambda _: server, transport=AppTransport(mock.app()))


async def ask(client, number=0, **options):
    return await client.complete(ENDPOINT, request(number), seed=1, **options)


async def ask_all(client, count):
    """The completions and errors of many calls at once."""
    return await asyncio.gather(*(ask(client, number) for number in range(count)), return_exceptions=True)


def test_many_calls_to_an_address_that_is_down_fail_soon_with_one_reason():
    mock = MockServer(always="500 bare", latency=1)

    async def story():
        client = client_of(mock, parallel=10)
        errors = await ask_all(client, 200)
        assert {type(error) for error in errors} == {EndpointDown}
        assert {str(error) for error in errors} == {
            f"endpoint {ENDPOINT}: HTTP 500: out of order 500 for None (6 attempts)"
        }
        assert now() < 60
        assert len(mock.seen) <= 300, "not six attempts for each"
        asked = len(mock.seen)
        with pytest.raises(EndpointDown):
            await ask(client)
        assert len(mock.seen) == asked
        assert "HTTP 500" in str(client.down(URL))

    in_no_time(story())


def test_after_a_while_one_call_tries_it_and_the_others_wait_for_that():
    mock = MockServer(always="500 bare")

    async def story():
        client = client_of(mock)
        await ask_all(client, 2)
        await asyncio.sleep(15)
        asked = len(mock.seen)
        errors = await ask_all(client, 50)
        assert {type(error) for error in errors} == {EndpointDown}
        assert len(mock.seen) == asked + 1
        await asyncio.sleep(29)
        with pytest.raises(EndpointDown):
            await ask(client)
        assert len(mock.seen) == asked + 1, "it is left alone for twice as long"
        await asyncio.sleep(1)
        mock.always = None
        replies = await ask_all(client, 50)
        assert [reply.usage.troubles for reply in replies] == [()] * 50
        assert client.down(URL) is None

    in_no_time(story())


def test_it_is_left_alone_for_five_minutes_at_most():
    mock = MockServer(always="500 bare")

    async def story():
        client = client_of(mock)
        rests = []
        await ask_all(client, 1)
        for _ in range(8):
            begun, asked = now(), len(mock.seen)
            while len(mock.seen) == asked:
                await asyncio.sleep(1)
                with pytest.raises(EndpointDown):
                    await ask(client)
            rests.append(round(now() - begun))
        assert rests == [15, 30, 60, 120, 240, 300, 300, 300]

    in_no_time(story())


def test_a_call_that_is_cancelled_while_it_tries_leaves_that_to_the_next():
    mock = MockServer(always="500 bare")

    async def story():
        client = client_of(mock)
        await ask_all(client, 1)
        await asyncio.sleep(15)
        mock.always, mock.latency = None, 5
        trial = asyncio.create_task(ask(client, 1))
        await asyncio.sleep(1)
        waiting = asyncio.create_task(ask(client, 2))
        await asyncio.sleep(1)
        assert not waiting.done()
        trial.cancel()
        assert (await waiting).usage.troubles == ()
        assert client.down(URL) is None

    in_no_time(story())


def poisoned(mock, fault):
    """Make one call fail, each time it is asked."""
    chat = mock.chat

    async def asked(call):
        if "\n13" in (await call.json())["messages"][0]["content"]:
            mock.faults.appendleft(fault)
        return await chat(call)

    mock.chat = asked


POISONS = {
    "500 bare": "HTTP 500",
    "no_message": "the response is not a chat completion",
    "html": "the response is not a chat completion",
    "silent": "timed out after 180 s",
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", POISONS)
def test_a_call_that_fails_each_time_while_others_succeed_has_failed_for_good(fault):
    mock = MockServer()
    poisoned(mock, fault)

    async def story():
        client = client_of(mock)
        bad = asyncio.create_task(ask(client, 13))
        while not bad.done():
            await asyncio.sleep(1)
            assert (await ask(client, 14)).usage.troubles == ()
        with pytest.raises(
            EndpointError, match=f"{POISONS[fault]}.*attempts.*, while other calls got through"
        ) as caught:
            await bad
        assert not isinstance(caught.value, EndpointDown), "it would be asked again for ever"
        assert client.down(URL) is None

    in_no_time(story())


def test_a_call_that_is_told_to_come_later_while_others_succeed_has_not_failed_for_good():
    mock = MockServer()
    poisoned(mock, "429 bare")

    async def story():
        client = client_of(mock)
        bad = asyncio.create_task(ask(client, 13))
        while not bad.done():
            await asyncio.sleep(1)
            assert (await ask(client, 14)).usage.troubles == ()
        with pytest.raises(EndpointDown, match="HTTP 429"):
            await bad
        assert client.down(URL) is None

    in_no_time(story())


def test_others_that_succeeded_before_an_address_went_down_tell_nothing_of_the_call():
    mock = MockServer()
    poisoned(mock, "500 bare")

    async def story():
        client = client_of(mock)
        bad = asyncio.create_task(ask(client, 13))
        await asyncio.sleep(0.1)
        assert (await ask(client, 14)).usage.troubles == ()
        with pytest.raises(EndpointDown, match="HTTP 500"):
            await bad

    in_no_time(story())


def test_a_429_with_a_time_holds_all_calls_to_the_address():
    mock, times = MockServer(faults=deque(["429 in 1 s"])), []
    chat = mock.chat

    async def noting(asked):
        times.append(now())
        return await chat(asked)

    mock.chat = noting

    async def story():
        client = client_of(mock)
        first = asyncio.create_task(ask(client, 1))
        await asyncio.sleep(0.5)
        others = await ask_all(client, 3)
        assert [other.usage.troubles for other in others] == [()] * 3
        assert (await first).usage.troubles == ("HTTP 429",)

    in_no_time(story())
    assert times[0] == 0
    assert all(at >= 1 for at in times[1:])


def test_an_address_that_asks_for_a_long_rest_is_down_for_that_time():
    mock = MockServer(faults=deque(["429 in 90 s"]))

    async def story():
        client = client_of(mock)
        with pytest.raises(EndpointDown, match="it asks for 90 s of rest"):
            await ask(client)
        await asyncio.sleep(89)
        assert not await client.reachable(URL)
        with pytest.raises(EndpointDown):
            await ask(client)
        assert len(mock.seen) == 1
        await asyncio.sleep(1)
        assert await client.reachable(URL)
        assert (await ask(client)).usage.troubles == ()

    in_no_time(story())


@pytest.mark.slow
def test_a_crowd_that_is_told_to_come_later_gets_through_in_the_end():
    """An endpoint that takes 10 calls a second, while nobody has told us so."""
    mock, taken = MockServer(), {}
    chat = mock.chat

    async def limited(asked):
        second = int(now())
        taken[second] = taken.get(second, 0) + 1
        if taken[second] > 10:
            mock.faults.append("429 in 1 s")
        return await chat(asked)

    mock.chat = limited

    async def story():
        replies = await ask_all(client_of(mock), 150)
        assert [reply for reply in replies if isinstance(reply, Exception)] == []
        assert max(reply.usage.attempts for reply in replies) > 6
        assert now() < 40

    in_no_time(story())


def test_who_waits_for_stories_learns_when_an_address_is_back():
    mock = MockServer(always="500 bare")

    async def story():
        client = client_of(mock)
        assert await client.reachable(URL), "it was never called, and somebody is there"
        await ask_all(client, 1)
        mock.always = None
        assert not await client.reachable(URL), "it is left alone yet"
        await asyncio.sleep(15)
        assert await client.reachable(URL)
        assert client.down(URL) is not None, "that is for a call to find out"
        assert (await ask(client)).usage.troubles == ()
        assert client.down(URL) is None

    in_no_time(story())


@pytest.mark.parametrize("fault", ["500 bare", "429 bare", "html", "silent"])
def test_an_address_that_does_not_tell_its_models_is_found_back_by_calls_that_keep_to_its_times(fault):
    mock, asked_at = MockServer(always="500 bare"), []
    chat = mock.chat

    async def noting(asked):
        asked_at.append(now())
        return await chat(asked)

    async def no_list(asked):
        return await MockServer(always=fault, models=()).offered(asked)

    mock.chat, mock.offered = noting, no_list

    async def story():
        client = client_of(mock)
        await ask_all(client, 1)
        asked_at.clear()
        begun = now()
        while now() - begun < 160:
            await asyncio.sleep(5)
            if await client.reachable(URL):
                with pytest.raises(EndpointDown):
                    await ask(client)
        assert len(asked_at) == 3, "left alone for 15, 30 and 60 seconds, and 10 more at most where all is silent"
        assert all(
            later - earlier >= rest
            for earlier, later, rest in zip([begun, *asked_at[:2]], asked_at, [15, 30, 60], strict=True)
        )
        mock.always = None
        await asyncio.sleep(120)
        assert await client.reachable(URL)
        assert (await ask(client)).usage.troubles == ()
        assert client.down(URL) is None

    in_no_time(story())


def test_a_person_can_have_it_tried_at_once():
    mock = MockServer(always="500 bare")

    async def story():
        client = client_of(mock)
        await ask_all(client, 1)
        mock.always = None
        client.try_again(URL)
        assert (await ask(client)).usage.troubles == ()

    in_no_time(story())


def test_what_was_learned_is_forgotten_when_the_address_goes_down():
    mock = MockServer(refused_fields={"seed"})

    async def story():
        client = client_of(mock)
        await ask(client)
        mock.always = "500 bare"
        await ask_all(client, 1)
        mock.always, mock.refused_fields = None, set()
        client.try_again(URL)
        await ask(client)
        assert "seed" in mock.seen[-1]

    in_no_time(story())


def test_an_answer_that_refuses_shows_that_the_address_is_back():
    mock = MockServer(always="500 bare")

    async def story():
        client = client_of(mock)
        await ask_all(client, 1)
        client.try_again(URL)
        mock.always = "401"
        with pytest.raises(EndpointError, match="HTTP 401"):
            await ask(client)
        assert client.down(URL) is None

    in_no_time(story())


def test_limits_by_the_minute_and_watched_calls_reach_the_server():
    mock = MockServer()

    async def story():
        client = client_of(mock, requests_per_minute=2)
        calls = [asyncio.create_task(ask(client, number)) for number in range(4)]
        await asyncio.sleep(1)
        calls.append(asyncio.create_task(ask(client, 9, urgent=lambda: True)))
        await asyncio.gather(*calls)
        assert round(now()) == 120

    in_no_time(story())
    order = [body["messages"][0]["content"][-1] for body in mock.seen]
    assert order[:2] == ["0", "1"]
    assert order.index("9") == 2


def test_tokens_by_the_minute_are_counted_by_what_was_used():
    mock = MockServer()

    async def story():
        client = client_of(mock, tokens_per_minute=1000)
        for number in range(10):
            await ask(client, number)
        assert now() == 0, "10 calls of some 50 tokens each fit into one minute"

    in_no_time(story())


def test_calls_that_are_cancelled_leave_the_gate_open():
    mock = MockServer(latency=5)

    async def story():
        client = client_of(mock, parallel=2)
        calls = [asyncio.create_task(ask(client, number)) for number in range(6)]
        await asyncio.sleep(1)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        begun = now()
        assert [reply.usage.troubles for reply in await ask_all(client, 2)] == [()] * 2
        assert now() - begun == pytest.approx(5)

    in_no_time(story())
