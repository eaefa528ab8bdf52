"""The paper's two tables rebuilt, the charts of one judge, and what was left out."""

import streamlit as st

from characterbox.components.figures.charts import show_charts
from characterbox.components.figures.prose import definitions, said
from characterbox.components.figures.reckoning import dropped_file, figures_file, ratings_file
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.tables import reliability_table, usual_interval, validity_table
from characterbox.components.figures.words import overall_in_words
from pages.parts.validity_ways import download


def show_reliability(ratings: Ratings) -> None:
    """Cronbach's alpha, after the paper's table 2."""
    whole = ratings.figures(None)
    st.subheader("Reliability")
    halo = " A judge gives all metrics in one reply, so that a high alpha of a judge can be halo."
    alpha = "Cronbach's alpha: whether scores that should agree do so, with its 95 % interval after Feldt."
    st.html(said(alpha + (halo if whole.report.design.judges else "")))
    st.html(reliability_table(whole.report, whole.improvised_judges))
    st.subheader("Validity")


def show_validity(ratings: Ratings, language: str | None) -> None:
    """Pearson's r, after the paper's table 3, of the scenes in one language or all."""
    whole, shown = ratings.figures(None), ratings.figures(language)
    if shown.report.validity:
        made = usual_interval(shown.report)
        interval = f", with its 95 % interval: {made}" if made else ""
        overall = overall_in_words(shown.report).partition(": ")[2]
        st.html(said(f"Pearson's r between a judge and the mean of the experts{interval}. Overall is {overall}."))
        st.html(validity_table(shown.report, whole.improvised_judges))
        show_charts(ratings, shown, language)
    else:
        st.html(said("No judge has scored anything yet. Open a story in Playback and have it judged."))
        st.page_link("playback.py", label="Playback", icon=":material/menu_book:")
    if shown.dropped:
        with st.expander(f"What was left out, and why ({shown.dropped:,})"):
            st.html(shown.dropped_list)
            download("What was left out (CSV)", lambda: ratings.file(dropped_file, language), "left-out.csv")
    with st.expander("What the names mean"):
        st.html(definitions(shown.report))
    with st.container(horizontal=True):
        download("Ratings (CSV)", lambda: ratings.file(ratings_file), "ratings.csv")
        download("Figures (CSV)", lambda: ratings.file(figures_file, language), "figures.csv")
