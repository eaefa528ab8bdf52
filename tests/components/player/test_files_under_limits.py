"""The large files of a story are made in a process under limits, as they would be in this one."""

import json

import pytest

from characterbox.components.player import html_file
from characterbox.components.player.html_file import saved_file, saved_page, story_page
from characterbox.errors import StoryError, TooHeavy
from characterbox.processes import limited
from characterbox.processes.limited import Limits
from characterbox.share.story_file import file_of
from characterbox.stage.live.player_data import packed_journal, player_data
from tests.fakes.databases import database_in
from tests.fakes.stories import a_reply, a_story

pytestmark = pytest.mark.process


@pytest.fixture
def stored(tmp_path):
    """A database, its store, and a story with a reply in it."""
    db = database_in(tmp_path / "saved.db")
    store = html_file.Store(db)
    story = a_story(store)
    store.stories.bring(story.model_copy(update={"id": "withreply"}), [], [a_reply()], [])
    yield db, store.stories, store.stories.story("withreply")
    store.close()


def test_the_files_are_those_that_this_process_would_make(stored):
    db, stories, story = stored
    data = player_data(stories, story, "playback")
    assert saved_page(db, story.id, with_journal=False).decode() == story_page(data)
    journal = {"journal": packed_journal(stories, story)}
    assert saved_page(db, story.id, with_journal=True).decode() == story_page({**data, **journal})
    assert saved_file(db, story.id).decode() == json.dumps(file_of(stories, story), ensure_ascii=False, indent=1)


def test_what_can_not_be_made_is_told(stored, monkeypatch):
    db, _, _ = stored
    with pytest.raises(StoryError):
        saved_file(db, "nosuch")
    monkeypatch.setattr(limited, "LIMITS", Limits(answer=0))
    with pytest.raises(TooHeavy, match="more than 0 MB"):
        saved_file(db, "withreply")
