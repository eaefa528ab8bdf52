"""What could not be done is listed until it is done, by whomever, or belongs to the sweep no more."""

import pytest

from characterbox.judging.judge import Judge
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store.sweeps import Task
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import cells_of
from tests.fakes.reasons import a_reason
from tests.fakes.sweeps import a_sweep

NOBODY = Endpoint.parse("http://127.0.0.1:9/v1#m")


@pytest.fixture
async def client():
    client = Client(patience=RetryPolicy(attempts=1))
    yield client
    await client.close()


@pytest.mark.slow
async def test_what_was_played_elsewhere_since_has_not_failed_any_more(store, client):
    sweep = a_sweep(judges=())
    first, *_ = cells_of(sweep)
    story = store.stories.create(first.script, first.casting, "sweep", id=first.id)
    await perform(store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
    store.sweeps.put("small", sweep.model_dump(mode="json"), "app")
    store.sweeps.failed("small", Task(first.id), a_reason("nobody was there"))
    await Run(store, client, sweep).run()
    assert store.sweeps.failures("small") == []


@pytest.mark.slow
async def test_what_a_judge_that_is_gone_could_not_do_is_forgotten(store, client):
    gone = Judge(name="Gone", endpoint=NOBODY)
    await Run(store, client, a_sweep(judges=(gone,))).run()
    assert {one.task.judge for one in store.sweeps.failures("small")} == {"Gone"}
    await Run(store, client, a_sweep()).run()
    assert store.sweeps.failures("small") == []
