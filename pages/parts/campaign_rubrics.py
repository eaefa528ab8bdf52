"""The list of rubrics: those that come with the app, and those that were added."""

import streamlit as st

from annotations.errors import RatingError
from annotations.rubric import Rubric, bundled_rubrics
from annotations.wording import say, say_count, tongue, translate
from characterbox.store import Store
from pages.parts.campaign_words import SUBJECTS
from pages.parts.form import fault
from pages.parts.look import plain
from pages.parts.models_look import lines
from pages.parts.ways import go, way_to


def rubric_list(store: Store) -> None:
    """All rubrics, each with the way to it."""
    st.title(say("Rubrics"))
    st.caption(say("What experts are asked, on which scale, and what the levels of the scale mean."))
    for number, (name, version) in enumerate(store.rubrics.names()):
        with st.container(key=f"campaign-row-{number}"):
            _row(store, name, version)
    with st.container(horizontal=True, vertical_alignment="center"):
        add, icon = say("Add a rubric"), ":material/add:"
        st.button(add, key="rubric-new", type="primary", icon=icon, on_click=go, kwargs={"rubric": "new"})
        way_to(say("All campaigns"), ":material/arrow_back:")


def scale_of(rubric: Rubric) -> str:
    """The scale in words."""
    low, high = rubric.scale.low, rubric.scale.high
    if rubric.scale.fractions:
        return say("numbers, fractions too, from {low} to {high}", low=low, high=high)
    return say("whole numbers from {low} to {high}", low=low, high=high)


def about(rubric: Rubric) -> list[str]:
    """A rubric in two lines."""
    required = rubric.evidence == "required"
    evidence = say("each score needs evidence") if required else say("evidence if one likes")
    name, subject = f"{rubric.name} {rubric.version}", say(SUBJECTS[rubric.subject])
    bundled = say("{rubric}, comes with the app · rates {subject}", rubric=name, subject=subject)
    added = say("{rubric}, added · rates {subject}", rubric=name, subject=subject)
    metrics = say_count(
        "{count:,} metric: {names}",
        "{count:,} metrics: {names}",
        len(rubric.metrics),
        names=say(", ").join(rubric.keys),
    )
    return [
        bundled if rubric.name in bundled_rubrics() else added,
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
            fault(translate(error))
        return
    with title:
        way_to(f"**{plain(rubric.title.text(tongue()))}**", rubric=name, version=version)
    with told, st.container(gap=None):
        lines(about(rubric))
