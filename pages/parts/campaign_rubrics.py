"""The list of rubrics: those that come with the app, and those that were added."""

import streamlit as st

from annotations.errors import RatingError
from annotations.rubric import Rubric, bundled_rubrics
from characterbox.store import Store
from pages.parts.campaign_ways import go, way_to
from pages.parts.campaign_words import SUBJECTS, count
from pages.parts.look import plain
from pages.parts.models_look import fault, lines


def rubric_list(store: Store) -> None:
    """All rubrics, each with the way to it."""
    st.title("Rubrics")
    st.caption("What experts are asked, on which scale, and what the levels of the scale mean.")
    for number, (name, version) in enumerate(store.rubrics.names()):
        with st.container(key=f"campaign-row-{number}"):
            _row(store, name, version)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Add a rubric", type="primary", icon=":material/add:", on_click=go, kwargs={"rubric": "new"})
        way_to("All campaigns", icon=":material/arrow_back:")


def scale_of(rubric: Rubric) -> str:
    """The scale in words."""
    numbers = "numbers, fractions too," if rubric.scale.fractions else "whole numbers"
    return f"{numbers} from {rubric.scale.low} to {rubric.scale.high}"


def about(rubric: Rubric) -> list[str]:
    """A rubric in two lines."""
    evidence = "each score needs evidence" if rubric.evidence == "required" else "evidence if one likes"
    origin = "comes with the app" if rubric.name in bundled_rubrics() else "added"
    metrics = f"{count(len(rubric.metrics), 'metric')}: {', '.join(rubric.keys)}"
    return [
        f"{rubric.name} {rubric.version}, {origin} · rates {SUBJECTS[rubric.subject]}",
        f"{metrics} · {scale_of(rubric)} · {evidence}",
    ]


def _row(store: Store, name: str, version: str) -> None:
    title, told = st.columns([2, 3], vertical_alignment="center")
    try:
        rubric = store.rubrics.rubric(name, version)
    except RatingError as error:
        with title:
            lines([f"{name} {version}"])
        with told:
            fault(str(error))
        return
    with title:
        way_to(f"**{plain(rubric.title.en)}**", rubric=name, version=version)
    with told, st.container(gap=None):
        lines(about(rubric))
