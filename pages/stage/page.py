"""Stage: launch a scene, and watch the narrator work, or play a part in it."""

from functools import partial

import streamlit as st

from characterbox.components.player import show_story
from characterbox.stage.live.player_data import asked_journal, player_data
from characterbox.stage.live.visibility import perspective_of
from characterbox.stage.stage import open_stage
from characterbox.store.stories.story import OVER
from pages.shared.links import go_to
from pages.stage.launch import launch_form
from pages.story.actions import show_error
from pages.story.answer_form import answering, chosen_question, nobody_asked, tell_unsent
from pages.story.branch_tree import family, name_or_delete, origin
from pages.story.casting import casting_line, whole_story
from pages.story.header import counts, story_line, story_on_stage, why_it_rests
from pages.story.transport import act_on, transport
from pages.story.versions import use_tool

stage = open_stage()
story = story_on_stage(stage)
if story is None:
    launch_form(stage)
elif story.script.conversation is not None:
    go_to("roles", dialogue=story.id)
else:
    asked = stage.questions(story.id) if story.status == "cued" else ()
    played = perspective_of(() if story.status in OVER else story.people)
    story_line(stage, story, "stage", played)
    origin(stage, story, "stage", played)
    show_error()
    why_it_rests(stage, story)
    tell_unsent(stage, story)
    question = chosen_question(asked)
    eyes = perspective_of([question.agent]) if question else played
    if question is not None:
        answering(stage, story, question, asked)
    elif story.status == "cued":
        nobody_asked(stage, story)
    if eyes:
        whole_story(story, eyes)
    tools = not played and not eyes and story.status != "running"
    data = player_data(stage.store.stories, story, "stage", eyes)
    data |= {"journal": None if eyes else asked_journal(story), "explained": True, "tools": tools}
    data |= {"transport": transport(stage, story)}
    wish = show_story(data, f"stage-{story.id}", partial(act_on, stage, story.id))
    if tools:
        use_tool(stage, story, wish)
    casting_line(stage, story, eyes)
    kin = stage.store.families.family(story.id)
    with st.container(horizontal=True, vertical_alignment="center"):
        counts(stage, story)
        name_or_delete(stage, story, kin)
    family(stage, story, kin, "stage")
