"""What a sweep would take is told before anything is asked, and is near what it takes."""

import asyncio

import pytest

from characterbox.judging.judge import Judge
from characterbox.judging.protocol import Protocol
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import Price, Prices
from characterbox.sweeps.progress import plan
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import cells_of
from tests.fakes.sweeps import REHEARSAL, a_sweep

pytestmark = pytest.mark.slow

PRICED = Endpoint.parse("http://127.0.0.1:9/v1#m")


def run(store, client, sweep):
    async def perform():
        run = Run(store, client, sweep)
        try:
            return await run.run()
        finally:
            await client.close()

    return asyncio.run(perform())


@pytest.mark.parametrize("protocol", [Protocol(), Protocol(manner="brief"), Protocol(replies="each")])
def test_calls_are_those_that_are_made_and_then_there_are_none(store, protocol):
    sweep = a_sweep(judges=(Judge(name="Strict", endpoint=REHEARSAL, protocol=protocol),), rounds=2)
    before = plan(store, Client(), sweep)
    done = before.progress
    assert (done.stories, done.played, done.judgements, done.judged) == (4, 0, 4, 0)
    assert before.seconds is None, "nothing is known yet of how long it takes"
    made = run(store, Client(), sweep)
    assert made.calls == pytest.approx(before.calls, rel=0.1)
    spent = [
        store.stories.costs(cell, "all").replies for cell in store.sweeps.statuses([one.id for one in cells_of(sweep)])
    ]
    assert sum(one.prompt_tokens for one in spent) == pytest.approx(before.prompt_tokens, rel=0.35)
    after = plan(store, Client(), sweep)
    assert (after.progress.played, after.progress.judged) == (4, 4)
    assert (after.calls, after.prompt_tokens, after.price) == (0, 0, 0)


def test_price_is_told_where_all_prices_are_known(store):
    sweep = a_sweep(narrators=(PRICED,))
    unknown = plan(store, Client(), sweep)
    assert unknown.price is None
    assert unknown.unpriced == [PRICED]
    known = plan(store, Client(prices=Prices({"m": Price(input=10.0, output=30.0)})), sweep)
    assert known.unpriced == []
    assert known.price > 0
    dearer = plan(store, Client(prices=Prices({"m": Price(input=20.0, output=60.0)})), sweep)
    assert dearer.price == pytest.approx(2 * known.price)


def test_nothing_is_stored_or_asked_by_a_plan(store):
    plan(store, Client(), a_sweep())
    assert store.stories.count() == 0
    assert store.sweeps.all() == []
    assert store.judges.latest("character") == {}


def test_time_follows_from_how_long_replies_took_and_how_many_are_asked_at_once(store):
    sweep = a_sweep()
    run(store, Client(rehearsal_latency=0.02), sweep)
    more = a_sweep(seeds=(1, 2, 3))
    fast = plan(store, Client(), more)
    slow = plan(store, Client(), a_sweep(seeds=(1, 2, 3), parallel={"rehearsal": 1}))
    assert fast.progress.played == slow.progress.played == 4
    latencies = [store.stories.usual(endpoint).latency for endpoint in {*more.endpoints}]
    assert min(latencies) * slow.calls < slow.seconds < max(latencies) * slow.calls
    assert 0 < fast.seconds < slow.seconds
