"""Charts of judges beside the experts, and what is said beside them."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.exchange.table import NO_FIGURE
from annotations.i18n.messages import joined
from annotations.i18n.translation import Tongue, say, speaking, tongue, translate
from annotations.marking.rating import judge_called
from annotations.report.report import Report
from annotations.validity.concordance import Concordance
from annotations.validity.judge_expert_correlation import OVERALL, Correlation
from characterbox.components.figures.background.compute import Figures, Points
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.charts.scatter import JITTER, bland_altman, jitter, same_scale, scatter
from characterbox.components.figures.charts.theme import (
    Tokens,
    in_chart,
    interval_points,
    published_points,
    rows_layout,
    shown_tokens,
)
from characterbox.components.figures.tables.captions import follows_paper, nothing_to_draw, published_pearson, said
from characterbox.components.figures.tables.html import data
from characterbox.components.figures.tables.text import (
    decimal,
    file_name,
    in_a_row,
    in_full,
    metric_label,
    metric_name,
    part_in_words,
    shortened,
    wrapped,
)
from characterbox.judging.provenance import DEMO_NOTE

ROW = 54
"""Pixels per metric: its figures stand above its interval, the paper's below."""
LINE = 44
"""Letters in a line of a reason, so that it fits a telephone."""
NAME = 22
"""Letters of a metric's name that stand beside its row."""


def _ends(r: Correlation) -> tuple[float, float, float]:
    """The ends of its interval and the estimate between them, which is alone where there is none."""
    if isinstance(r.interval, Undefined):
        return r.estimate, r.estimate, r.estimate
    return r.interval.low, r.estimate, r.interval.high


def forest(report: Report, judge: str, tokens: Tokens, *, improvised: bool) -> go.Figure:
    """One row per metric, the first on top; a row that is undefined holds its reason.

    Raises UndefinedStatistic, with the reasons, when no row has a figure.
    """
    rows = report.validity[judge]
    reasons = dict.fromkeys(r.reason for r in rows.values() if isinstance(r, Undefined))
    if not any(isinstance(r, Correlation) for r in rows.values()):
        raise UndefinedStatistic(joined(reasons))
    drawn = {number: r for number, r in enumerate(rows.values()) if isinstance(r, Correlation)}
    figure = go.Figure(layout=_layout(tuple(rows), tokens, improvised))
    points = {number: _ends(r) for number, r in drawn.items()}
    figure.add_trace(interval_points("r", points, tokens))
    for number, r in drawn.items():
        _label(figure, in_full(r), r.estimate, number, yshift=14, font={"color": tokens.ink})
    if follows_paper(report):
        found = ((number, published_pearson(judge, metric)) for number, metric in enumerate(rows))
        papers = {number: r for number, r in found if r is not None}
        figure.add_trace(published_points(papers, tokens))
        quiet = {"color": tokens.quiet, "size": 12}
        for number, paper in papers.items():
            _label(figure, say("paper {figure}", figure=decimal(paper)), paper, number, yshift=-14, font=quiet)
    for number, row in enumerate(rows.values()):
        if isinstance(row, Undefined):
            reason = "<br>".join(map(in_chart, wrapped(f"{NO_FIGURE} {translate(row.reason)}", LINE)))
            figure.add_annotation(x=0, y=number, text=reason, showarrow=False, font={"color": tokens.quiet})
    return figure


def _label(figure: go.Figure, text: str, x: float, y: int, **how: object) -> None:
    """Text beside a point, kept away from the edges by its own length on a telephone."""
    edge = 1.04 - 0.024 * len(text)
    figure.add_annotation(x=min(max(x, -edge), edge), y=y, text=text, showarrow=False, **how)


def _layout(metrics: tuple[str, ...], tokens: Tokens, improvised: bool) -> go.Layout:
    xaxis = {"range": [-1.04, 1.04], "tickvals": [-1, -0.5, 0, 0.5, 1], "title": {"text": say("Pearson's r")}}
    names = [in_chart(shortened(metric_label(metric), NAME)) for metric in metrics]
    layout = rows_layout(names, ROW, xaxis, say(DEMO_NOTE) if improvised else "", tokens)
    zero = {"color": tokens.quiet, "width": 1}
    layout.shapes = [
        {"type": "line", "x0": 0, "x1": 0, "yref": "paper", "y0": 0, "y1": 1, "line": zero, "layer": "below"}
    ]
    return layout


CHARTS = 32
"""Charts that are kept of each kind: making one again takes longer than the rest of a view that was seen before."""
PICTURES = ("PNG", "SVG")
LINE, PART = 52, 24
"""Letters of the line that tells the part, and pixels above the plot for it."""
SHARPNESS = 3
"""Pixels of a saved PNG for each on the page: it is printed."""

OpenItem = Callable[[str], None]
"""Goes to the trajectory of an item."""


def show_origin(figures: Figures, judge: str) -> None:
    """What must stand by figures of a judge of whose ratings the rehearsal gave some; of stories the summary tells."""
    if judge in figures.improvised_judges:
        told = say(
            "Ratings of {judge} are, at least in part, made without a language model: not a result.",
            judge=judge_called(judge, True),
        )
        st.html(f'<p class="cb-notice">{data(told)}</p>')


def chosen_pictures() -> None:
    """Choose as what the charts of the page are saved."""
    st.segmented_control(
        say("Charts are saved as"), PICTURES, default=PICTURES[0], required=True, key="pictures", bind="query-params"
    )


