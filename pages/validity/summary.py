"""The first view: how well judges, metrics and experts agree, as pictures; then the paper's two tables rebuilt."""

import streamlit as st

from annotations.i18n.translation import say
from annotations.report.published import WHOSE_ALPHA
from characterbox.components.figures.background.compute import Figures
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import Ratings
from characterbox.components.figures.charts.judges import show_alphas, show_forest_of_judges
from characterbox.components.figures.files.downloads import dropped_file
from characterbox.components.figures.tables.captions import (
    definitions,
    follows_paper,
    said,
)
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.reliability_validity import (
    intervals_of_alphas,
    intervals_of_correlations,
    reliability_table,
    validity_table,
)
from pages.shared.folded import show_cautions, show_how
from pages.validity.choice import Focus, say_no_judge, told_of_intervals
from pages.validity.links import download


def show_summary(ratings: Ratings, selection: Selection, focus: Focus) -> None:
    """Pearson's r after the paper's table 3, and Cronbach's alpha after its table 2."""
    shown = ratings.figures(selection)
    show_cautions([caveat.sentence for caveat in shown.caveats])
    judged = bool(shown.report.design.judges)
    left, right = st.columns(2, gap="large")
    with left:
        if judged:
            show_forest_of_judges(shown, focus.metric)
        else:
            say_no_judge(ratings)
    with right:
        show_alphas(shown)
    if judged:
        _show_validity(shown)
    _show_reliability(shown)
    if shown.dropped:
        with st.expander(say("Exclusions and reasons ({n:,})", n=shown.dropped)):
            st.html(shown.dropped_list)
            label = say("Exclusions (CSV)")
            download(label, lambda: ratings.file(dropped_file, selection), "left-out.csv", "left-out")
    with st.expander(say("Definitions")):
        st.html(definitions(shown.report))


def _show_validity(shown: Figures) -> None:
    st.subheader(say("Validity"))
    st.html(said(say("Pearson's r between a judge and the experts' mean.")))
    st.html(html_of(validity_table(shown.report, shown.improvised_judges)))
    if shown.report.design.overall:
        overall = say("Overall is each item's mean over the metrics, both for the judge and for the experts' mean.")
    else:
        overall = say("Overall is the overall score given directly by raters and judge, treated as another metric.")
    show_how([overall, *_intervals(intervals_of_correlations(shown.report), shown)])


def _show_reliability(shown: Figures) -> None:
    st.subheader(say("Reliability"))
    st.html(said(say("Cronbach's alpha: how consistent the scores are that should agree.")))
    st.html(html_of(reliability_table(shown.report, shown.improvised_judges)))
    told = _intervals(intervals_of_alphas(shown.report), shown)
    if shown.report.design.judges:
        told.append(say("A judge scores all metrics in one reply, so a high alpha of a judge can be a halo effect."))
    if follows_paper(shown.report):
        told.append(say(WHOSE_ALPHA))
    show_how(told)


def _intervals(made: str, shown: Figures) -> list[str]:
    return [say("95 % intervals: {made}.", made=made), told_of_intervals(shown.selection.drawn)] if made else []
