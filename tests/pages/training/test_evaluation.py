"""How an evaluation stands on the page of its run: how far, what failed, what it has cost, and the ways on."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import LOCAL, Account
from characterbox.components.figures.background.evaluation import evaluation_figures
from characterbox.pause_reasons import Reason
from characterbox.training.evaluation.folder import EVALUATION, Evaluation, evaluation_in, keep_evaluation
from characterbox.training.evaluation.progress import standing_of
from tests.fakes.evaluations import narrator_plan, two_scenes
from tests.fakes.mock_server import mock_server
from tests.fakes.waiting import until

pytestmark = pytest.mark.process

VERA = Account(id="0123456789ab", name="Vera", role="viewer")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    return folder


@pytest.fixture
def server():
    with mock_server() as server:
        yield server


@pytest.fixture
def plan(ended, server):
    """Of a narrator, on two scenes; a story of one of them is held out."""
    scenes = two_scenes()
    return narrator_plan(server.url, ended(scenes[0]).id, scenes)


def kept(stage, folder, plan, status, reason=None):
    """What was written down of an evaluation."""
    identity = stage.store.identity()
    told = Evaluation(database=identity, plan=plan, status=status, reason=reason, launched_from="app")
    keep_evaluation(folder, told)


def draw(folder):
    from pathlib import Path  # noqa: PLC0415 - the script is run by itself

    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.story.actions import show_error  # noqa: PLC0415
    from pages.training.evaluation import show_evaluation  # noqa: PLC0415

    show_error()
    show_evaluation(open_stage(), Path(folder), "nr-1234")


def page_of(folder):
    return AppTest.from_function(draw, args=(str(folder),), default_timeout=60)


def bodies(app):
    assert not app.exception
    return "\n".join(one.proto.body for one in app.get("html"))


def buttons(app):
    return {one.label for one in app.button}


def test_it_is_paused_and_resumed_and_shows_its_figures_at_the_end(stage, folder, server, plan):
    server.answers = 20
    stage.evaluations.start(folder, plan)
    until(lambda: len(server.seen) > 20)
    app = page_of(folder).run()
    assert buttons(app) == {"Pause"}
    app.button(key="evaluation-pause").click().run()
    job = stage.evaluations.of(str(folder))
    until(lambda: job.resting)
    assert "Pausing: waiting for pending replies." in bodies(app.run())
    server.answers = None
    until(lambda: not job.under_way)
    told = bodies(app.run())
    assert "Paused · " in told
    assert "of 4 stories played" in told
    assert "$0.00 spent" in told
    assert buttons(app) == {"Resume", "Plan anew"}
    app.button(key="evaluation-resume").click().run()
    until(lambda: not stage.evaluations.of(str(folder)).under_way)
    told = bodies(app.run())
    assert "Ended · 4 of 4 stories played" in told
    assert "Tuned" in told
    assert told.count("<table") == 2, "the shares of what could be read, and the agreement with the teacher"
    assert buttons(app) == {"Plan anew"}
    progress = standing_of(stage.store, plan)
    figures = [evaluation_figures(stage.store, plan, progress).result(60) for _ in range(2)]
    assert figures[0] is figures[1], "they are worked out once"


def test_what_failed_is_told_and_tried_again(stage, folder, server, plan):
    server.always = "401"
    stage.evaluations.start(folder, plan)
    until(lambda: not stage.evaluations.of(str(folder)).under_way)
    app = page_of(folder).run()
    told = bodies(app)
    assert "cb-failed" in told
    assert "failed" in told
    assert buttons(app) == {"Resume", "Plan anew"}


def test_one_whose_budget_is_spent_gets_more(stage, folder, plan):
    plan = plan.model_copy(update={"budget": 2.0})
    kept(stage, folder, plan, "paused", Reason("spent"))
    app = page_of(folder).run()
    told = bodies(app)
    assert "Paused: budget spent" in told
    assert "$0.00 of $2.00 spent" in told
    assert "The budget of $2.00 is spent. Increase it to continue." in told
    app.number_input(key="evaluation-more").set_value(0.0).run()
    assert "Enter a larger budget." in bodies(app)
    assert app.button(key="evaluation-resume").disabled


def test_one_that_was_broken_off_can_be_resumed_but_not_by_whoever_may_not_direct(stage, folder, plan, visiting):
    kept(stage, folder, plan, "running")
    app = page_of(folder).run()
    assert "Interrupted · 0 of 4 stories played" in bodies(app)
    visiting(VERA)
    app.button(key="evaluation-resume").click().run()
    assert stage.evaluations.of(str(folder)) is None
    assert ["researcher role" in one.value for one in app.error] == [True]


def test_another_one_is_planned_in_its_place_or_not(stage, folder, plan):
    kept(stage, folder, plan, "paused")
    app = page_of(folder).run()
    app.button(key="evaluation-anew").click().run()
    assert "Earlier stories and scores are kept." in bodies(app)
    assert "there is no training run" in bodies(app), "this folder has nothing that can be evaluated"
    app.button(key="evaluation-back").click().run()
    assert "Paused" in bodies(app)
    assert evaluation_in(folder, stage.store).plan == plan


def test_a_story_that_is_gone_is_left_out_with_a_note(stage, folder, plan):
    kept(stage, folder, plan, "ended")
    stage.store.families.delete(LOCAL, plan.stories[0])
    app = page_of(folder).run()
    assert "1 held-out story was deleted or has not ended" in bodies(app)


@pytest.mark.parametrize("content", ["{}", "no json"])
def test_a_damaged_file_is_told_and_does_not_stand_in_the_way(stage, folder, content):
    (folder / EVALUATION).write_text(content)
    told = bodies(page_of(folder).run())
    assert "it is damaged" in told
    assert "there is no training run" in told, "this folder has nothing that can be evaluated either"


def test_one_that_was_just_started_is_shown_before_it_is_written_down(stage, folder, server, plan):
    server.answers = 0
    stage.evaluations.start(folder, plan)
    until((folder / EVALUATION).exists)
    (folder / EVALUATION).unlink()
    assert buttons(page_of(folder).run()) == {"Pause"}


def test_one_that_could_not_begin_says_why(stage, folder, plan):
    folder.rmdir()
    stage.evaluations.start(folder, plan)
    until(lambda: not stage.evaluations.of(str(folder)).under_way)
    folder.mkdir()
    assert str(folder) in bodies(page_of(folder).run())
