"""Experiments in the app: one at a time for each judge, stopped when told to, and gone on with."""

import asyncio
import threading

import pytest

from characterbox.judging.experiments import planned, variations
from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.jobs.jobs import Jobs
from characterbox.stage.jobs.model_jobs import Experiment
from tests.fakes.databases import store_in
from tests.fakes.scripted_judge import ScriptedJudge
from tests.fakes.stories import a_story

JUDGE = Judge(name="J", endpoint=Endpoint(url="http://127.0.0.1:8000/v1", model="critic"))


class Held(ScriptedJudge):
    """Answers three times, and then nothing until it is let."""

    async def complete(self, *given, **more):
        while len(self.asked) >= 3 and not self.let.is_set():
            self.waits.set()
            await asyncio.sleep(0.01)
        return await super().complete(*given, **more)


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def all_given_up():
    """Waits until nothing else is under way."""
    while len(asyncio.all_tasks()) > 1:
        await asyncio.sleep(0.01)


def test_an_experiment_is_made_once_at_a_time_stopped_and_gone_on_with(tmp_path, loop):
    store = store_in(tmp_path / "tried.db")
    story = a_story(store)
    store.stories.move(story.id, "ended")
    client = Held(lambda *_: 3)
    client.let, client.waits = threading.Event(), threading.Event()
    jobs = Jobs(store, client, loop)

    def trials():
        return planned(store, [store.stories.story(story.id)], JUDGE, variations(JUDGE, ["shuffled"], 0))

    first = jobs.start(Experiment(trials()))
    assert client.waits.wait(30)
    assert jobs.start(Experiment(trials())) is first
    first.stop()
    assert first.future.cancelled()
    asyncio.run_coroutine_threadsafe(all_given_up(), loop).result(30)
    client.let.set()
    second = jobs.start(Experiment(trials()))
    assert second is not first
    second.future.result(30)
    assert jobs.of(Experiment) == [second]
    assert second.done == len(second.trials) == 2
    assert store.ratings.tried() == [("J", "shuffled")]
    assert len({request.path for request in client.asked}) == 8
    store.close()
