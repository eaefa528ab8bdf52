"""A forest plot: r of one judge with its interval, metric by metric."""

import html

import plotly.graph_objects as go

from annotations.errors import UndefinedStatistic
from annotations.report import Report
from annotations.table import NO_FIGURE
from annotations.undefined import Undefined
from annotations.validity import Correlation
from annotations.wording import say
from characterbox.components.figures.published import follows_paper, published_pearson
from characterbox.components.figures.theme import Tokens, interval_points, published_points, rows_layout
from characterbox.components.figures.words import decimal, in_full, metric_label, shortened, wrapped
from characterbox.judging.provenance import DEMO_NOTE

ROW = 54
"""Pixels per metric: its figures stand above its interval, the paper's below."""
LINE = 44
"""Letters in a line of a reason, so that it fits a telephone."""
NAME = 22
"""Letters of a metric's name that stand beside its row."""


def forest(report: Report, judge: str, tokens: Tokens, *, improvised: bool) -> go.Figure:
    """One row per metric, the first on top; a row that is undefined holds its reason.

    Raises UndefinedStatistic, with the reasons, when no row has a figure.
    """
    rows = report.validity[judge]
    reasons = dict.fromkeys(r.reason for r in rows.values() if isinstance(r, Undefined))
    if not any(isinstance(r, Correlation) for r in rows.values()):
        raise UndefinedStatistic(say("; ").join(reasons))
    drawn = {number: r for number, r in enumerate(rows.values()) if isinstance(r, Correlation)}
    figure = go.Figure(layout=_layout(tuple(rows), tokens, improvised))
    points = {number: (r.interval.low, r.estimate, r.interval.high) for number, r in drawn.items()}
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
            reason = "<br>".join(map(html.escape, wrapped(f"{NO_FIGURE} {row.reason}", LINE)))
            figure.add_annotation(x=0, y=number, text=reason, showarrow=False, font={"color": tokens.quiet})
    return figure


def _label(figure: go.Figure, text: str, x: float, y: int, **how: object) -> None:
    """Text beside a point, kept away from the edges by its own length on a telephone."""
    edge = 1.04 - 0.024 * len(text)
    figure.add_annotation(x=min(max(x, -edge), edge), y=y, text=text, showarrow=False, **how)


def _layout(metrics: tuple[str, ...], tokens: Tokens, improvised: bool) -> go.Layout:
    xaxis = {"range": [-1.04, 1.04], "tickvals": [-1, -0.5, 0, 0.5, 1], "title": {"text": say("Pearson's r")}}
    names = [html.escape(shortened(metric_label(metric), NAME)) for metric in metrics]
    layout = rows_layout(names, ROW, xaxis, say(DEMO_NOTE) if improvised else "", tokens)
    zero = {"color": tokens.quiet, "width": 1}
    layout.shapes = [
        {"type": "line", "x0": 0, "x1": 0, "yref": "paper", "y0": 0, "y1": 1, "line": zero, "layer": "below"}
    ]
    return layout
