"""Reliability and validity: how far the ratings can be trusted, and how well judges agree with the experts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files

import streamlit as st

from annotations.errors import AnnotationError
from characterbox.components import figures
from characterbox.components.figures.charts import show_charts
from characterbox.components.figures.prose import definitions, fault, said
from characterbox.components.figures.reckoning import dropped_file, figures_file, ratings_file
from characterbox.components.figures.source import Ratings, chosen_ratings
from characterbox.components.figures.tables import reliability_table, usual_interval, validity_table
from characterbox.components.figures.words import language_name, overall_in_words
from characterbox.errors import CharacterBoxError

ALL = "All languages"


def show() -> None:
    """All figures of the ratings that the reader chooses."""
    if (ratings := chosen_ratings()) is None:
        return
    whole = ratings.figures(None)
    st.html(ratings.overview().summary)
    st.subheader("Reliability")
    halo = " A judge gives all metrics in one reply, so that a high alpha of a judge can be halo."
    alpha = "Cronbach's alpha: whether scores that should agree do so, with its 95 % interval after Feldt."
    st.html(said(alpha + (halo if whole.report.design.judges else "")))
    st.html(reliability_table(whole.report, whole.improvised_judges))
    st.subheader("Validity")
    st.fragment(show_validity)(ratings)


def show_validity(ratings: Ratings) -> None:
    """What is of one language, judge or metric: drawn anew by itself when another is chosen, of the same ratings."""
    with faults_told():
        whole = ratings.figures(None)
        language = chosen_language(whole.report.design.languages)
        shown = ratings.figures(language)
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


def chosen_language(languages: tuple[str, ...]) -> str | None:
    """The language whose scenes the correlations are of; None for all."""
    if len(languages) < 2:
        return None
    names = {ALL: None, **{language_name(language): language for language in languages}}
    return names[st.selectbox("Scenes in", list(names), key="language", bind="query-params", width=240)]


def download(label: str, content: Callable[[], bytes], name: str) -> None:
    """A button that makes the file when it is pressed."""
    st.download_button(label, content, file_name=name, mime="text/csv", on_click="ignore", icon=":material/download:")


@contextmanager
def faults_told() -> Iterator[None]:
    """Say on the page why there are no figures."""
    try:
        yield
    except (AnnotationError, CharacterBoxError) as error:
        st.html(fault(f"These ratings give no figures: {error}."))


st.html(f"<style>{files(figures).joinpath('figures.css').read_text(encoding='utf-8')}</style>")
st.title("Reliability and validity")
with faults_told():
    show()
