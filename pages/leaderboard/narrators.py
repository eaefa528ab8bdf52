"""Narrators compared on Grice's maxims, by kind of step and overall, after the paper's figure 3."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, speaking, translate
from annotations.leaderboard.narrators import by_narrator, steps_of
from annotations.marking.rating import judge_called
from annotations.report.published import FIGURE_3
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.charts.judges import chosen_pictures, show_chart
from characterbox.components.figures.charts.narrators import MOST, maxims_chart
from characterbox.components.figures.charts.theme import shown_tokens
from characterbox.components.figures.tables.captions import said
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.narrators import (
    ALL_STEPS,
    STEPS,
    NarratorFigures,
    has_interval,
    narrators_csv,
    narrators_latex,
    narrators_table,
    narrators_told,
    step_name,
    stories_csv,
)
from characterbox.components.figures.tables.text import file_name, in_a_row, language_name
from characterbox.components.url_state import box_in_address, segments_in_address
from characterbox.judging.narrator_scores import EXPERTS, ComparedNarrators, NarratorRatings, compared, narrator_ratings
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.store import Store
from pages.leaderboard.choice import UNKNOWN, chosen_language
from pages.leaderboard.views import left_out_told
from pages.validity.choice import tell_unknown
from pages.validity.links import offer

ASKED = {to_say("By kind of step"): "narrator_steps", to_say("The whole story"): "narrator"}
UNKNOWN_STEP = to_say("The link asks for the steps {wanted}, which are not available here.")
NOBODY = to_say(
    "No narrator has been scored this way yet. Open a story in Playback and have a judge score its narrator, by"
    " kind of step or as a whole, or have experts score narrators in a campaign with the rubric {rubric}."
)


def show_narrators(store: Store, choices: DeltaGenerator, notes: DeltaGenerator) -> None:
    """The table, the chart of one kind of step, files, and what the paper says of its narrators."""
    with choices:
        language, rubric = chosen_language(notes), _chosen_rubric(notes)
    ratings = narrator_ratings(store, rubric, language)
    if ratings.raters:
        with choices:
            rater = _chosen_rater(ratings, notes)
        found, no_result = compared(ratings, rater), ratings.raters[rater]
        _show(found, no_result=no_result)
        with speaking("en"):
            whose = _called(rater, no_result)
        figures = NarratorFigures(whose, rubric, found, no_result)
        _show_chart(figures, language, notes)
        _files(figures, language)
    else:
        st.html(said(say(NOBODY, rubric=rubric)))
    st.subheader(say("Published (paper)"), anchor=False)
    st.html(said(say(FIGURE_3)))


def _chosen_rubric(notes: DeltaGenerator) -> str:
    with notes:
        tell_unknown("asked", UNKNOWN["scores"], ASKED)
    asked, keeping = segments_in_address("asked", ASKED, next(iter(ASKED)))
    st.segmented_control(say("Subject"), [*ASKED], format_func=say, required=True, **keeping)
    return ASKED[asked]


def _chosen_rater(ratings: NarratorRatings, notes: DeltaGenerator) -> str:
    raters = ratings.raters
    with notes:
        tell_unknown("rater", UNKNOWN["scores"], raters)
    rater, keeping = box_in_address("rater", [*raters], next(iter(raters)))
    st.selectbox(say("Scores by"), [*raters], format_func=lambda one: _called(one, raters[one]), width=300, **keeping)
    return rater


def _called(rater: str, no_result: bool) -> str:
    return say("the experts") if rater == EXPERTS else translate(judge_called(rater, no_result))


def _show(found: ComparedNarrators, *, no_result: bool) -> None:
    mark = say("Scores of the marked models are {mark}.", mark=say(NOT_A_RESULT)) if found.improvised else ""
    if no_result:
        mark = say("These scores are {mark}.", mark=say(NOT_A_RESULT))
    st.html(said(in_a_row(*narrators_told(found.scores), mark)) + left_out_told(found.left_out))
    st.html(html_of(narrators_table(found.scores, found.improvised)))


def _show_chart(figures: NarratorFigures, language: str | None, notes: DeltaGenerator) -> None:
    """One kind of step, that the reader chooses, or all of them."""
    found, names = figures.compared, {say_of: step for step, say_of in STEPS.items()}
    options = [ALL_STEPS, *(name for name, step in names.items() if step in steps_of(found.scores))]
    with notes:
        tell_unknown("step", UNKNOWN_STEP, options)
    told, keeping = segments_in_address("step", options, ALL_STEPS)
    if len(options) > 1:
        st.segmented_control(say("Steps"), options, format_func=say, required=True, **keeping)
    step = names.get(told)
    of = by_narrator(found.scores, step)
    axis = say("Score by {whose}", whose=figures.scores)
    chart = maxims_chart(of, found.improvised, axis, shown_tokens())
    alt = say("Narrators on Grice's maxims: {step}; same values as in the table above", step=step_name(step))
    show_chart(chart, alt, ("narrators", figures.scores, told), Selection(language))
    more = say("The chart shows the first {most} narrators in alphabetical order.", most=MOST) if len(of) > MOST else ""
    of_step = [one for by_maxim in of.values() for one in by_maxim.values()]
    drawn = say("Point: mean. Line: its 95 % interval.") if has_interval(of_step) else say("Point: mean.")
    st.html(said(in_a_row(drawn, more)))


def _files(figures: NarratorFigures, language: str | None) -> None:
    st.subheader(say("Download"), anchor=False)
    name = file_name("narrators", figures.scores, figures.rubric, language_name(language) if language else "")
    offer(
        name,
        (
            (say("Narrators (CSV)"), "csv", lambda: narrators_csv(figures)),
            (say("Narrators (LaTeX)"), "tex", lambda: narrators_latex(figures).encode()),
        ),
    )
    offer(f"{name}-stories", ((say("Underlying scores (CSV)"), "csv", lambda: stories_csv(figures)),))
    chosen_pictures()
