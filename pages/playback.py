"""Playback: any stored story, step by step."""

import streamlit as st

from characterbox.components.player import show_story
from characterbox.stage.stage import open_stage
from characterbox.stage.view import player_data
from pages.parts.judges import judges
from pages.parts.share import downloads
from pages.parts.stories import SHOWN, story_list
from pages.parts.story import casting_line, controls, wanted_story

stage = open_stage()
story = wanted_story(stage)
if story is None:
    st.title("Playback")
    stories = stage.store.stories.stories()
    if stories:
        st.caption("Open a story to read it step by step, with the keyboard or the slider.")
        story_list(stage, stories[:SHOWN])
        if len(stories) > SHOWN:
            st.caption(f"The newest {SHOWN} of {len(stories)} stories.")
    else:
        st.caption("There is no story yet. Launch a scene, and it can be played back here.")
        st.page_link("stage.py", label="Launch a scene", icon=":material/play_circle:")
else:
    at = st.query_params.get("at", "")
    data = player_data(stage.store.stories, story, "playback")
    show_story({**data, "at": int(at) if at.isdecimal() else None}, key=f"playback-{story.id}")
    casting_line(story)
    if story.status == "ended":
        downloads(stage, story)
        judges(stage, story)
    else:
        controls(stage, story)
