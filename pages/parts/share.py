"""A story to take along."""

import json

import streamlit as st

from characterbox.components.player.page import story_page
from characterbox.stage.stage import Stage
from characterbox.stage.view import player_data, story_json
from characterbox.store.stories import Story
from pages.parts.who import allowed


def downloads(stage: Stage, story: Story) -> None:
    """The story as one HTML page that plays offline, and, for those who may direct it, as JSON with its journal."""
    stories = stage.store.stories
    with st.container(horizontal=True):
        st.download_button(
            "Save as a page",
            lambda: story_page(player_data(stories, story, "playback")).encode(),
            file_name=f"story-{story.id}.html",
            mime="text/html",
            on_click="ignore",
        )
        if not allowed("direct"):
            return
        st.download_button(
            "Save with its journal (JSON)",
            lambda: json.dumps(story_json(stories, story), ensure_ascii=False, indent=1).encode(),
            file_name=f"story-{story.id}.json",
            mime="application/json",
            on_click="ignore",
        )
