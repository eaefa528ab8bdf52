"""Sweeps in the app: they rest and go on as people want, and at the next start where the app ended."""

import pytest

from characterbox.errors import StoryError
from characterbox.llm.calls.client import Client
from characterbox.stage.stage import Stage
from tests.fakes.databases import store_in
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.fakes.sweeps import at_server, scenes
from tests.fakes.waiting import until

pytestmark = pytest.mark.process


@pytest.fixture
def opened(tmp_path):
    """Opens the stage on one database, as an app does that starts again."""
    stages = []

    def opened():
        if stages:
            stages.pop().close()
        stages.append(Stage(store_in(tmp_path / "stage.db"), Client(transport=ToNearby())))
        return stages[-1]

    yield opened
    stages.pop().close()


@pytest.fixture
def server():
    """It answers twenty calls, and more when it is told to."""
    with nearby_mock(answers=20) as server:
        yield server


@pytest.fixture
def sweep(server):
    return at_server(server, scenes=scenes(2))


def status(stage):
    [heading] = stage.store.sweeps.all()
    return heading.status


def test_a_sweep_rests_and_goes_on(opened, server, sweep):
    stage = opened()
    stage.sweepings.start(sweep)
    sweeping = stage.sweepings.of("small")
    until(lambda: len(server.seen) > 20)
    with pytest.raises(StoryError, match="it is running"):
        stage.sweepings.start(sweep)
    stage.sweepings.rest("small")
    server.answers = None
    until(lambda: not sweeping.under_way)
    assert status(stage) == "paused"
    assert not sweeping.run.progress.done
    stage.sweepings.start(sweep)
    again = stage.sweepings.of("small")
    until(lambda: not again.under_way)
    assert again.run.progress.done
    assert again.last_error is None
    assert status(stage) == "ended"


def test_a_sweep_goes_on_where_the_app_ended(opened, server, sweep):
    first = opened()
    first.sweepings.start(sweep)
    until(lambda: len(server.seen) > 20)
    server.answers = 30  # what is under way comes as it closes, and not much more
    second = opened()
    server.answers = None
    assert status(second) == "running"
    second.resume_all()
    until(lambda: not second.sweepings.of("small").under_way)
    assert second.sweepings.of("small").run.progress.done


def test_a_sweep_that_was_put_aside_stays_aside(opened, server, sweep):
    first = opened()
    first.sweepings.start(sweep)
    until(lambda: len(server.seen) > 20)
    first.sweepings.rest("small")
    server.answers = None
    until(lambda: not first.sweepings.of("small").under_way)
    second = opened()
    second.resume_all()
    assert second.sweepings.of("small") is None
