"""Who plays whom: each seat has its button, whatever characters are called."""

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story, casting_at


@pytest.fixture
def stage(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        yield stage


def draw(id):
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.story.casting import seats  # noqa: PLC0415

    stage = open_stage()
    seats(stage, stage.store.stories.story(id), frozenset())


def test_characters_called_none_or_narrator_have_seats_of_their_own(stage):
    story = a_story(stage.store, a_scene("None", "narrator"))
    shown = AppTest.from_function(draw, args=(story.id,), default_timeout=60).run()
    assert not shown.exception
    assert [unescape(button.help) for button in shown.button] == [
        "Take over The narrator",
        "Take over None",
        "Take over narrator",
    ]


def draw_recast(id):
    from characterbox.components.player import Wish  # noqa: PLC0415
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.story.versions import use_tool  # noqa: PLC0415

    stage = open_stage()
    use_tool(stage, stage.store.stories.story(id), Wish("recast", 1))


async def test_a_character_called_narrator_can_be_given_another_model(stage):
    story = a_story(stage.store, a_scene("narrator", "Bob"), rounds=1)
    stage.store.stories.recast(story.id, casting_at(Endpoint.parse("rehearsal"), story.script.scene))
    story = stage.store.stories.story(story.id)
    client = Client()
    await perform(stage.store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
    await client.close()
    shown = AppTest.from_function(draw_recast, args=(story.id,), default_timeout=60).run()
    assert not shown.exception
    assert [box.label for box in shown.selectbox] == ["Narrator", "narrator", "Bob", "Recall"]
