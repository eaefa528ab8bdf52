"""Leaderboard: how the models play, by metric and on average, as one judge, the experts, or both together see it."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from characterbox.components.figures.tables.captions import published_languages
from characterbox.components.url_state import segments_in_address
from characterbox.judging.leaderboard import board_of, left_out_of, scores_of
from characterbox.stage.stage import open_stage
from characterbox.store import Store
from pages.leaderboard.choice import chosen_language, chosen_metric, chosen_sweep, chosen_table_language, chosen_wanted
from pages.leaderboard.costs import show_costs
from pages.leaderboard.crafting import show_scene_crafting
from pages.leaderboard.differences import show_differences
from pages.leaderboard.model_names import show_model_names
from pages.leaderboard.narrators import show_narrators
from pages.leaderboard.rolebench import show_rolebench
from pages.leaderboard.views import left_out_told, nothing_is_scored, show_ours, show_papers
from pages.leaderboard.votes import show_votes
from pages.shared.figure_style import apply_figure_style
from pages.validity.choice import UNKNOWN_VIEW, tell_unknown
from pages.validity.links import faults_told

stage = open_stage()


def show() -> None:
    """The view that the reader chooses, of what the reader chooses."""
    with faults_told():
        tell_unknown("view", UNKNOWN_VIEW, VIEWS)
        view, keeping = segments_in_address("view", VIEWS, OURS)
        st.segmented_control(
            say("View"), [*VIEWS], format_func=say, required=True, label_visibility="collapsed", **keeping
        )
        choices, notes = st.container(horizontal=True, vertical_alignment="bottom"), st.container()
        VIEWS[view](stage.store, choices, notes)


def _ours(store: Store, choices: DeltaGenerator, notes: DeltaGenerator) -> None:
    with choices:
        sweep = chosen_sweep(store, notes)
    scores = scores_of(store, sweep)
    if not scores.languages:
        if told := left_out_told(left_out_of(scores.left_out)):
            st.html(told)
        nothing_is_scored()
        _papers(store, choices, notes)
        return
    with choices:
        wanted, metric = chosen_wanted(scores, notes), chosen_metric(notes)
    show_ours(store, board_of(scores, wanted), metric)


def _papers(store: Store, choices: DeltaGenerator, notes: DeltaGenerator) -> None:
    with choices:
        language, metric = chosen_table_language(published_languages(), notes), chosen_metric(notes)
    show_papers(language, metric)
    show_model_names(store)


def _votes(store: Store, choices: DeltaGenerator, notes: DeltaGenerator) -> None:
    with choices:
        sweep, language = chosen_sweep(store, notes), chosen_language(notes)
    show_votes(store, sweep, language)


def _costs(store: Store, choices: DeltaGenerator, notes: DeltaGenerator) -> None:
    with choices:
        sweep, language = chosen_sweep(store, notes), chosen_language(notes)
    show_costs(store, sweep, language)


def _crafting(store: Store, choices: DeltaGenerator, notes: DeltaGenerator) -> None:
    with choices:
        language = chosen_language(notes)
    show_scene_crafting(store, language, notes)


OURS = to_say("Scores")
VIEWS: dict[str, Callable[[Store, DeltaGenerator, DeltaGenerator], None]] = {
    OURS: _ours,
    to_say("Differences"): show_differences,
    to_say("Published (paper)"): _papers,
    to_say("Votes"): _votes,
    to_say("Costs"): _costs,
    to_say("Scene generation"): _crafting,
    to_say("Narrators"): show_narrators,
    "RoleBench": show_rolebench,
}


apply_figure_style()
st.title(say("Leaderboard"))
st.fragment(show)()
