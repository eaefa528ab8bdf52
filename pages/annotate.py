"""Annotate: score what each character did, blind to the model that played it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotations.errors import RatingError
from characterbox.components.rubric import show_rubric
from characterbox.components.rubric.parts import MAX_NAME, ended_parts, find_part, rater_name
from characterbox.components.rubric.view import list_data, part_data
from characterbox.errors import StoryError
from characterbox.stage.stage import open_stage
from characterbox.values import Language
from pages.parts.look import plain

PLACE = ("rater", "item", "language")
"""The query parameters that say who rates what, and in which language the rubric is read."""


def go(place: Mapping[str, Any]) -> None:
    """Put the wanted place into the URL."""
    st.query_params.from_dict({name: place[name] for name in PLACE if isinstance(place.get(name), str)})


def language(otherwise: Language) -> Language:
    """The language that the URL names, or the other one given."""
    return {"en": "en", "zh": "zh"}.get(st.query_params.get("language", ""), otherwise)  # type: ignore[return-value]


def ask_name() -> None:
    """Ask who is rating, and go on with the name in the URL."""
    st.title("Annotate")
    st.caption("Write your name to start: your scores are kept under it, and you find them again with it.")
    with st.form("rater", border=False, width=420):
        given = st.text_input("Your name", max_chars=MAX_NAME)
        if st.form_submit_button("Start rating", type="primary"):
            st.query_params["rater"] = rater_name(given)
            st.rerun()


store = open_stage().store
if not ended_parts(store.stories):
    st.title("Annotate")
    st.caption("No story has ended yet. Launch a scene, and its characters can be rated here when it is played.")
    st.page_link("stage.py", label="Launch a scene", icon=":material/play_circle:")
    st.stop()
try:
    rater = rater_name(st.query_params["rater"]) if "rater" in st.query_params else None
    if rater is None:
        ask_name()
        st.stop()
except RatingError as error:
    st.error(plain(str(error)))
    st.stop()
item = st.query_params.get("item")
try:
    part = find_part(store.stories, item) if item is not None else None
except StoryError as error:
    st.error(plain(str(error)))
    part = None
if part is None:
    show_rubric(list_data(store, rater, language("en")), f"list-{rater}", go)
else:
    data = part_data(store, rater, part, language(part.story.script.scene.language))
    show_rubric(data, f"part-{rater}-{part.item}", go)
