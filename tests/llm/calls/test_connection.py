"""The gate: who may pass, and when. All in virtual time."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.llm.calls.connection import MINUTE, RateLimit, never
from characterbox.llm.server import Server
from tests.fakes.virtual_time import in_no_time


def gate(parallel=1000, requests=None, tokens=None):
    gate = RateLimit()
    allow(gate, parallel, requests, tokens)
    return gate


def allow(gate, parallel=1000, requests=None, tokens=None):
    gate.allow(
        Server(
            url="http://x/v1",
            name="X",
            kind="api",
            parallel=parallel,
            requests_per_minute=requests,
            tokens_per_minute=tokens,
        )
    )


def now():
    return asyncio.get_running_loop().time()


async def visit(gate, log, name, *, takes=1.0, tokens=0, used=None, urgent=never):
    """Pass the gate, note it with the time, and stay for a while."""
    place = await gate.enter(gate.ticket(), tokens, urgent)
    log.append((name, round(now(), 2)))
    await asyncio.sleep(takes)
    gate.leave(place, used)


async def all_of(*visits):
    async with asyncio.TaskGroup() as group:
        for one in visits:
            group.create_task(one)


def test_no_more_are_under_way_than_may_be_and_all_pass_in_order():
    async def story():
        g, log, most = gate(parallel=3), [], 0

        async def one(number):
            nonlocal most
            place = await g.enter(g.ticket())
            most = max(most, g.under_way)
            log.append(number)
            await asyncio.sleep(1)
            g.leave(place)

        await all_of(*(one(number) for number in range(10)))
        assert log == list(range(10))
        assert most == 3
        assert (g.under_way, g.waiting) == (0, 0)
        assert now() == pytest.approx(4)

    in_no_time(story())


def test_who_is_urgent_when_a_place_gets_free_goes_first():
    async def story():
        g, log = gate(parallel=1), []
        watched = False
        calls = [visit(g, log, name) for name in "ab"]
        calls += [visit(g, log, name, urgent=lambda: watched) for name in "c"]
        calls += [visit(g, log, "d", urgent=lambda: now() > 2.5)]

        async def look():
            nonlocal watched
            await asyncio.sleep(0.5)
            watched = True

        await all_of(*calls, look())
        assert [name for name, _ in log] == ["a", "c", "b", "d"]

    in_no_time(story())


def test_among_those_who_are_urgent_the_first_goes_first():
    async def story():
        g, log = gate(parallel=1), []
        await all_of(
            *(visit(g, log, name, urgent=lambda name=name: name in "xy") for name in "abxcy"),
        )
        assert [name for name, _ in log] == ["a", "x", "y", "b", "c"]

    in_no_time(story())


def test_a_call_that_is_asked_again_keeps_its_place_in_the_order():
    async def story():
        g, log = gate(parallel=1), []
        old = g.ticket()
        first = await g.enter(g.ticket())

        async def again():
            await g.enter(old)
            log.append("old")

        waiting = [asyncio.create_task(visit(g, log, "new")), asyncio.create_task(again())]
        await asyncio.sleep(0)
        g.leave(first)
        await asyncio.sleep(0)
        assert log == ["old"]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    in_no_time(story())


def test_requests_per_minute_count_over_the_last_sixty_seconds():
    async def story():
        g, log = gate(requests=3), []
        await all_of(*(visit(g, log, number) for number in range(7)))
        assert [at for _, at in log] == [0, 0, 0, 60, 60, 60, 120]

    in_no_time(story())


def test_tokens_per_minute_are_set_aside_and_corrected_by_what_was_used():
    async def story():
        g, log = gate(tokens=1000), []
        await all_of(*(visit(g, log, name, tokens=400, used=100) for name in "abc"))
        assert log == [("a", 0), ("b", 0), ("c", 1)], "what was set aside is given back when the reply has come"
        await visit(g, log, "d", tokens=600, used=900)
        await visit(g, log, "e", tokens=100)
        assert log[3:] == [("d", 2), ("e", 61)], "a and b have left the minute, c not yet"

    in_no_time(story())


def test_a_request_that_is_too_large_for_a_minute_waits_for_an_empty_one():
    async def story():
        g, log = gate(tokens=100), []
        await visit(g, log, "small", tokens=10)
        await visit(g, log, "large", tokens=500)
        await visit(g, log, "small", tokens=10)
        assert [at for _, at in log] == [0, 60, 120]

    in_no_time(story())


def test_a_gate_that_is_held_lets_nobody_pass():
    async def story():
        g, log = gate(), []
        g.hold(30)
        g.hold(10)
        await all_of(*(visit(g, log, name) for name in "ab"))
        assert [at for _, at in log] == [30, 30]

    in_no_time(story())


def test_a_gate_that_is_held_while_some_wait_holds_them_too():
    async def story():
        g, log = gate(requests=1), []
        waiting = asyncio.create_task(all_of(*(visit(g, log, name) for name in "ab")))
        await asyncio.sleep(50)
        g.hold(100)
        await waiting
        assert log == [("a", 0), ("b", 150)]

    in_no_time(story())


def test_new_limits_hold_at_once():
    async def story():
        g, log = gate(parallel=1), []
        waiting = asyncio.create_task(all_of(*(visit(g, log, name, takes=10) for name in "abc")))
        await asyncio.sleep(1)
        allow(g, parallel=3)
        await waiting
        assert [at for _, at in log] == [0, 1, 1]
        allow(g, parallel=3, requests=1)
        await all_of(*(visit(g, log, name) for name in "de"))
        assert [round(at) for _, at in log[3:]] == [11, 71]

    in_no_time(story())


def test_those_who_wait_can_be_turned_away():
    async def story():
        g = gate(parallel=1)
        place = await g.enter(g.ticket())
        waiting = [asyncio.create_task(g.enter(g.ticket())) for _ in range(3)]
        await asyncio.sleep(0)
        assert g.waiting == 3
        g.turn_away()
        assert await asyncio.gather(*waiting) == [None] * 3
        g.leave(place)
        assert (g.under_way, g.waiting) == (0, 0)
        assert await g.enter(g.ticket()) is not None

    in_no_time(story())


def test_who_is_cancelled_while_waiting_takes_no_place():
    async def story():
        g, log = gate(parallel=1, requests=2), []
        place = await g.enter(g.ticket())
        gone, stays = (asyncio.create_task(visit(g, log, name)) for name in ("gone", "stays"))
        await asyncio.sleep(1)
        gone.cancel()
        g.leave(place)
        await stays
        assert log == [("stays", 1)]
        assert (g.under_way, g.waiting) == (0, 0)

    in_no_time(story())


def test_who_is_cancelled_in_the_moment_of_being_let_in_gives_the_place_back():
    async def story():
        g, log = gate(parallel=1, requests=2, tokens=100), []
        place = await g.enter(g.ticket(), 10)
        gone = asyncio.create_task(visit(g, log, "gone", tokens=50))
        stays = asyncio.create_task(visit(g, log, "stays", tokens=80))
        await asyncio.sleep(1)
        g.leave(place)
        gone.cancel()
        await stays
        assert log == [("stays", 1)], "neither its place nor its share of the minute is lost"
        assert g.under_way == 0

    in_no_time(story())


VISITS = st.lists(
    st.tuples(
        st.floats(0, 200), st.integers(0, 120), st.floats(0, 30), st.booleans(), st.one_of(st.none(), st.floats(0, 90))
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=60)
@given(VISITS, st.integers(1, 4), st.integers(1, 6), st.integers(50, 200))
def test_whatever_comes_no_minute_has_more_than_is_allowed(visits, parallel, requests, tokens):
    async def story():
        g, left = gate(parallel, requests, tokens), []

        async def one(at, size, takes, urgent, cancelled):
            await asyncio.sleep(at)
            try:
                async with asyncio.timeout(cancelled):
                    place = await g.enter(g.ticket(), size, lambda: urgent)
            except TimeoutError:
                return
            left.append((now(), size))
            assert g.under_way <= parallel
            await asyncio.sleep(takes)
            g.leave(place)

        await all_of(*(one(*visit) for visit in visits))
        assert (g.under_way, g.waiting) == (0, 0)
        for start, _ in left:
            within = [size for at, size in left if start <= at < start + MINUTE]
            assert len(within) <= requests
            assert sum(within) <= tokens or len([size for size in within if size]) == 1
        stay = sum(1 for visit in visits if visit[4] is None)
        assert len(left) >= stay

    in_no_time(story())
