"""What of a judge could not be read stands among what could not be done, on the page of its sweep, with a button."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from pages.sweeps.text import find_sweep, progress_now
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.mock_server import mock_server
from tests.fakes.sweeps import REHEARSAL, a_sweep, scenes

pytestmark = pytest.mark.process


@pytest.fixture
def stage(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        yield stage


def draw():
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.sweeps.sweep import what_failed  # noqa: PLC0415
    from pages.sweeps.text import find_sweep  # noqa: PLC0415

    stage = open_stage()
    what_failed(stage, find_sweep(stage, "small"), "ended")


def test_it_is_listed_and_the_button_has_it_asked_again(stage):
    with mock_server(style="prose") as server:
        judge = Judge(name="Vague", endpoint=Endpoint(url=server.url, model="m"))
        stage.sweepings.start(a_sweep(scenes=scenes(1), characters=(REHEARSAL,), judges=(judge,)))
        stage.sweepings.of("small").future.result(timeout=120)
        known = find_sweep(stage, "small")
        progress = progress_now(stage, known)
        assert (progress.judged, progress.failed) == (0, 1)
        app = AppTest.from_function(draw, default_timeout=60).run()
        assert not app.exception
        told = "\n".join(element.proto.body for element in app.get("html"))
        assert "no score on some metric: " in told
        assert "Vague on " in told
        server.style = "json"
        [again] = app.button
        assert again.label == "Retry failed tasks"
        again.click().run()
        stage.sweepings.of("small").future.result(timeout=120)
    progress = progress_now(stage, known)
    assert (progress.judged, progress.failed) == (1, 0)
