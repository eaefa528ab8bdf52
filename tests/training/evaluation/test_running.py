"""An evaluation does what is missing, asks nothing twice, keeps its budget, and tells how far it is."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager

import pytest

from characterbox.errors import PlayedElsewhere, TrainingError
from characterbox.judging.judge import Judge
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import Price, Prices
from characterbox.processes.concurrency import held
from characterbox.training.evaluation.plan import Models, plan_evaluation
from characterbox.training.evaluation.progress import standing_of, taken
from characterbox.training.evaluation.running import EvaluationRun
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.training.evaluation.conftest import BEST, HELD_OUT, PLAIN, WOODEN

pytestmark = pytest.mark.slow

JUDGE = Judge.parse("GPT-4=rehearsal")
PRICES = Prices({name: Price(input=10.0, output=30.0) for name in ("base", "tuned")})
MODELS = {
    "narrator": Models(base=WOODEN, tuned=PLAIN, teacher=BEST, characters=BEST, judges=(JUDGE,), rounds=1),
    "judge": Models(base=WOODEN, tuned=PLAIN),
    "guided": Models(base=WOODEN, tuned=PLAIN, teacher=BEST, narrator=BEST, judges=(JUDGE,), rounds=1),
}
RECIPES = {"narrator": {}, "judge": {"judge": "GPT-4"}, "guided": {"judge": "GPT-4"}}


def at(server, model):
    return Endpoint(url=server.url, model=model)


@asynccontextmanager
async def a_client(**more):
    client = Client(patience=RetryPolicy(attempts=1), transport=ToNearby(), **more)
    try:
        yield client
    finally:
        await client.close()


async def takes(store, plan, **more):
    async with a_client(**more) as client:
        return await asyncio.to_thread(taken, store, client, plan)


async def ran(store, plan, **more):
    """A run of an evaluation, to its end."""
    async with a_client(**more) as client:
        run = EvaluationRun(store, client, plan)
        await run.run()
        return run


@pytest.mark.parametrize("kind", MODELS)
async def test_all_that_was_planned_is_done_and_nothing_twice(store, run_folder, kind):
    _, evaluated = await run_folder(kind, **RECIPES[kind])
    plan = plan_evaluation(store, evaluated, MODELS[kind])
    found = await takes(store, plan)
    before = found.progress
    counts = {
        "narrator": (3 * HELD_OUT, 3 * HELD_OUT, True),
        "judge": (0, 2 * HELD_OUT, False),
        "guided": (3 * HELD_OUT, 3 * HELD_OUT, False),
    }
    assert (before.stories, before.judgements, before.decisions > 0) == counts[kind]
    assert (before.played, before.made, before.decided, before.done) == (0, 0, 0, False)
    assert (found.price, found.unpriced) == (0, [])
    told = []
    async with a_client() as client:
        run = EvaluationRun(store, client, plan, told.append)
        done = await run.run()
    assert done.done
    assert (done.stories, done.judgements, done.decisions) == (before.stories, before.judgements, before.decisions)
    assert (run.status, run.failures) == ("ended", [])
    assert done.calls == pytest.approx(found.calls, rel=0.1), "the plan told about as many"
    parts = [(one.played, one.made, one.decided) for one in told]
    assert parts == sorted(parts), "it goes forward only"
    assert (told[-1].played, told[-1].made, told[-1].decided) == (done.played, done.made, done.decided)
    after = await takes(store, plan)
    assert (after.calls, after.progress.done) == (0, True)
    assert (await ran(store, plan)).progress.calls == 0


async def test_what_is_asked_of_a_judge_is_planned_to_the_call(store, run_folder):
    _, evaluated = await run_folder("judge", judge="GPT-4")
    plan = plan_evaluation(store, evaluated, MODELS["judge"])
    found = await takes(store, plan)
    run = await ran(store, plan)
    assert found.calls == run.progress.calls


async def test_it_rests_and_goes_on_and_asks_nothing_twice(store, run_folder):
    _, evaluated = await run_folder("narrator")
    with nearby_mock() as server:
        models = Models(base=at(server, "base"), tuned=at(server, "tuned"), characters=at(server, "all"), rounds=1)
        plan = plan_evaluation(store, evaluated, models)
        rested = 0
        async with a_client() as client:
            while True:
                run = EvaluationRun(store, client, plan)
                seen = len(server.seen)
                running = asyncio.ensure_future(run.run())
                while len(server.seen) < seen + 40 and not running.done():
                    await asyncio.sleep(0.002)
                run.rest()
                done = await running
                if done.done:
                    break
                assert run.status == "paused"
                assert run.resting
                rested += 1
        assert rested > 1
        asked = Counter((body["model"], key) for body, key in zip(server.seen, server.keys(), strict=True))
    known = store.sweeps.reading_costs(plan.stories, ["check/base/", "check/tuned/"])
    checks = sum(costs.calls for costs in known.values())
    assert checks == done.decisions
    assert max(asked.values()) <= 2, "once as it narrates, and once as it is cross-checked"
    assert len(server.seen) == checks + sum(
        costs.calls for costs in store.sweeps.costs([*store.scores.stories_of(plan.called)], []).values()
    )


async def test_what_fails_is_told_and_done_by_the_next_run(store, run_folder):
    _, evaluated = await run_folder("judge", judge="GPT-4", critique=True)
    with nearby_mock() as server:
        plan = plan_evaluation(store, evaluated, Models(base=at(server, "base"), tuned=PLAIN))
        server.always = "401"
        failed = await ran(store, plan)
        assert (failed.progress.judged, failed.progress.judgements) == (HELD_OUT, 2 * HELD_OUT)
        assert {one.what for one in failed.failures} == {f"{id}/base" for id in plan.stories}
        assert not failed.progress.done
        server.always = None
        found = await takes(store, plan)
        again = await ran(store, plan)
    assert (again.progress.done, again.progress.judged, again.failures) == (True, 2 * HELD_OUT, [])
    assert again.progress.calls == found.calls


async def test_scores_that_can_not_be_read_are_counted_and_not_asked_for_again(store, run_folder):
    _, evaluated = await run_folder("judge", judge="GPT-4")
    with nearby_mock(style="prose") as server:
        plan = plan_evaluation(store, evaluated, Models(base=at(server, "base"), tuned=PLAIN))
        done = (await ran(store, plan)).progress
        assert (done.judged, done.unread, done.failed, done.done) == (HELD_OUT, HELD_OUT, HELD_OUT, True)
        seen = len(server.seen)
        assert (await ran(store, plan)).progress.unread == HELD_OUT
        assert len(server.seen) == seen


async def test_it_stays_within_its_budget_and_goes_on_with_more(store, run_folder):
    _, evaluated = await run_folder("judge", judge="GPT-4", critique=True)
    with nearby_mock() as server:
        models = Models(base=at(server, "base"), tuned=at(server, "tuned"))
        plan = plan_evaluation(store, evaluated, models)
        with pytest.raises(TrainingError, match=r"there is no price for .*#base, .*#tuned"):
            await ran(store, plan.model_copy(update={"budget": 1.0}))
        assert (await takes(store, plan, prices=PRICES)).price > 0.05
        small = plan.model_copy(update={"budget": 0.05})
        part = await ran(store, small, prices=PRICES)
        assert (part.status, part.reason.code) == ("paused", "spent")
        assert 0 < part.progress.spent <= small.budget
        assert part.progress.judged < part.progress.judgements
        still = await ran(store, small, prices=PRICES)
        assert (still.status, still.reason.code) == ("paused", "spent")
        assert part.progress.spent <= still.progress.spent <= small.budget, "at most what a shorter prompt takes"
        assert still.progress.calls < part.progress.calls
        done = await ran(store, plan.model_copy(update={"budget": 5.0}), prices=PRICES)
    assert done.progress.done
    assert done.progress.spent > part.progress.spent
    assert done.progress.spent == pytest.approx(standing_of(store, plan).spent)


async def test_the_budget_covers_what_is_played_and_what_is_read(store, run_folder):
    _, evaluated = await run_folder("narrator")
    with nearby_mock() as server:
        models = Models(base=at(server, "base"), tuned=at(server, "tuned"), characters=BEST, rounds=1)
        plan = plan_evaluation(store, evaluated, models)
        whole = await ran(store, plan.model_copy(update={"budget": 50.0}), prices=PRICES)
        played = store.sweeps.spent([*store.scores.stories_of(plan.called)], [])
        read = store.sweeps.reading_costs(plan.stories, ["check/"])
        assert whole.progress.spent == pytest.approx(played + sum(one.price for one in read.values()))
        assert played < whole.progress.spent


@pytest.mark.parametrize("kind", ["judge", "narrator"])
async def test_a_held_out_story_that_is_not_there_is_not_waited_for(store, run_folder, kind):
    _, evaluated = await run_folder(kind, **RECIPES[kind])
    plan = plan_evaluation(store, evaluated, MODELS[kind])
    lacking = plan.model_copy(update={"stories": (*plan.stories[1:], "0123456789ab")})
    assert 0 < (await takes(store, lacking)).calls < (await takes(store, plan)).calls
    run = await ran(store, lacking)
    assert run.failures == []
    assert run.progress.done


async def test_one_evaluation_is_done_once_at_a_time(store, run_folder):
    _, evaluated = await run_folder("judge", judge="GPT-4")
    plan = plan_evaluation(store, evaluated, MODELS["judge"])
    async with held(store.sweeps.claimed(plan.called)):
        with pytest.raises(PlayedElsewhere):
            await ran(store, plan)


async def test_a_judge_of_the_same_name_that_judges_otherwise_has_judged_nothing_of_it(store, client, run_folder):
    """Another version under the name of a model must not pass for what is evaluated."""
    _, evaluated = await run_folder("judge", judge="GPT-4")
    plan = plan_evaluation(store, evaluated, MODELS["judge"])
    await ran(store, plan)
    with_critique = plan.model_copy(update={"critique": True})
    assert (await takes(store, with_critique)).progress.judged == 0
    assert (await ran(store, with_critique)).progress.done
