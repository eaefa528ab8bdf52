"""Stage: launch a scene, and watch the narrator work, or play a part in it."""

import streamlit as st

from characterbox.components.player import show_story
from characterbox.stage.live.player_data import asked_journal, player_data
from characterbox.stage.live.visibility import perspective_of
from characterbox.stage.stage import open_stage
from characterbox.store.stories.story import OVER
from pages.stage.launch import launch_form
from pages.story.actions import show_error
from pages.story.answer_form import answering, chosen_question, nobody_asked, tell_unsent
from pages.story.branch_tree import family, name_or_delete, origin
from pages.story.casting import casting_line, whole_story
from pages.story.header import controls, counts, wanted_story
from pages.story.list import to_library

stage = open_stage()
story = wanted_story(stage, "stage")
if story is None:
    launch_form(stage)
else:
    to_library("stage")
    origin(stage, story, "stage")
    show_error()
    controls(stage, story, "stage")
    tell_unsent(stage, story)
    asked = stage.questions(story.id) if story.status == "cued" else ()
    question = chosen_question(asked)
    eyes = perspective_of([question.agent] if question else () if story.status in OVER else story.people)
    if question is not None:
        answering(stage, story, question, asked)
    elif story.status == "cued":
        nobody_asked(stage, story)
    if eyes:
        whole_story(story, eyes)
    data = player_data(stage.store.stories, story, "stage", eyes)
    behind = None if eyes else asked_journal(story)
    show_story({**data, "journal": behind, "explained": True}, key=f"stage-{story.id}")
    casting_line(stage, story, eyes)
    kin = stage.store.families.family(story.id)
    with st.container(horizontal=True, vertical_alignment="center"):
        counts(stage, story)
        name_or_delete(stage, story, kin)
    family(stage, story, kin, "stage")
