"""All craftings: what each makes, and how far it is."""

import streamlit as st

from annotations.wording import say, say_moment
from characterbox.crafting.standing import Crafting
from characterbox.errors import StoryError
from characterbox.llm.crafters import crafter_of
from characterbox.stage.stage import Stage
from pages.parts.crafting_words import STATES, heading, how_far
from pages.parts.look import plain
from pages.parts.models_look import lines
from pages.parts.paging import turned_to
from pages.parts.scenes_ways import to_scenes
from pages.parts.ways import go, way_to

SHOWN = 10
"""Craftings on a page of the list."""


def crafting_list(stage: Stage) -> None:
    """All craftings, the newest first, and the way to a new one."""
    st.title(say("Craftings"))
    standings = stage.store.craftings.all()
    if not standings:
        st.caption(say("No scenes were crafted yet."))
    with turned_to(standings, SHOWN, "craftings-page") as shown:
        for one in shown:
            try:
                _row(stage.craftings.look(one.id), say_moment(one.created_at))
            except StoryError as error:
                lines([str(error)])
    st.button(
        say("Craft scenes"), key="craft-new", type="primary", icon=":material/add:", on_click=go,
        kwargs={"crafting": "new"},
    )  # fmt: skip
    to_scenes()


def _row(crafting: Crafting, since: str) -> None:
    name, about = st.columns([2, 3], vertical_alignment="center")
    with name:
        way_to(f"**{plain(heading(crafting.wish))}**", crafting=crafting.id)
    with about, st.container(gap=None):
        state = f"{say(STATES[crafting.status]).capitalize()} · {since}"
        lines([state, how_far(crafting), plain(crafter_of(crafting.wish.crafted))])
