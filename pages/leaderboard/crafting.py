"""How scenes are crafted: table 4, by a judge or by the experts, beside the paper's."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, speaking, translate
from annotations.leaderboard.standings import CraftingScore
from annotations.marking.rating import judge_called
from characterbox.components.figures.tables.captions import said
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.scene_quality import (
    CraftingFigures,
    crafting_scores_table,
    papers_crafting_table,
    scores_csv,
    table_csv,
    table_json,
    table_latex,
)
from characterbox.components.figures.tables.text import file_name, in_a_row, language_name
from characterbox.components.url_state import box_in_address
from characterbox.crafting.scene_scores import EXPERTS, crafting_table, is_written, raters_of, scores_behind
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.llm.endpoint import crafter_of, is_improvised
from characterbox.store import Store
from pages.leaderboard.choice import UNKNOWN
from pages.shared.folded import show_how
from pages.validity.choice import tell_unknown
from pages.validity.links import offer

NOBODY = to_say(
    "No generated scenes have been scored yet. Generate scenes on the Scenes page, and have a judge or experts"
    " score the accepted ones; this view then compares methods and models."
)
OURS = to_say(
    "Means over accepted scenes ± standard deviation. In the three-stage method, the evaluator accepts a scene before"
    " anyone scores it; a direct draft is used as it is. Scenes that were archived or later changed in the library are"
    " not counted."
)
BRACKETS = to_say(
    "Brackets: 95 % intervals by Student's t, with scenes as independent draws, cut at the ends of the scale."
)
WITHOUT = to_say(
    "There is no interval for fewer than five scenes or if all scenes have the same score, because their spread cannot"
    " be estimated."
)
PAPERS = to_say(
    "CharacterBox paper, table 4: mean ± standard deviation. Three-Stage uses ChatGLM3-6B in all three roles."
    " The paper does not say who scored, and gives no creativity scores for extracted scenes."
)


def show_scene_crafting(store: Store, language: str | None, notes: DeltaGenerator) -> None:
    """Our table of scenes in one language, or in all, and the paper's."""
    known = [one for one in store.scenes.all() if language in (None, one.language)]
    scenes = [one for one in known if is_written(one)]
    edited = sum(one.crafted is not None and one.crafted.by_hand for one in known)
    raters = raters_of(store, scenes)
    if raters:
        with notes:
            tell_unknown("rater", UNKNOWN["scores"], raters)
        rater, keeping = box_in_address("rater", [*raters], next(iter(raters)))
        st.selectbox(
            say("Scores by"), [*raters], format_func=lambda one: _called(one, raters[one]), width=300, **keeping,
        )  # fmt: skip
        improvised = set(filter(is_improvised, (crafter_of(one.crafted) for one in scenes if one.crafted)))
        mark = say("Scores of the marked models are {mark}.", mark=say(NOT_A_RESULT)) if improvised else ""
        no_result = raters[rater]
        if no_result:
            mark = say("These scores are {mark}.", mark=say(NOT_A_RESULT))
        left_out = say("Scenes edited by a person are left out: {count:,}.", count=edited)
        if mark or edited:
            st.html(said(in_a_row(mark, left_out if edited else "")))
        ratings = scores_behind(store, scenes, rater)
        cells = crafting_table(ratings)
        st.html(html_of(crafting_scores_table(cells, improvised)))
        show_how(_explained(cells))
        with speaking("en"):
            whose = _called(rater, no_result)
        _files(CraftingFigures(whose, cells, ratings, improvised, no_result), language)
    else:
        st.html(said(say(NOBODY)))
    st.subheader(say("Published (paper)"))
    st.html(said(say(PAPERS)))
    st.html(html_of(papers_crafting_table()))


def _explained(cells: Sequence[CraftingScore]) -> list[str]:
    """What the figures are; of intervals only what holds for them."""
    between = [one.low is not None for one in cells]
    told = {OURS: True, BRACKETS: any(between), WITHOUT: not all(between)}
    return [say(sentence) for sentence, holds in told.items() if holds]


def _called(rater: str, no_result: bool) -> str:
    return say("the experts") if rater == EXPERTS else translate(judge_called(rater, no_result))


def _files(figures: CraftingFigures, language: str | None) -> None:
    name = file_name("crafting", figures.scores, language_name(language) if language else "")
    offer(
        name,
        (
            (say("Table 4 (CSV)"), "csv", lambda: table_csv(figures)),
            (say("Table 4 (LaTeX)"), "tex", lambda: table_latex(figures).encode()),
            (say("Table 4 (JSON)"), "json", lambda: table_json(figures).encode()),
        ),
    )
    offer(f"{name}-scores", ((say("Underlying scores (CSV)"), "csv", lambda: scores_csv(figures)),))
