"""Annotate: score what each character did, blind to the model that played it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotations.errors import RatingError
from characterbox.components.rubric import show_rubric
from characterbox.components.rubric.view import list_data, part_data
from characterbox.errors import StoryError
from characterbox.judging.parts import MAX_NAME, Part, ended_parts, find_part, rater_name
from characterbox.stage.stage import open_stage
from characterbox.values import Language
from pages.parts.look import plain

PLACE = ("rater", "item", "language")  # the query parameters: who rates what, and in which language the rubric is read


def go(place: Mapping[str, Any]) -> None:
    """Put the wanted place into the URL."""
    st.query_params.from_dict({name: place[name] for name in PLACE if isinstance(place.get(name), str)})


def chosen_language(otherwise: Language) -> Language:
    """The language that the URL names, or the other one given."""
    if (wanted := st.query_params.get("language")) == "zh":
        return "zh"
    return "en" if wanted == "en" else otherwise


def chosen_rater() -> str:
    """The name that the URL gives; where it gives none that can be used, ask for one."""
    try:
        return rater_name(st.query_params.get("rater", ""))
    except RatingError as error:
        ask_name(str(error) if "rater" in st.query_params else None)
        st.stop()


def ask_name(fault: str | None) -> None:
    """Ask who is rating, and go on with the name in the URL."""
    st.title("Annotate")
    st.caption("Write your name to start: your scores are kept under it, and you find them again with it.")
    with st.form("rater", border=False, width=420):
        given = st.text_input("Your name", max_chars=MAX_NAME)
        if st.form_submit_button("Start rating", type="primary"):
            st.query_params["rater"] = given
            st.rerun()
        if fault:
            st.error(plain(fault))


def chosen_part() -> Part | None:
    """The part that the URL names; None, with the reason shown, where it names one that cannot be rated."""
    if (item := st.query_params.get("item")) is None:
        return None
    try:
        return find_part(store.stories, item)
    except StoryError as error:
        st.error(plain(str(error)))
        return None


store = open_stage().store
if not ended_parts(store.stories):
    st.title("Annotate")
    st.caption("No story has ended yet. Launch a scene, and its characters can be rated here when it is played.")
    st.page_link("stage.py", label="Launch a scene", icon=":material/play_circle:")
    st.stop()
rater = chosen_rater()
part = chosen_part()
if part is None:
    show_rubric(list_data(store, rater, chosen_language("en")), go)
else:
    show_rubric(part_data(store, rater, part, chosen_language(part.story.script.scene.language)), go)
