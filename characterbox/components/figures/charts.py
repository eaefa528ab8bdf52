"""The two charts of one judge on a page: a forest plot over the metrics, a scatter plot of one of them."""

import plotly.graph_objects as go
import streamlit as st

from annotations.errors import UndefinedStatistic
from annotations.validity import OVERALL
from characterbox.components.figures.cells import data
from characterbox.components.figures.forest import forest
from characterbox.components.figures.prose import said
from characterbox.components.figures.published import follows_paper, published_pearson
from characterbox.components.figures.reckoning import Figures, Points
from characterbox.components.figures.scatter import JITTER, jitter, same_scale, scatter
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.theme import Tokens, tokens
from characterbox.components.figures.words import metric_name

CONFIG = {"displaylogo": False, "modeBarButtons": [["toImage"]]}


def show_charts(ratings: Ratings, figures: Figures, language: str | None) -> None:
    """Choose a judge and a metric, and see both charts. `figures` are those of the ratings in this language."""
    validity = figures.report.validity
    metrics = list(next(iter(validity.values())))
    with st.container(horizontal=True):
        judge = st.selectbox("Judge", list(validity), key="judge", bind="query-params", width=240)
        metric = st.selectbox(
            "Metric",
            metrics,
            index=metrics.index(OVERALL),
            key="metric",
            bind="query-params",
            width=240,
        )
    colours = tokens(st.context.theme.type or "light")
    left, right = st.columns(2, gap="large")
    with left:
        _show_forest(figures, judge, colours)
    with right:
        st.html(f'<h3 class="cb-title">{data(judge)} against the mean of the experts: {data(metric_name(metric))}</h3>')
        _show_scatter(ratings.points(language, judge, metric), figures, (judge, metric), colours)


def _show_forest(figures: Figures, judge: str, colours: Tokens) -> None:
    report = figures.report
    st.html(f'<h3 class="cb-title">{data(judge)} and the experts, metric by metric</h3>')
    improvised = judge in figures.improvised_judges or figures.improvised_items
    try:
        figure = forest(report, judge, colours, improvised=improvised)
    except UndefinedStatistic as undefined:
        st.html(said(f"There is nothing to draw: {undefined}."))
        return
    _chart(figure, f"Pearson's r of {judge} with its interval, by metric; the table above has the same figures")
    beside = follows_paper(report) and published_pearson(judge, OVERALL) is not None
    paper = " The open diamond is the paper's figure for a judge of this name, without an interval." if beside else ""
    st.html(said(f"Point: Pearson's r. Line: its 95 % interval.{paper}"))


def _show_scatter(points: Points, figures: Figures, shown: tuple[str, str], colours: Tokens) -> None:
    judge, metric = shown
    r = figures.report.validity[judge][metric]
    try:
        figure = scatter(points.table, r, judge, colours, improvised=points.improvised)
    except UndefinedStatistic as undefined:
        st.html(said(f"There is nothing to draw: {undefined}."))
        return
    _chart(figure, f"{len(points.table)} items: the score of {judge} against the mean of the experts")
    moved = f" Points are moved by up to {JITTER:.1%} of an axis, so that equal ones show."
    scales = " Judge and experts use different scales, so that each has an axis of its own."
    notes = (moved if jitter(points.table).any() else "") + ("" if same_scale(points.table) else scales)
    st.html(said(f"Each point is one item.{notes}"))


def _chart(figure: go.Figure, alt: str) -> None:
    st.plotly_chart(figure, theme=None, config=CONFIG, alt=alt)
