"""Reliability and validity: how far the ratings can be trusted, and how well judges agree with the experts."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import Ratings
from characterbox.components.figures.tables.captions import said
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.reliability_validity import paper_reliability, paper_validity
from characterbox.components.url_state import segments_in_address
from pages.shared.figure_style import apply_figure_style
from pages.validity.choice import UNKNOWN_VIEW, Focus, chosen_focus, chosen_selection, tell_unknown
from pages.validity.experts import show_plan, show_raters
from pages.validity.judge import show_comparison, show_judge
from pages.validity.judge_experiments import show_experiments
from pages.validity.links import faults_told, show_files
from pages.validity.ratings import chosen_ratings, name_in_address, show_about
from pages.validity.summary import show_summary

SUMMARY = to_say("Summary")


@dataclass(frozen=True)
class View:
    """A view of the page, and what the reader chooses for it."""

    show: Callable[[Ratings, Selection, Focus], None]
    of_judge: bool = False
    of_metric: bool = True


VIEWS = {
    SUMMARY: View(show_summary),
    to_say("Experts"): View(show_raters),
    to_say("Single judge"): View(show_judge, of_judge=True),
    to_say("Judge comparison"): View(show_comparison, of_metric=False),
    to_say("Judge experiments"): View(show_experiments, of_judge=True),
    to_say("Planning"): View(show_plan),
}


def show() -> None:
    """The figures of the ratings that the reader chooses, in the view that the reader chooses."""
    line = st.container(horizontal=True, vertical_alignment="bottom")
    with line:
        ratings = chosen_ratings()
    if ratings is None:
        show_papers()
        name_in_address(None)
        return
    tell_unknown("view", UNKNOWN_VIEW, VIEWS)
    view, keeping = segments_in_address("view", VIEWS, SUMMARY)
    line.segmented_control(
        say("View"), list(VIEWS), format_func=say, required=True, label_visibility="collapsed", **keeping
    )
    st.fragment(show_view)(ratings, view)
    name_in_address(ratings)


def show_papers() -> None:
    """The paper's figures, as long as there are none beside which they could stand."""
    st.subheader(say("Published (paper)"))
    st.html(said(say("Cronbach's alpha: how consistent the scores are that should agree.")))
    st.html(html_of(paper_reliability()))
    st.html(said(say("Pearson's r between a judge and the experts' mean.")))
    st.html(html_of(paper_validity()))


def show_view(ratings: Ratings, view: str) -> None:
    """A view, drawn anew by itself when something else is chosen, of the same ratings."""
    with faults_told():
        wanted = VIEWS[view]
        line = st.container(horizontal=True, vertical_alignment="bottom")
        first, then = (line.container(horizontal=True, vertical_alignment="bottom", width="content") for _ in range(2))
        with then:
            selection = chosen_selection(ratings.overview())
        shown = ratings.figures(selection)
        with first:
            focus = chosen_focus(shown, of_judge=wanted.of_judge, of_metric=wanted.of_metric)
        show_about(ratings, shown.summary)
        wanted.show(ratings, selection, focus)
        show_files(ratings, selection)


apply_figure_style()
st.title(say("Reliability and validity"))
with faults_told():
    show()
