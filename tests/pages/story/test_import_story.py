"""A story is brought in from a file on the page, also where people have to choose its encoding."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.share.story_file import file_of
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in, store_in
from tests.fakes.stories import a_story


@pytest.fixture
def stage(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        yield stage


@pytest.fixture
def story(tmp_path):
    """The file of a story whose label is Chinese."""
    store = store_in(tmp_path / "elsewhere.db")
    story = a_story(store)
    file = file_of(store.stories, story)
    store.close()
    return file | {"story": file["story"] | {"label": "掌柜"}}


def draw():
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.shared.downloads import upload  # noqa: PLC0415

    upload(open_stage())


@pytest.mark.process
def test_a_file_whose_encoding_is_not_certain_is_read_as_people_choose(stage, story):
    raw = json.dumps(story, ensure_ascii=False).encode("gb18030")
    page = AppTest.from_function(draw, default_timeout=60).run()
    page.file_uploader(key="story-file").set_value(("story.json", raw, "application/json")).run()
    assert not page.exception
    assert not page.error
    assert stage.store.stories.count() == 0
    [encodings] = page.button_group
    assert "GB18030" in encodings.options
    encodings.set_value("GB18030")
    page.run()
    assert not page.exception
    assert stage.store.stories.story(story["story"]["id"]).label == "掌柜"
