"""Evaluations in the app: they rest and go on as people want, and at the next start where the app ended."""

import pytest

from characterbox.errors import StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.stage.jobs.training_jobs import EvaluationJob, Evaluations
from characterbox.stage.stage import Stage
from characterbox.training.evaluation.folder import EVALUATION, evaluation_in
from tests.fakes.databases import store_in
from tests.fakes.evaluations import narrator_plan, two_scenes
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until

pytestmark = pytest.mark.process


@pytest.fixture
def opened(tmp_path):
    """Opens the stage on one database, as an app does that starts again, with evaluations in two folders."""
    stages = []

    def opened():
        if stages:
            stages.pop().close()
        stage = Stage(store_in(tmp_path / "stage.db"), Client(transport=ToNearby()))
        stages.append(stage)
        return stage, Evaluations(stage.store, stage.client, stage.sweepings.loop, stage.jobs, lambda: folders)

    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    yield opened
    stages.pop().close()


@pytest.fixture
def server():
    """It answers twenty calls, and more when it is told to."""
    with nearby_mock(answers=20) as server:
        yield server


def a_plan(stage, server):
    """Of a narrator, on two scenes; a story of one of them is held out."""
    scenes = two_scenes()
    rehearsal = Endpoint.parse("rehearsal")
    story = stage.launch(Script(scene=scenes[0], rounds=1), casting_at(rehearsal, scenes[0]))
    until(lambda: stage.store.stories.story(story.id).status == "ended")
    return narrator_plan(server.url, story.id, scenes)


def test_an_evaluation_rests_and_goes_on(opened, server, tmp_path):
    (stage, evaluations), folder = opened(), tmp_path / "a"
    plan = a_plan(stage, server)
    evaluations.start(folder, plan)
    job = evaluations.of(str(folder))
    until(lambda: len(server.seen) > 20)
    assert evaluation_in(folder, stage.store).status == "running"
    with pytest.raises(StoryError, match=f"evaluation in {folder}: it is running"):
        evaluations.start(folder, plan)
    with pytest.raises(StoryError, match="running in another process"):
        evaluations.start(tmp_path / "b", plan)
    evaluations.rest(str(folder))
    server.answers = None
    until(lambda: not job.under_way)
    assert evaluation_in(folder, stage.store).status == "paused"
    assert not job.run.progress.done
    evaluations.start(folder, plan)
    again = evaluations.of(str(folder))
    until(lambda: not again.under_way)
    assert again.last_error is None
    assert again.run.progress.done
    assert evaluation_in(folder, stage.store).status == "ended"


def test_an_evaluation_goes_on_where_the_app_ended_and_its_sweep_with_it(opened, server, tmp_path):
    (stage, evaluations), folder = opened(), tmp_path / "a"
    evaluations.start(folder, a_plan(stage, server))
    until(lambda: len(server.seen) > 20)
    server.answers = 30  # what is under way comes as it closes, and not much more
    stage, evaluations = opened()
    server.answers = None
    assert evaluation_in(folder, stage.store).status == "running"
    (tmp_path / "b" / EVALUATION).write_text("{}")  # what can't be read keeps nothing else from going on
    stage.resume_all()
    assert stage.jobs.of(EvaluationJob) == []
    assert [one.name for one in stage.store.sweeps.all() if stage.sweepings.of(one.name) is not None] == []
    evaluations.resume_all()
    until(lambda: not evaluations.of(str(folder)).under_way)
    assert evaluations.of(str(folder)).run.progress.done
    assert evaluations.of(str(tmp_path / "b")) is None


def test_an_evaluation_that_was_put_aside_stays_aside(opened, server, tmp_path):
    (stage, evaluations), folder = opened(), tmp_path / "a"
    evaluations.start(folder, a_plan(stage, server))
    until(lambda: len(server.seen) > 20)
    evaluations.rest(str(folder))
    server.answers = None
    until(lambda: not evaluations.of(str(folder)).under_way)
    _, evaluations = opened()
    evaluations.resume_all()
    assert evaluations.of(str(folder)) is None
