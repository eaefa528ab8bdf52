"""Reliability and validity: how far the ratings can be trusted, and how well judges agree with the experts."""

from collections.abc import Callable
from importlib.resources import files

import streamlit as st

from annotations.errors import AnnotationError
from characterbox.components import figures
from characterbox.components.figures.charts import show_charts
from characterbox.components.figures.export import dropped_csv, figures_csv, ratings_csv
from characterbox.components.figures.prose import definitions, dropped_list, fault, improvised_notice, said, summary
from characterbox.components.figures.source import Ratings, chosen_ratings, report_of
from characterbox.components.figures.tables import reliability_table, usual_interval, validity_table
from characterbox.components.figures.words import language_name, overall_in_words
from characterbox.judging.provenance import improvised_judges
from characterbox.stage.stage import open_stage

ALL = "All languages"


def show(ratings: Ratings) -> None:
    """All figures of these ratings."""
    frame, report = ratings.frame, report_of(ratings)
    improvised = improvised_judges(frame)
    st.html(summary(frame) + improvised_notice(frame))
    st.subheader("Reliability")
    halo = " A judge gives all metrics in one reply, so that a high alpha of a judge can be halo."
    alpha = "Cronbach's alpha: whether scores that should agree do so, with its 95 % interval after Feldt."
    st.html(said(alpha + (halo if report.design.judges else "")))
    st.html(reliability_table(report, improvised))
    st.subheader("Validity")
    language = chosen_language(report.design.languages)
    shown = report_of(ratings, language)
    if shown.validity:
        made = usual_interval(shown)
        interval = f", with its 95 % interval: {made}" if made else ""
        overall = overall_in_words(shown).partition(": ")[2]
        st.html(said(f"Pearson's r between a judge and the mean of the experts{interval}. Overall is {overall}."))
        st.html(validity_table(shown, improvised))
        show_charts(ratings.of_language(language), shown)
    else:
        st.html(said("No judge has scored anything yet. Open a story in Playback and have it judged."))
        st.page_link("playback.py", label="Playback", icon=":material/menu_book:")
    if shown.dropped:
        with st.expander(f"What was left out, and why ({len(shown.dropped):,})"):
            st.html(dropped_list(shown.dropped))
            download("What was left out (CSV)", lambda: dropped_csv(shown.dropped), "left-out.csv")
    with st.expander("What the names mean"):
        st.html(definitions(shown))
    with st.container(horizontal=True):
        download("Ratings (CSV)", lambda: ratings_csv(frame), "ratings.csv")
        download("Figures (CSV)", lambda: figures_csv(report, shown, language, frame), "figures.csv")


def chosen_language(languages: tuple[str, ...]) -> str | None:
    """The language whose scenes the correlations are of; None for all."""
    if len(languages) < 2:
        return None
    names = {ALL: None, **{language_name(language): language for language in languages}}
    return names[st.selectbox("Scenes in", list(names), key="language", bind="query-params", width=240)]


def download(label: str, content: Callable[[], bytes], name: str) -> None:
    """A button that makes the file when it is pressed."""
    st.download_button(label, content, file_name=name, mime="text/csv", on_click="ignore", icon=":material/download:")


st.html(f"<style>{files(figures).joinpath('figures.css').read_text(encoding='utf-8')}</style>")
st.title("Reliability and validity")
if (chosen := chosen_ratings(open_stage().store)) is not None:
    try:
        show(chosen)
    except AnnotationError as error:
        st.html(fault(f"These ratings give no figures: {error}."))
