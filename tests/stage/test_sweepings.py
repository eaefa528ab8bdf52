"""Sweeps in the app: they rest and go on as people want, and at the next start where the app ended."""

import time

import pytest

from characterbox.errors import StoryError
from characterbox.llm.client import Client
from characterbox.stage.stage import Stage
from tests.fakes.databases import store_in
from tests.fakes.sweeps import a_sweep, scenes

pytestmark = pytest.mark.process

SWEEP = a_sweep(scenes=scenes(4), rounds=2)


@pytest.fixture
def opened(tmp_path):
    """Opens the stage on one database, as an app does that starts again."""
    stages = []

    def opened():
        if stages:
            stages.pop().close()
        stages.append(Stage(store_in(tmp_path / "stage.db"), Client(rehearsal_latency=0.02)))
        return stages[-1]

    yield opened
    stages.pop().close()


def until(holds, seconds=60.0):
    """Wait until it holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def status(stage):
    [heading] = stage.store.sweeps.all()
    return heading.status


def test_a_sweep_rests_and_goes_on(opened):
    stage = opened()
    stage.sweepings.start(SWEEP)
    sweeping = stage.sweepings.of("small")
    until(lambda: sweeping.progress.calls > 20)
    with pytest.raises(StoryError, match="it is under way"):
        stage.sweepings.start(SWEEP)
    stage.sweepings.rest("small")
    until(lambda: not sweeping.under_way)
    assert status(stage) == "paused"
    assert not sweeping.progress.done
    stage.sweepings.start(SWEEP)
    again = stage.sweepings.of("small")
    until(lambda: not again.under_way)
    assert again.progress.done
    assert again.fault is None
    assert status(stage) == "ended"


def test_a_sweep_goes_on_where_the_app_ended(opened):
    first = opened()
    first.sweepings.start(SWEEP)
    until(lambda: first.sweepings.of("small").progress.calls > 20)
    second = opened()
    assert status(second) == "running"
    second.resume_all()
    until(lambda: not second.sweepings.of("small").under_way)
    assert second.sweepings.of("small").progress.done


def test_a_sweep_that_was_put_aside_stays_aside(opened):
    first = opened()
    first.sweepings.start(SWEEP)
    until(lambda: first.sweepings.of("small").progress.calls > 5)
    first.sweepings.rest("small")
    until(lambda: not first.sweepings.of("small").under_way)
    second = opened()
    second.resume_all()
    assert second.sweepings.of("small") is None
