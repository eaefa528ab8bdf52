"""Judgements that could not be read are among the failures of a sweep, and are asked for again on purpose only."""

import pytest

from characterbox.judging.judge import Judge
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Endpoint
from characterbox.store.sweeps import Task
from characterbox.sweeps.progress import failures_of, standing
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import cells_of
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.fakes.sweeps import REHEARSAL, a_sweep, scenes

pytestmark = pytest.mark.slow


@pytest.fixture
def server():
    with nearby_mock(style="prose") as server:
        yield server


def judged_at(server, count=2, **changes):
    """A sweep of two models, each in so many scenes, of which only the judge is asked of the server."""
    judge = Judge(name="Strict", endpoint=Endpoint(url=server.url, model="m"))
    return a_sweep(judges=(judge,), scenes=scenes(count), **changes)


async def ran(store, sweep, only=None):
    client = Client(patience=RetryPolicy(attempts=1), transport=ToNearby())
    try:
        return await Run(store, client, sweep, only=only).run()
    finally:
        await client.close()


def failures(store, sweep):
    return failures_of(store, sweep, [*cells_of(sweep)])


async def in_part(store, server):
    """Of four stories two, of the first scene, could not be judged."""
    await ran(store, judged_at(server, 1))
    server.style = "json"
    sweep = judged_at(server)
    return sweep, await ran(store, sweep)


async def test_they_are_listed_with_the_reason_and_no_plain_run_asks_for_them(store, server):
    sweep, progress = await in_part(store, server)
    unread = {cell.id for cell in cells_of(sweep) if cell.scene.id == "watch-1"}
    assert (progress.judged, progress.unread, progress.failed, progress.done) == (2, 2, 2, True)
    found = failures(store, sweep)
    assert {one.task for one in found} == {Task(id, "Strict") for id in unread}
    assert all(str(one.reason).startswith("at least one metric has no score: ") for one in found)
    assert len({one.reason for one in found}) == 1, "they are told together"
    asked = len(server.seen)
    assert (await ran(store, sweep)).calls == 0
    assert len(server.seen) == asked
    known = standing(store, sweep, [*cells_of(sweep)])
    assert (known.judged, known.unread, known.failed, known.done) == (2, 2, 2, True)


async def test_tried_again_alone_they_are_asked_as_new_takes_and_the_rest_is_not(store, server):
    sweep, _ = await in_part(store, server)
    one, other = failures(store, sweep)
    server.seen.clear()
    progress = await ran(store, sweep, frozenset([one.task]))
    assert server.tasks() == {"scores": 2}, "one for each character, and no critique"
    assert (progress.judged, progress.unread, progress.failed) == (3, 1, 1)
    assert failures(store, sweep) == [other]
    takes = store.stories.takes(one.task.story, "judge/strict/ann/scores")
    assert [take.take for take in takes] == [0, 1]
    missing = store.ratings.frame().query("score != score")
    assert missing["item"].str.startswith(other.task.story).all()
    progress = await ran(store, sweep, frozenset([other.task]))
    assert (progress.judged, progress.unread, progress.failed) == (4, 0, 0)
    assert failures(store, sweep) == []


async def test_what_can_not_be_read_again_stays_among_them(store, server):
    sweep, _ = await in_part(store, server)
    tasks = frozenset(one.task for one in failures(store, sweep))
    server.style = "prose"
    progress = await ran(store, sweep, tasks)
    assert (progress.judged, progress.unread, progress.failed) == (2, 2, 2)
    assert {one.task for one in failures(store, sweep)} == tasks


async def test_what_fails_as_it_is_tried_again_is_told_with_that_reason(store, server):
    sweep, _ = await in_part(store, server)
    tasks = frozenset(one.task for one in failures(store, sweep))
    server.always = "401"
    progress = await ran(store, sweep, tasks)
    assert (progress.judged, progress.failed, progress.done) == (2, 2, False)
    assert all("HTTP 401" in str(one.reason) for one in failures(store, sweep))
    assert {one.task for one in failures(store, sweep)} == tasks
    server.always = None
    assert (await ran(store, sweep)).calls == 0, "it is still unread, which a plain run leaves alone"
    assert (await ran(store, sweep, tasks)).failed == 0


async def test_what_was_judged_again_elsewhere_is_no_failure_any_more(store, server):
    sweep, _ = await in_part(store, server)
    other = judged_at(server, name="other", characters=(REHEARSAL,))
    await ran(store, other, frozenset(one.task for one in failures(store, other)))
    [left] = failures(store, sweep)
    assert standing(store, sweep, [*cells_of(sweep)]).unread == 1
    assert next(cell.character.model for cell in cells_of(sweep) if cell.id == left.task.story) == "other"
