"""The charts as a page shows them: what they are drawn from, what is said beside them, and how they are saved."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from annotations.concordance import Concordance
from annotations.errors import UndefinedStatistic
from annotations.undefined import Undefined
from annotations.validity import OVERALL
from characterbox.components.figures.bland_altman import bland_altman
from characterbox.components.figures.cells import data
from characterbox.components.figures.forest import forest
from characterbox.components.figures.prose import said
from characterbox.components.figures.published import follows_paper, published_pearson
from characterbox.components.figures.reckoning import Figures, Points
from characterbox.components.figures.scatter import JITTER, jitter, same_scale, scatter
from characterbox.components.figures.theme import Tokens, shown_tokens
from characterbox.components.figures.words import metric_name
from characterbox.judging.provenance import NOT_A_RESULT

PICTURES = ("PNG", "SVG")
SHARPNESS = 3
"""Pixels of a saved PNG for each on the page: it is printed."""

OpenItem = Callable[[str], None]
"""Goes to the trajectory of an item."""


def show_origin(figures: Figures, judge: str) -> None:
    """What must stand by figures of a judge of whose ratings the rehearsal gave some; of stories the summary tells."""
    if judge in figures.improvised_judges:
        st.html(f'<p class="cb-notice">Ratings of {data(judge)} are, at least in part, {NOT_A_RESULT}.</p>')


def chosen_pictures() -> None:
    """Choose as what the charts of the page are saved."""
    st.segmented_control(
        "Charts are saved as", PICTURES, default=PICTURES[0], required=True, key="pictures", bind="query-params"
    )


def show_chart(figure: go.Figure, alt: str, name: str, opens: OpenItem | None = None) -> None:
    """A chart that can be saved as a picture of this name. A click on a point opens its item, if there is a way."""
    form = str(st.session_state.get("pictures") or PICTURES[0]).lower()
    config = {
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": form, "filename": name, "scale": 1 if form == "svg" else SHARPNESS},
    }
    if opens is None:
        st.plotly_chart(figure, theme=None, config=config, alt=alt)
        return
    event = st.plotly_chart(
        figure, theme=None, config=config, alt=alt, key=f"chart-{name}", on_select="rerun", selection_mode="points"
    )
    if item := _clicked(event):
        opens(item)


def show_overview(figures: Figures, points: Points, shown: tuple[str, str], opens: OpenItem | None) -> None:
    """The forest plot of a judge beside the scatter plot of one metric; `shown` are judge and metric."""
    judge, metric = shown
    colours = shown_tokens()
    left, right = st.columns(2, gap="large")
    with left:
        _show_forest(figures, judge, colours)
    with right:
        st.html(f'<h3 class="cb-title">{data(judge)} against the mean of the experts: {data(metric_name(metric))}</h3>')
        _show_scatter(points, figures, shown, opens)


def show_bland_altman(points: Points, found: Concordance | Undefined, judge: str, opens: OpenItem | None) -> None:
    """Whether judge and experts give the same scores, low ones and high ones alike."""
    if isinstance(found, Undefined):
        st.html(said(f"There is nothing to draw: {found.reason}."))
        return
    figure = bland_altman(points.table, found, judge, shown_tokens(), improvised=points.improvised)
    alt = f"{found.n} items: {judge} minus the mean of the experts, against the mean of both"
    show_chart(figure, alt, "bland-altman", opens)
    scales = "" if same_scale(points.table) else " Judge and experts use different scales: differences say little."
    st.html(said(f"Each point is one item (Bland & Altman, 1986).{scales}{_way(opens)}"))


def _show_forest(figures: Figures, judge: str, colours: Tokens) -> None:
    report = figures.report
    st.html(f'<h3 class="cb-title">{data(judge)} and the experts, metric by metric</h3>')
    improvised = judge in figures.improvised_judges or figures.improvised_items
    try:
        figure = forest(report, judge, colours, improvised=improvised)
    except UndefinedStatistic as undefined:
        st.html(said(f"There is nothing to draw: {undefined}."))
        return
    alt = f"Pearson's r of {judge} with its interval, by metric; the table above has the same figures"
    show_chart(figure, alt, "forest")
    beside = follows_paper(report) and published_pearson(judge, OVERALL) is not None
    paper = " The open diamond is the paper's figure for a judge of this name, without an interval." if beside else ""
    st.html(said(f"Point: Pearson's r. Line: its 95 % interval.{paper}"))


def _show_scatter(points: Points, figures: Figures, shown: tuple[str, str], opens: OpenItem | None) -> None:
    judge, metric = shown
    r = figures.report.validity[judge][metric]
    try:
        figure = scatter(points.table, r, judge, shown_tokens(), improvised=points.improvised)
    except UndefinedStatistic as undefined:
        st.html(said(f"There is nothing to draw: {undefined}."))
        return
    alt = f"{len(points.table)} items: the score of {judge} against the mean of the experts"
    show_chart(figure, alt, "scatter", opens)
    moved = f" Points are moved by up to {JITTER:.1%} of an axis, so that equal ones show."
    scales = " Judge and experts use different scales, so that each has an axis of its own."
    notes = (moved if jitter(points.table).any() else "") + ("" if same_scale(points.table) else scales)
    st.html(said(f"Each point is one item.{notes}{_way(opens)}"))


def _way(opens: OpenItem | None) -> str:
    return "" if opens is None else " A click on it opens the story where the character first acts."


def _clicked(event: Any) -> str | None:
    """The item of the point that was clicked, as `scatter.told_on_hover` has it."""
    points = event["selection"]["points"]
    return str(points[0]["customdata"][1]) if points and points[0].get("customdata") else None
