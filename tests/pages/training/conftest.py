"""What the pages on training stand on: a stage and folders of a test's own, and somebody who visits them."""

import pytest

from characterbox.accounts.account import LOCAL
from characterbox.accounts.session_user import Visitor
from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from tests.fakes.app_stage import app_stage
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until

REHEARSAL = Endpoint.parse("rehearsal")


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_REHEARSAL_LATENCY", "0")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # there are no other pages beside the script
    with app_stage(f"sqlite:///{tmp_path}/page.db") as stage:
        yield stage


@pytest.fixture(autouse=True)
def visiting(monkeypatch):
    """Has an account visit the page: at first whoever sits at the computer."""

    def be(account):
        monkeypatch.setattr("pages.shared.current_user.find_visitor", lambda _: Visitor(account))

    be(LOCAL)
    return be


@pytest.fixture
def ended(stage):
    """Has a story played to its end."""

    def ended(scene=None, endpoint=REHEARSAL):
        scene = a_scene("Ann", "Bob") if scene is None else scene
        id = stage.launch(Script(scene=scene, rounds=1), casting_at(endpoint, scene)).id
        until(lambda: stage.store.stories.story(id).status == "ended")
        return stage.store.stories.story(id)

    return ended
