"""A story to take along, and to bring in."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from annotations.wording import say
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.components.player.page import story_page
from characterbox.errors import CharacterBoxError
from characterbox.limited_once import run_limited_once
from characterbox.share.markdown import markdown
from characterbox.share.screenplay import screenplay
from characterbox.share.story_file import MOST_BYTES, bring_in, file_of, read_story_file
from characterbox.stage.stage import Stage
from characterbox.stage.view import packed_journal, player_data
from characterbox.store.stories import Story, StoryStore
from pages.parts.given_out import given_out
from pages.parts.look import plain, quiet
from pages.parts.who import allowed


def downloads(stage: Stage, story: Story) -> None:
    """The story as a page that plays offline, as text, and, for those who may direct it, with its journal."""
    stories, with_journal = stage.store.stories, allowed("direct")
    scene, casting = story.script.scene, story.casting
    with st.popover(say("Save"), key=f"save-{story.id}"):
        _save(
            story,
            say("A page that plays it, offline (HTML)"),
            "html",
            lambda: story_page(_whole(stories, story, with_journal=with_journal)),
        )
        events = partial(stories.events, story.id)
        _save(story, say("A screenplay (text)"), "txt", lambda: screenplay(scene, events(), casting))
        _save(story, say("All that happened (Markdown)"), "md", lambda: markdown(scene, events(), casting))
        if with_journal:
            quiet(say("The page and the next file hold the prompts and replies of the journal, and no keys."))
            _save(
                story,
                say("A file that can be brought in again (JSON)"),
                "json",
                lambda: json.dumps(file_of(stories, story), ensure_ascii=False, indent=1),
            )


def upload(stage: Stage) -> None:
    """Brings a story in from a file, and opens it."""
    with st.popover(say("Bring in a story"), key="bring-in"):
        most = MOST_BYTES >> 20
        given = st.file_uploader(
            say("A story that was saved as JSON"), type="json", key="story-file", max_upload_size=most
        )
        if given is None:
            return
        content = read_as_chosen(given)
        if content is None:
            return
        try:
            story = bring_in(stage.store.stories, run_limited_once(read_story_file, content))
        except CharacterBoxError as error:
            st.error(plain(str(error)))
            return
        st.session_state.pop("story-file", None)
        st.query_params.from_dict({"story": story.id})
        st.rerun()


def _save(story: Story, label: str, ending: str, made: Callable[[], str]) -> None:
    kinds = {"html": "text/html", "txt": "text/plain", "md": "text/markdown", "json": "application/json"}
    st.download_button(
        label,
        given_out("story.exported", story.id, lambda: made().encode("utf-8", "replace"), form=ending),
        file_name=f"story-{story.id}.{ending}",
        mime=kinds[ending],
        key=f"save-{story.id}-{ending}",
        type="tertiary",
        on_click="ignore",
    )


def _whole(stories: StoryStore, story: Story, *, with_journal: bool) -> dict[str, Any]:
    data = player_data(stories, story, "playback")
    return {**data, "journal": packed_journal(stories, story)} if with_journal else data
