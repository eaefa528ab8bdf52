"""Rewritings of parts in the app: one at a time for each story, model and character, by those who may direct."""

import pytest

from characterbox.accounts.account import Account
from characterbox.errors import NotAllowed
from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.stage.jobs.reflection_jobs import Reflecting, ReflectionJudging
from characterbox.training.reflection.judging import judgings_of
from characterbox.training.reflection.running import reflection_of
from tests.fakes.app_stage import app_stage
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until

pytestmark = pytest.mark.process

REHEARSAL = Endpoint.parse("rehearsal")
JUDGE = Judge.parse("J=rehearsal")
RESEARCHER = Account(id="r", name="Ray", role="researcher")


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_REHEARSAL_LATENCY", "0")
    with app_stage(f"sqlite:///{tmp_path}/rewritten.db") as stage:
        yield stage


def ended(stage):
    """A story that the rehearsal has played to its end."""
    scene = a_scene("Ann", "Bob")
    id = stage.launch(Script(scene=scene, rounds=1), casting_at(REHEARSAL, scene)).id
    until(lambda: stage.store.stories.story(id).status == "ended")
    return stage.store.stories.story(id)


def test_a_part_is_rewritten_once_at_a_time_stopped_and_gone_on_with(stage):
    story = ended(stage)
    with mock_server(answers=0) as server:
        model = Endpoint(url=server.url, model="second")
        first = stage.jobs.start(Reflecting.by(RESEARCHER, story, "Ann", model))
        assert stage.jobs.start(Reflecting.by(RESEARCHER, story, "Ann", model)) is first
        other = stage.jobs.start(Reflecting.by(RESEARCHER, story, "Bob", REHEARSAL))
        assert other.future.result(30).complete
        assert other.done == other.whole
        until(lambda: server.seen)
        assert first.done == 0
        first.stop()
        assert first.future.cancelled()
        assert not reflection_of(stage.store, story, "Ann", model).complete
        server.answers = None
        # once the first lets go
        until(lambda: stage.jobs.start(Reflecting(story, "Ann", model)).future.exception(30) is None)
        again = stage.jobs.last(Reflecting, *first.key)
        assert again is not first
        assert again.done == again.whole > 0
    assert reflection_of(stage.store, story, "Ann", model) == again.future.result()


@pytest.mark.parametrize("role", ["viewer", "expert"])
def test_whoever_may_not_direct_has_nothing_rewritten(stage, role):
    vera, story = Account(id="v", name="Vera", role=role), ended(stage)
    with pytest.raises(NotAllowed):
        Reflecting.by(vera, story, "Ann", REHEARSAL)
    with pytest.raises(NotAllowed):
        ReflectionJudging.by(vera, stage.store, story, [], JUDGE)
    assert stage.store.judges.all("character") == []


def test_the_parts_of_a_story_are_scored_one_after_the_other_before_and_after(stage):
    story = ended(stage)
    rewriting = [stage.jobs.start(Reflecting.by(RESEARCHER, story, name, REHEARSAL)) for name in ("Ann", "Bob")]
    reflections = [one.future.result(30) for one in rewriting]
    job = stage.jobs.start(ReflectionJudging.by(RESEARCHER, stage.store, story, reflections, JUDGE))
    judged = job.future.result(30)
    assert (job.done, job.whole) == (2, 2)
    assert [one.reflection for one in judged] == reflections
    assert [judgings_of(stage.store, story, one) for one in reflections] == [[one] for one in judged]
