"""The paper's two tables rebuilt, the charts of one judge, what was left out, and the files."""

import streamlit as st

from annotations.i18n.translation import say
from annotations.report.published import WHOSE_ALPHA
from characterbox.components.figures.background.compute import Figures
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import Ratings
from characterbox.components.figures.charts.judges import show_overview
from characterbox.components.figures.files.downloads import dropped_file
from characterbox.components.figures.tables.captions import definitions, follows_paper, listed, said
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.reliability_validity import (
    intervals_of_alphas,
    intervals_of_correlations,
    reliability_table,
    validity_table,
)
from characterbox.components.figures.tables.text import in_a_row
from pages.validity.choice import Focus, say_no_judge
from pages.validity.links import download, opener


def show_summary(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """Cronbach's alpha after the paper's table 2, and Pearson's r after its table 3."""
    shown = ratings.figures(selection)
    if shown.caveats:
        st.html(listed([caveat.sentence for caveat in shown.caveats]))
    _show_reliability(shown)
    st.subheader(say("Validity"))
    if focus.judge is not None:
        _show_validity(ratings, shown, selection, (focus.judge, focus.metric))
    else:
        say_no_judge(ratings)
    if shown.dropped:
        with st.expander(say("What was left out, and why ({n:,})", n=shown.dropped)):
            st.html(shown.dropped_list)
            label = say("What was left out (CSV)")
            download(label, lambda: ratings.file(dropped_file, selection), "left-out.csv", "left-out")
    with st.expander(say("What the names mean")):
        st.html(definitions(shown.report))


def _show_reliability(shown: Figures) -> None:
    st.subheader(say("Reliability"))
    if made := intervals_of_alphas(shown.report):
        alpha = say(
            "Cronbach's alpha: whether scores that should agree do so, with its 95 % interval: {made}.", made=made
        )
    else:
        alpha = say("Cronbach's alpha: whether scores that should agree do so.")
    halo = say("A judge gives all metrics in one reply, so that a high alpha of a judge can be halo.")
    whose = say(WHOSE_ALPHA) if follows_paper(shown.report) else ""
    st.html(said(in_a_row(alpha, halo if shown.report.design.judges else "", whose)))
    st.html(html_of(reliability_table(shown.report, shown.improvised_judges)))


def _show_validity(ratings: Ratings, shown: Figures, selection: Selection, of: tuple[str, str]) -> None:
    if made := intervals_of_correlations(shown.report):
        pearson = say(
            "Pearson's r between a judge and the mean of the experts, with its 95 % interval: {made}.", made=made
        )
    else:
        pearson = say("Pearson's r between a judge and the mean of the experts.")
    if shown.report.design.overall:
        overall = say("Overall is each item's mean over the metrics, for the judge and for the experts' mean.")
    else:
        overall = say("Overall is the overall score as raters and judge gave it, taken as one more metric.")
    st.html(said(in_a_row(pearson, overall)))
    st.html(html_of(validity_table(shown.report, shown.improvised_judges)))
    show_overview(shown, ratings.points(selection, *of), of, opener(ratings))
