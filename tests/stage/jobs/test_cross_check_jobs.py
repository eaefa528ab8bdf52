"""Cross-checks in the app: one at a time for each story and model, stopped when told to, and gone on with."""

import pytest

from characterbox.errors import AddressError
from characterbox.judging.cross_check import checks_of, left_out
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.stage.jobs.model_jobs import Crosscheck
from tests.fakes.app_stage import app_stage
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until

pytestmark = pytest.mark.process

REHEARSAL = Endpoint.parse("rehearsal")


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_REHEARSAL_LATENCY", "0")
    with app_stage(f"sqlite:///{tmp_path}/checked.db") as stage:
        yield stage


def ended(stage):
    """A story that the rehearsal has played to its end."""
    scene = a_scene("Ann", "Bob", "Cai")
    id = stage.launch(Script(scene=scene, rounds=1), casting_at(REHEARSAL, scene)).id
    until(lambda: stage.store.stories.story(id).status == "ended")
    return stage.store.stories.story(id)


@pytest.mark.process
def test_a_cross_check_is_made_once_at_a_time_stopped_and_gone_on_with(stage):
    story = ended(stage)
    with mock_server(answers=0) as server:
        narrator = Endpoint(url=server.url, model="second")
        first = stage.jobs.start(Crosscheck(story, narrator))
        assert stage.jobs.start(Crosscheck(story, narrator)) is first
        until(lambda: server.seen)
        assert first.done == 0
        assert first.whole > 0
        first.stop()
        assert first.future.cancelled()
        server.answers = None
        # once the first lets go
        until(lambda: stage.jobs.start(Crosscheck(story, narrator)).future.exception(30) is None)
        (again,) = stage.jobs.of(Crosscheck, story.id)
        assert again is not first
        assert again.done == again.whole == first.whole
        assert stage.jobs.of(Crosscheck, "another") == []
    assert left_out(checks_of(stage.store, story).values()) == {}


def test_a_name_that_can_not_be_filed_is_refused_at_once(stage):
    with pytest.raises(AddressError, match="no letter or digit"):
        stage.jobs.start(Crosscheck(ended(stage), Endpoint(url="http://h/v1", model="--")))
