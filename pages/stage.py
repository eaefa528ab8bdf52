"""Stage: launch a scene, and watch the narrator work."""

import streamlit as st

from characterbox.components.player import show_story
from characterbox.errors import CharacterBoxError
from characterbox.stage.stage import open_stage
from characterbox.stage.view import player_data
from pages.parts.launch import launch_form
from pages.parts.story import actions, story_head

stage = open_stage()
wanted = st.query_params.get("story")
if wanted is None:
    launch_form(stage)
    st.stop()
try:
    story = stage.store.stories.story(wanted)
except CharacterBoxError as error:
    st.error(str(error))
    st.page_link("pages/stage.py", label="Launch a scene")
    st.stop()
story_head(story)
actions(stage, story)
show_story(player_data(stage.store.stories, story, "stage"), key=f"stage-{story.id}")
