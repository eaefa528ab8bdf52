"""A story as the files that are large: made in a process under limits (see `limited_process`), where others' pages do
not wait for it. With what is behind its steps, a story of 10,000 events takes three seconds of a processor, in which
Python does little else."""

import json

from characterbox.components.player.page import story_page
from characterbox.limited_process import run_limited
from characterbox.share.story_file import file_of
from characterbox.stage.view import packed_journal, player_data
from characterbox.store import Store


def saved_page(db: str, story: str, *, with_journal: bool) -> bytes:
    """The page that plays a story of the database offline; `with_journal`, it holds what is behind the steps, too.

    Raises TooHeavy if it takes more than it may.
    """
    return run_limited(_page, db, story, with_journal)


def saved_file(db: str, story: str) -> bytes:
    """The file of a story of the database that can be brought in again. Raises TooHeavy if it takes too much."""
    return run_limited(_file, db, story)


def _page(db: str, id: str, with_journal: bool) -> bytes:
    store = Store(db)
    story = store.stories.story(id)
    data = player_data(store.stories, story, "playback")
    if with_journal:
        data = {**data, "journal": packed_journal(store.stories, story)}
    return story_page(data).encode("utf-8", "replace")


def _file(db: str, id: str) -> bytes:
    store = Store(db)
    file = file_of(store.stories, store.stories.story(id))
    return json.dumps(file, ensure_ascii=False, indent=1).encode("utf-8", "replace")
