"""The paper's two tables rebuilt, the charts of one judge, what was left out, and the files."""

import streamlit as st

from characterbox.components.figures.charts import show_overview
from characterbox.components.figures.files import dropped_file
from characterbox.components.figures.prose import definitions, listed, said
from characterbox.components.figures.reckoning import Figures
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.tables import (
    intervals_of_alphas,
    intervals_of_correlations,
    reliability_table,
    validity_table,
)
from characterbox.components.figures.words import overall_in_words
from pages.parts.validity_choice import Focus
from pages.parts.validity_ways import download, opener


def show_summary(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """Cronbach's alpha after the paper's table 2, and Pearson's r after its table 3."""
    shown = ratings.figures(selection)
    if shown.caveats:
        st.html(listed([caveat.sentence for caveat in shown.caveats]))
    _show_reliability(shown)
    st.subheader("Validity")
    if focus.judge is not None:
        _show_validity(ratings, shown, selection, (focus.judge, focus.metric))
    else:
        _say_no_judge(ratings)
    if shown.dropped:
        with st.expander(f"What was left out, and why ({shown.dropped:,})"):
            st.html(shown.dropped_list)
            download("What was left out (CSV)", lambda: ratings.file(dropped_file, selection), "left-out.csv")
    with st.expander("What the names mean"):
        st.html(definitions(shown.report))


def _say_no_judge(ratings: Ratings) -> None:
    if not ratings.stored:
        st.html(said("The file has no rating of a judge."))
        return
    st.html(said("No judge has scored anything yet. Open a story in Playback and have it judged."))
    st.page_link("playback.py", label="Playback", icon=":material/menu_book:")


def _show_reliability(shown: Figures) -> None:
    st.subheader("Reliability")
    halo = " A judge gives all metrics in one reply, so that a high alpha of a judge can be halo."
    made = intervals_of_alphas(shown.report)
    interval = f", with its 95 % interval: {made}" if made else ""
    alpha = f"Cronbach's alpha: whether scores that should agree do so{interval}."
    st.html(said(alpha + (halo if shown.report.design.judges else "")))
    st.html(reliability_table(shown.report, shown.improvised_judges))


def _show_validity(ratings: Ratings, shown: Figures, selection: Selection, of: tuple[str, str]) -> None:
    made = intervals_of_correlations(shown.report)
    interval = f", with its 95 % interval: {made}" if made else ""
    overall = overall_in_words(shown.report).partition(": ")[2]
    st.html(said(f"Pearson's r between a judge and the mean of the experts{interval}. Overall is {overall}."))
    st.html(validity_table(shown.report, shown.improvised_judges))
    show_overview(shown, ratings.points(selection, *of), of, opener(ratings))
