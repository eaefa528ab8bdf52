"""A story to take along."""

import json
from typing import Any

import streamlit as st

from annotations.wording import say
from characterbox.components.player.page import story_page
from characterbox.stage.stage import Stage
from characterbox.stage.view import packed_journal, player_data, story_json
from characterbox.store.stories import Story, StoryStore
from pages.parts.who import allowed


def downloads(stage: Stage, story: Story) -> None:
    """The story as one HTML page that plays offline, and, for those who may direct it, as JSON with its journal."""
    stories, with_journal = stage.store.stories, allowed("direct")
    with st.container(horizontal=True):
        st.download_button(
            say("Save as a page"),
            lambda: story_page(_whole(stories, story, with_journal=with_journal)).encode(),
            file_name=f"story-{story.id}.html",
            mime="text/html",
            on_click="ignore",
        )
        if not with_journal:
            return
        st.download_button(
            say("Save with its journal (JSON)"),
            lambda: json.dumps(story_json(stories, story), ensure_ascii=False, indent=1).encode(),
            file_name=f"story-{story.id}.json",
            mime="application/json",
            on_click="ignore",
        )


def _whole(stories: StoryStore, story: Story, *, with_journal: bool) -> dict[str, Any]:
    data = player_data(stories, story, "playback")
    return {**data, "journal": packed_journal(stories, story)} if with_journal else data
