"""Playback: any stored story, step by step. Who may only read sees here, too, how a story goes on."""

import streamlit as st

from annotations.i18n.translation import say
from characterbox.components.player import show_story
from characterbox.stage.live.player_data import asked_journal, player_data
from characterbox.stage.live.visibility import EVERYTHING
from characterbox.stage.stage import open_stage
from characterbox.store.stories.story import OVER
from pages.playback.compare import comparison
from pages.playback.cross_check import crosschecks
from pages.shared.current_user import allowed
from pages.shared.downloads import upload
from pages.shared.links import page_link
from pages.shared.samples import show_removal, tell_kept
from pages.shared.text import quiet
from pages.story.actions import show_error
from pages.story.branch_tree import family, name_or_delete, origin
from pages.story.casting import casting_line
from pages.story.header import JUDGES, counts, story_line, wanted_story
from pages.story.judgements import judges
from pages.story.list import example_story, library
from pages.story.versions import use_tool

MOST_DIGITS = 9  # in the number of a step

stage = open_stage()
directs = allowed("direct")
story = wanted_story(stage, "playback")
if (side_by_side := st.query_params.get("compare")) is not None:
    comparison(stage, side_by_side)
elif story is None:
    st.title(say("Playback"))
    if stage.store.stories.count():
        library(stage)
    else:
        st.caption(say("No stories yet. Start a story to play it back here.") if directs else say("No stories yet."))
        example_story()
        page_link(say("Start story"), "stage", "playback", icon=":material/play_circle:", new="1")
    if directs:
        tell_kept()
        with st.container(horizontal=True, vertical_alignment="center"):
            upload(stage)
            show_removal(stage)
else:
    story_line(stage, story, "playback", EVERYTHING)
    origin(stage, story, "playback")
    show_error()
    if directs and story.status == "ended" and st.query_params.get("view") == JUDGES:
        quiet(f"{story.script.scene.title} · {story.script.scene.work}")
        judges(stage, story)
        if story.script.conversation is None:  # in a dialogue, nobody narrates
            crosschecks(stage, story)
    else:
        at = st.query_params.get("at", "")[:MOST_DIGITS]
        goes_on = not directs and story.status not in OVER
        data = player_data(stage.store.stories, story, "stage" if goes_on else "playback")
        data |= {"journal": asked_journal(story) if directs else None}
        shown = data if goes_on else {**data, "at": int(at) if at.isdecimal() else 1, "tools": directs}
        wish = show_story(shown, key=f"playback-{story.id}")
        if directs:
            use_tool(stage, story, wish)
        casting_line(stage, story, EVERYTHING)
        kin = stage.store.families.family(story.id)
        with st.container(horizontal=True, vertical_alignment="center"):
            counts(stage, story)
            name_or_delete(stage, story, kin)
        family(stage, story, kin, "playback")
