"""Second narrators below a story: asked, refused, and what they decided put beside the first one's."""

import json
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from annotations.i18n.translation import speaking
from characterbox.components.figures.background.process import Call, FigureProcess
from characterbox.errors import CharacterBoxError
from characterbox.judging.cross_check import agreement, checks_of, rows_of
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.stage.jobs.model_jobs import Crosscheck
from pages.playback import cross_check
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story, casting_at
from tests.fakes.waiting import until

pytestmark = pytest.mark.process


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_REHEARSAL_LATENCY", "0")
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        yield stage


class Beside(FigureProcess):
    """The process beside the app, but that what it is asked is worked out here, or fails with `fault`."""

    def __init__(self):
        super().__init__()
        self.asked, self.fault = [], None

    def _answer(self, call: Call):
        _, function, args = call
        self.asked.append(function)
        if self.fault is not None:
            raise self.fault
        return function(*args)


@pytest.fixture(autouse=True)
def beside(monkeypatch):
    beside = Beside()
    monkeypatch.setattr(cross_check, "open_figure_process", lambda: beside)
    yield beside
    beside.close()


def draw(story):
    """Run what stands below a story, as its own script."""
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.playback.cross_check import crosschecks  # noqa: PLC0415

    stage = open_stage()
    crosschecks(stage, stage.store.stories.story(story))


def ended(stage):
    scene = a_scene("Ann", "Bob", "Cai")
    id = stage.launch(Script(scene=scene, rounds=1), casting_at(Endpoint.parse("rehearsal"), scene)).id
    until(lambda: stage.store.stories.story(id).status == "ended")
    return id


def press(app, narrator):
    app.text_input(key="check-narrator").set_value(narrator)
    app.button(key="check-story").click().run()
    assert not app.exception


def texts(app):
    return "\n".join(element.proto.body for element in app.get("html"))


def over(stage, story):
    until(lambda: all(one.future.done() for one in stage.jobs.of(Crosscheck, story)))


def test_a_second_narrator_is_asked_and_its_agreement_is_shown(stage, beside):
    story = ended(stage)
    app = AppTest.from_function(draw, args=(story,), default_timeout=60).run()
    assert "are equal" not in texts(app)
    press(app, "rehearsal#another")
    over(stage, story)
    app.run()
    assert [one.value for one in app.markdown if one.value.startswith("**")] == ["**rehearsal#another**"]
    assert "are equal" in texts(app)
    assert "not a result" in texts(app)
    [button] = app.get("download_button")
    assert button.proto.label == "Cross-check results (JSON)"
    assert {*beside.asked} == {agreement}, "by the process that takes its correlations from pingouin"
    beside.asked.clear()
    assert "are equal" in texts(app.run())
    assert beside.asked == [], "they are kept, and wait behind no other figures"


def test_why_there_are_no_figures_is_told_in_their_place(stage, beside):
    id = ended(stage)
    stage.jobs.start(Crosscheck(stage.store.stories.story(id), Endpoint.parse("rehearsal#another")))
    over(stage, id)
    beside.fault = CharacterBoxError("the process has ended; load the page again")
    app = AppTest.from_function(draw, args=(id,), default_timeout=60).run()
    assert not app.exception
    [told] = [unescape(one.value) for one in app.warning]
    assert told == "The narrators can't be compared: the process has ended; load the page again."
    beside.fault = None
    assert "are equal" in texts(app.run())


def test_its_figures_are_taken_away_in_english_with_the_mark(stage, monkeypatch):
    id = ended(stage)
    story, narrator = stage.store.stories.story(id), Endpoint.parse("rehearsal#another")
    stage.jobs.start(Crosscheck(story, narrator))
    over(stage, id)
    checked = checks_of(stage.store, story)[narrator]
    files = []
    monkeypatch.setattr("streamlit.download_button", lambda label, data, **more: files.append(data))
    AppTest.from_function(draw, args=(id,), default_timeout=60).run()
    [file] = files
    with speaking("zh"):
        told = json.loads(file())
    expected = agreement(rows_of(story, checked)).affected
    assert (told["story"], told["first"], told["second"]) == (id, story.casting.narrator.model, narrator.model)
    assert told["note"] == DEMO_NOTE
    assert (told["stories"], told["affected"]["n"]) == (1, expected.n)
    assert told["affected"]["share"]["estimate"] == expected.share.estimate
    assert told["affected"]["share"]["interval"]["reason"].isascii()


def test_an_address_that_can_not_be_used_is_told_and_nobody_is_asked(stage):
    story = ended(stage)
    app = AppTest.from_function(draw, args=(story,), default_timeout=60).run()
    press(app, "")
    assert app.error
    assert stage.jobs.of(Crosscheck, story) == []


def test_one_under_way_is_stopped_and_a_failure_is_told(stage):
    story = ended(stage)
    app = AppTest.from_function(draw, args=(story,), default_timeout=60).run()
    with mock_server(answers=0) as server:
        narrator = f"{server.url}#second"
        press(app, narrator)
        app.button(key=f"check-stop-{narrator}").click().run()
        assert f"{narrator}: stopped." in texts(app.run())
    with mock_server(always="401") as server:
        press(app, f"{server.url}#third")
        over(stage, story)
        assert "401" in app.run().warning[0].value


def test_a_story_that_no_model_decided_is_told_as_such(stage):
    story = a_story(stage.store).id
    stage.store.stories.move(story, "ended")
    app = AppTest.from_function(draw, args=(story,), default_timeout=60).run()
    press(app, "rehearsal")
    over(stage, story)
    assert "rehearsal: not asked, as no decision" in texts(app.run())
