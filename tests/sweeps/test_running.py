"""A sweep plays and judges what is missing, and nothing twice."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from characterbox.errors import PlayedElsewhere, StoryError
from characterbox.judging.judge import Judge
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import Price, Prices
from characterbox.pause_reasons import Reason
from characterbox.store.sweeps import Task
from characterbox.sweeps.folder import sums_of, write_folder
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import cells_of
from tests.fakes.databases import store_in
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.fakes.sweeps import REHEARSAL, a_sweep, at_server, scenes

pytestmark = pytest.mark.slow

NOBODY = Endpoint.parse("http://127.0.0.1:9/v1#m")
PRICES = Prices({"m": Price(input=10.0, output=30.0)})


@pytest.fixture
def opened(tmp_path):
    """Opens databases by name; the same name is the same one."""
    stores = []

    def opened(name="sweep"):
        stores.append(store_in(tmp_path / f"{name}.db"))
        return stores[-1]

    yield opened
    for store in stores:
        store.close()


@pytest.fixture
def store(opened):
    return opened()


@asynccontextmanager
async def a_client(**more):
    client = Client(patience=RetryPolicy(attempts=2), transport=ToNearby(), **more)
    try:
        yield client
    finally:
        await client.close()


async def ran(store, sweep, **more):
    """The run of a sweep, to its end."""
    async with a_client() as client:
        run = Run(store, client, sweep, **more)
        await run.run()
        return run


async def test_all_is_played_and_judged_and_nothing_twice(store):
    sweep = a_sweep()
    run = await ran(store, sweep)
    assert run.progress.done
    assert (run.progress.played, run.progress.judged, run.progress.failed) == (4, 4, 0)
    assert {store.stories.story(cell.id).status for cell in cells_of(sweep)} == {"ended"}
    frame = store.ratings.frame()
    assert len(frame) == 4 * 2 * 7
    assert set(frame["rater"]) == {"Strict"}
    [heading] = store.sweeps.all()
    assert (heading.name, heading.status, heading.stories, heading.ended) == ("small", "ended", 4, 4)
    again = await ran(store, sweep)
    assert again.progress.done
    assert again.progress.calls == 0


async def test_a_rerun_does_only_what_is_missing(store):
    with nearby_mock() as server:
        sweep = at_server(server, scenes=scenes(1))
        await ran(store, sweep)
        before = len(server.seen)
        larger = at_server(server, scenes=scenes(2), name="larger")
        await ran(store, larger)
    assert len(server.seen) == 2 * before, "the first scene is not played or judged again"
    assert max(Counter(server.keys()).values()) == 2, "one prompt in each of the two scenes"


async def test_a_sweep_that_rests_goes_on_and_comes_to_the_same(opened, tmp_path):
    whole, broken = opened("whole"), opened("broken")
    sweep = a_sweep(scenes=scenes(3))
    await ran(whole, sweep)
    async with a_client(rehearsal_latency=0.01) as client:
        rested = 0
        while True:
            run = Run(broken, client, sweep)
            running = asyncio.ensure_future(run.run())
            while run.progress.calls < 20 and not running.done():
                await asyncio.sleep(0.002)
            run.rest()
            await running
            [heading] = broken.sweeps.all()
            if run.progress.done:
                break
            assert heading.status == "paused"
            assert heading.reason is None
            rested += 1
    assert rested > 1
    assert not broken.stories.unanswered(next(iter(cells_of(sweep))).id)
    for name, store in (("whole", whole), ("broken", broken)):
        write_folder(store, sweep, tmp_path / name)
    assert sums_of(tmp_path / "whole") == sums_of(tmp_path / "broken")


async def test_what_fails_is_listed_and_can_be_tried_alone(store):
    sweep = a_sweep(characters=(REHEARSAL, NOBODY), judges=(Judge(name="Strict", endpoint=REHEARSAL),
                                                            Judge(name="Gone", endpoint=NOBODY)))  # fmt: skip
    run = await ran(store, sweep)
    stories = {cell.id: cell for cell in cells_of(sweep)}
    failures = store.sweeps.failures("small")
    assert {(stories[one.task.story].character.model, one.task.judge) for one in failures} == {
        ("m", ""), ("rehearsal", "Gone"),
    }  # fmt: skip
    assert len(failures) == run.progress.failed == 4
    assert all("127.0.0.1:9" in str(one.reason) for one in failures)
    assert (run.progress.played, run.progress.judged) == (2, 2)
    assert not run.progress.done
    with nearby_mock() as server:
        there = Endpoint(url=server.url, model="m")
        mended = a_sweep(characters=(REHEARSAL, there), judges=(sweep.judges[0], Judge(name="Gone", endpoint=there)))
        judging = frozenset(one.task for one in failures if one.task.judge)
        await ran(store, mended, only=judging)
        assert {one.task for one in store.sweeps.failures("small")} == {
            one.task for one in failures if not one.task.judge
        }
        again = await ran(store, mended)
    assert again.progress.done
    assert store.sweeps.failures("small") == []


@pytest.mark.parametrize("budget", [0.03, 0.05])
async def test_the_budget_stops_it_and_more_lets_it_go_on(store, budget):
    with nearby_mock() as server:
        async with a_client(prices=PRICES) as client:
            run = Run(store, client, at_server(server, budget=budget))
            await run.run()
            assert not run.progress.done
            [heading] = store.sweeps.all()
            assert (heading.status, heading.reason) == ("paused", Reason("spent"))
            assert 0 < run.progress.spent <= budget
            assert run.progress.spent == pytest.approx(
                store.sweeps.spent([cell.id for cell in cells_of(run.sweep)], ["Strict"])
            )
            calls = run.progress.calls
            more = Run(store, client, at_server(server, budget=100.0))
            await more.run()
    assert more.progress.done
    assert len(server.seen) == calls + more.progress.calls
    assert max(Counter(server.keys()).values()) <= 2


async def test_judgements_that_wait_for_money_rest_with_the_sweep(store):
    with nearby_mock(answers=0) as server:
        judge = Judge(name="Strict", endpoint=Endpoint(url=server.url, model="m"))
        async with a_client(prices=PRICES) as client:
            run = Run(store, client, a_sweep(judges=(judge,), budget=0.04))
            running = asyncio.ensure_future(run.run())
            while not (server.seen and run.progress.played == run.progress.stories):
                await asyncio.sleep(0.01)  # all judgements are due, and the first of them is under way
            run.rest()
            server.answers = None
            await asyncio.wait_for(running, 120)
    [heading] = store.sweeps.all()
    assert (heading.status, heading.reason) == ("paused", None)
    assert not any(store.stories.unanswered(cell.id) for cell in cells_of(run.sweep)), "what was under way has come"
    assert run.progress.judged < run.progress.judgements


async def test_a_budget_needs_prices(store):
    async with a_client() as client:
        with pytest.raises(StoryError, match=r"no price for http://127.0.0.1:9/v1#m; add prices"):
            await Run(store, client, a_sweep(characters=(NOBODY,), budget=1.0)).run()
    assert store.sweeps.all() == []


async def test_no_more_calls_are_under_way_than_wanted(store):
    with nearby_mock() as server:
        under_way = most = 0

        class Counting(Client):
            async def complete(self, *args, **more):
                nonlocal under_way, most
                under_way += 1
                most = max(most, under_way)
                try:
                    return await super().complete(*args, **more)
                finally:
                    under_way -= 1

        client = Counting(transport=ToNearby())
        await Run(store, client, at_server(server, parallel={server.url: 3})).run()
        await client.close()
    assert most == 3


async def test_one_name_runs_once(store):
    with nearby_mock(answers=0) as server:
        async with a_client() as client:
            first = asyncio.ensure_future(Run(store, client, at_server(server)).run())
            while not server.seen:
                await asyncio.sleep(0.01)
            with pytest.raises(PlayedElsewhere, match=r"^sweep small: "):
                await Run(store, client, at_server(server)).run()
            server.answers = None
            assert (await first).done


async def test_a_story_that_people_ended_is_told(store):
    sweep = a_sweep()
    cell = next(iter(cells_of(sweep)))
    store.stories.create(cell.script, cell.casting, "sweep", id=cell.id)
    store.stories.move(cell.id, "stopped")
    run = await ran(store, sweep)
    [failure] = store.sweeps.failures("small")
    assert failure.task == Task(cell.id)
    assert "was ended early by a person" in str(failure.reason)
    assert run.progress.played == 3


async def test_what_stands_in_the_plan_no_more_belongs_to_the_sweep_no_more(store):
    await ran(store, a_sweep(characters=(REHEARSAL, NOBODY)))
    await ran(store, a_sweep(characters=(REHEARSAL,)))
    [heading] = store.sweeps.all()
    assert (heading.stories, store.sweeps.failures("small")) == (2, [])
    assert store.stories.count() == 4, "the stories stay"


async def test_an_address_that_was_there_is_waited_for(store, monkeypatch):
    monkeypatch.setattr("characterbox.sweeps.running._LOOK", 0.01)
    with nearby_mock() as server:
        server.faults.extend([None] * 30 + ["500 bare"] * 200)
        run = await ran(store, at_server(server, scenes=scenes(1)))
    assert run.progress.done
    assert run.progress.failed == 0


async def test_two_sweeps_that_share_stories_play_them_once_and_both_have_them(store):
    with nearby_mock(answers=1) as server:
        one, other = at_server(server), at_server(server, name="other")
        async with a_client() as client:
            runs = [Run(store, client, sweep) for sweep in (one, other)]
            running = [asyncio.ensure_future(run.run()) for run in runs]
            while not all(store.sweeps.at_work(run.sweep.name) for run in runs):
                await asyncio.sleep(0.01)
            server.answers = None
            await asyncio.gather(*running)
        asked = len(server.seen)
    assert [run.progress.done for run in runs] == [True, True]
    assert [heading.stories for heading in store.sweeps.all()] == [2, 2]
    assert store.sweeps.failures("small") == store.sweeps.failures("other") == []
    assert asked == sum(sum(counts) for counts in store.sweeps.replies([cell.id for cell in cells_of(one)]).values())


async def test_without_a_word_on_tokens_a_budget_can_not_be_kept(store, monkeypatch):
    async with a_client(prices=PRICES) as client:
        complete = client.complete

        async def untold(*args, **more):
            done = await complete(*args, **more)
            return replace(done, usage=replace(done.usage, price=None))

        monkeypatch.setattr(client, "complete", untold)
        with nearby_mock() as server:
            await Run(store, client, at_server(server, budget=5.0)).run()
            asked = len(server.seen)
            with pytest.raises(StoryError, match=r"did not report the token usage of a call.*; remove the budget$"):
                await Run(store, client, at_server(server, budget=5.0)).run()
            [heading] = store.sweeps.all()
            assert heading.status == "paused"
            assert "did not report the token usage of a call" in str(heading.reason)
            assert len(server.seen) == asked, "nothing more is paid for without being counted"
            again = Run(store, client, at_server(server, budget=None))
            assert (await again.run()).done


async def test_what_the_dearest_call_has_cost_is_known_after_a_pause(store, monkeypatch):
    """Each costs more than one would expect: what is left would do for what is expected, and not for another one."""
    async with a_client(prices=Prices({"m": Price(input=0.0, output=30.0)})) as client:
        complete = client.complete

        async def dear(*args, **more):
            done = await complete(*args, **more)
            return replace(done, usage=replace(done.usage, price=0.02))

        monkeypatch.setattr(client, "complete", dear)
        with nearby_mock() as server:
            runs = [Run(store, client, at_server(server, budget=0.05)) for _ in range(2)]
            for run in runs:
                await run.run()
    assert [run.progress.calls for run in runs] == [2, 0]
    assert [run.progress.spent for run in runs] == [0.04, 0.04]


async def test_a_dear_judge_of_many_free_stories_does_not_stop_them_before_anything_is_spent(store):
    with nearby_mock() as server:
        judge = Judge(name="Strict", endpoint=Endpoint(url=server.url, model="gpt-4"))
        async with a_client() as client:
            usual = client.price(judge.endpoint, 3000, 200)
            sweep = a_sweep(scenes=scenes(6), judges=(judge,), budget=6 * usual)
            assert (await Run(store, client, sweep).run()).done


async def test_what_others_ask_about_its_stories_is_not_its_own(store):
    with nearby_mock() as server:
        async with a_client(prices=PRICES) as client:
            sweep = at_server(server, scenes=scenes(1), judges=())
            await Run(store, client, sweep).run()
            [cell] = cells_of(sweep)
            before = store.sweeps.spent([cell.id], [])
            judged = at_server(server, scenes=scenes(1), name="judged")
            await Run(store, client, judged).run()
    assert store.sweeps.spent([cell.id], []) == before < store.sweeps.spent([cell.id], ["Strict"])


async def test_a_fault_that_nobody_thought_of_is_one_task_s(store, monkeypatch):
    stories = store.stories.story

    def broken(id):
        if id == next(iter(cells_of(a_sweep()))).id:
            raise RuntimeError("boom")
        return stories(id)

    monkeypatch.setattr(store.stories, "story", broken)
    run = await ran(store, a_sweep())
    [failure] = store.sweeps.failures("small")
    assert "RuntimeError" in str(failure.reason)
    assert (run.progress.played, run.progress.failed) == (3, 1)


async def test_trying_what_failed_alone_leaves_a_paused_sweep_paused(store):
    sweep = a_sweep(characters=(NOBODY, REHEARSAL))
    await ran(store, sweep)
    store.sweeps.rest("small", "paused")
    [one, _] = store.sweeps.failures("small")
    await ran(store, sweep, only=frozenset([one.task]))
    [heading] = store.sweeps.all()
    assert heading.status == "paused"


async def test_an_app_that_ends_takes_no_pause_back(store):
    with nearby_mock(answers=5) as server:
        async with a_client() as client:
            run = Run(store, client, at_server(server))
            running = asyncio.ensure_future(run.run())
            while len(server.seen) <= 5:
                await asyncio.sleep(0.01)
            run.rest()
            run.rest("running")
            server.answers = None
            await running
    [heading] = store.sweeps.all()
    assert heading.status == "paused"
