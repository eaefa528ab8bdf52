"""Which models are told apart: differences of models in the same scenes, all pairs at once."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.i18n.messages import listed, to_say
from annotations.i18n.translation import say
from annotations.leaderboard.differences import model_differences
from annotations.rubrics.rubric import RESERVED, load_rubric
from characterbox.components.figures.tables.captions import said
from characterbox.components.figures.tables.differences import differences_csv, order_table, pairs_table
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.leaderboard import column_name
from characterbox.components.figures.tables.text import capital, counted, file_name, in_a_row
from characterbox.judging.leaderboard import Board, board_of, scores_of, whose_scores
from characterbox.store import Store
from pages.leaderboard.choice import chosen_metric, chosen_sweep, chosen_wanted
from pages.leaderboard.views import nothing_is_scored, origin
from pages.validity.links import offer

TOLD = to_say(
    "Differences between models in the same scenes, with 95 % intervals and p values that hold for all pairs"
    " simultaneously (Tukey-Kramer, scenes as blocks). Scenes are treated as a random sample, models and raters"
    " as fixed. Two models differ significantly if p is below .05."
)
CORRECTED = to_say(
    "Differences are not available for corrected means: corrected means are over items, differences over"
    " scenes. Choose the scores of a judge or of the experts."
)


def show_differences(store: Store, choices: DeltaGenerator, notes: DeltaGenerator) -> None:
    """Each model with those it is told apart from, and all pairs."""
    with choices:
        sweep = chosen_sweep(store, notes)
    scores = scores_of(store, sweep)
    if not scores.languages:
        nothing_is_scored()
        return
    with choices:
        wanted, metric = chosen_wanted(scores, notes), chosen_metric(notes)
    if wanted.whose == "corrected":
        st.html(said(say(CORRECTED)))
        return
    _show(board_of(scores, wanted), metric)


def _show(board: Board, metric: str) -> None:
    found = model_differences(board.items, [*load_rubric().keys] if metric == RESERVED else [metric])
    improvised = frozenset(board.improvised)
    st.html(origin(board))
    told = say("{metric}, in {scenes}.", metric=capital(column_name(metric)), scenes=counted(found.scenes, "scene"))
    st.html(said(in_a_row(told, say(TOLD))))
    if found.left_out:
        told = say(
            "Not compared because they share no scene with another model: {models}.", models=listed(found.left_out)
        )
        st.html(said(told))
    st.html(html_of(order_table(found, improvised)))
    st.html(html_of(pairs_table(found, improvised)))
    name = file_name("differences", str(whose_scores(board)), board.wanted.language, metric)
    offer(name, ((say("Differences (CSV)"), "csv", lambda: differences_csv(found, metric, improvised)),))