def show_chart(
    figure: go.Figure, alt: str, names: Sequence[str], selection: Selection, opens: OpenItem | None = None
) -> None:
    """A chart of a selection of ratings that can be saved as a picture of these `names`. A click on a point opens its
    item, if there is a way."""
    figure = _of_part(figure, selection)
    form = str(st.session_state.get("pictures") or PICTURES[0]).lower()
    config = {
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {
            "format": form,
            "filename": file_name(*names, selection.short),
            "scale": 1 if form == "svg" else SHARPNESS,
        },
    }
    if opens is None:
        st.plotly_chart(figure, theme=None, config=config, alt=alt)
        return
    event = st.plotly_chart(
        figure,
        theme=None,
        config=config,
        alt=alt,
        key=f"chart-{'-'.join(names)}",
        on_select="rerun",
        selection_mode="points",
    )
    if item := _clicked(event):
        opens(item)


def _of_part(figure: go.Figure, selection: Selection) -> go.Figure:
    """The chart with a line on top that says of which part of the ratings it is: a picture is seen without its page."""
    if not (told := part_in_words(selection)):
        return figure
    told_figure, above = go.Figure(figure), figure.layout.title.subtitle.text
    told_figure.update_layout(
        title={"subtitle": {"text": "<br>".join(filter(None, (in_chart(shortened(told, LINE)), above)))}},
        margin={"t": figure.layout.margin.t + PART},
        height=figure.layout.height + PART,
    )
    return told_figure


def show_overview(figures: Figures, points: Points, shown: tuple[str, str], opens: OpenItem | None) -> None:
    """The forest plot of a judge beside the scatter plot of one metric; `shown` are judge and metric."""
    judge, metric = shown
    called = _called(figures, judge)
    colours = shown_tokens()
    left, right = st.columns(2, gap="large")
    with left:
        _show_forest(figures, judge, colours)
    with right:
        title = say(
            "{judge} against the mean of the experts: {metric}",
            judge=called,
            metric=metric_name(metric),
        )
        st.html(f'<h3 class="cb-title">{data(title)}</h3>')
        _show_scatter(points, figures, shown, opens)


def show_bland_altman(points: Points, found: Concordance | Undefined, judge: str, opens: OpenItem | None) -> None:
    """Whether judge and experts give the same scores, low ones and high ones alike."""
    if isinstance(found, Undefined):
        st.html(nothing_to_draw(found.reason))
        return
    figure = _bland_altman(points, found, judge, shown_tokens(), tongue())
    called = translate(judge_called(judge, points.improvised_judge))
    alt = say("{n} items: {judge} minus the mean of the experts, against the mean of both", n=found.n, judge=called)
    show_chart(figure, alt, ("bland-altman", called, "+".join(found.metrics)), points.selection, opens)
    point = say("Each point is one item (Bland & Altman, 1986).")
    scales = say("Judge and experts cover different ranges: differences say little.")
    st.html(said(in_a_row(point, _moved(points), "" if same_scale(points.table) else scales, _way(opens))))


@lru_cache(CHARTS)
def _bland_altman(points: Points, found: Concordance, judge: str, colours: Tokens, language: Tongue) -> go.Figure:
    with speaking(language):
        called = translate(judge_called(judge, points.improvised_judge))
        return bland_altman(points.table, found, called, colours, improvised=points.improvised)


@lru_cache(CHARTS)
def _scatter(points: Points, r: Correlation | Undefined, judge: str, colours: Tokens, language: Tongue) -> go.Figure:
    with speaking(language):
        called = translate(judge_called(judge, points.improvised_judge))
        return scatter(points.table, r, called, colours, improvised=points.improvised)


def _show_forest(figures: Figures, judge: str, colours: Tokens) -> None:
    report = figures.report
    called = _called(figures, judge)
    title = say("{judge} and the experts, metric by metric", judge=called)
    st.html(f'<h3 class="cb-title">{data(title)}</h3>')
    improvised = judge in figures.improvised_judges or figures.improvised_items
    try:
        figure = forest(report, judge, colours, improvised=improvised)
    except UndefinedStatistic as undefined:
        st.html(nothing_to_draw(undefined.message))
        return
    alt = say("Pearson's r of {judge} with its interval, by metric; the table above has the same figures", judge=called)
    show_chart(figure, alt, ("forest", called), figures.selection)
    beside = follows_paper(report) and published_pearson(judge, OVERALL) is not None
    point = say("Point: Pearson's r. Line: its 95 % interval.")
    paper = say("The open diamond is the paper's figure for a judge of this name, without an interval.")
    st.html(said(in_a_row(point, paper if beside else "")))


def _show_scatter(points: Points, figures: Figures, shown: tuple[str, str], opens: OpenItem | None) -> None:
    judge, metric = shown
    r = figures.report.validity[judge][metric]
    try:
        figure = _scatter(points, r, judge, shown_tokens(), tongue())
    except UndefinedStatistic as undefined:
        st.html(nothing_to_draw(undefined.message))
        return
    called = _called(figures, judge)
    alt = say("{n} items: the score of {judge} against the mean of the experts", n=len(points.table), judge=called)
    show_chart(figure, alt, ("scatter", called, metric), points.selection, opens)
    point = say("Each point is one item.")
    scales = say("Judge and experts cover different ranges, so that each has an axis of its own.")
    st.html(said(in_a_row(point, _moved(points), "" if same_scale(points.table) else scales, _way(opens))))


def _called(figures: Figures, judge: str) -> str:
    return translate(figures.report.design.called(judge))


def _moved(points: Points) -> str:
    moved = say("Points are moved by up to {share:.1%} of an axis, so that equal ones show.", share=JITTER)
    return moved if jitter(points.table).any() else ""


def _way(opens: OpenItem | None) -> str:
    return "" if opens is None else say("A click on it opens the story where the character first acts.")


def _clicked(event: Any) -> str | None:
    """The item of the point that was clicked, as `scatter.told_on_hover` has it."""
    points = event["selection"]["points"]
    return str(points[0]["customdata"][1]) if points and points[0].get("customdata") else None
