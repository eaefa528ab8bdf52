"""A forest plot: r of one judge with its interval, metric by metric."""

import html
from collections.abc import Mapping

import plotly.graph_objects as go

from annotations.errors import UndefinedStatistic
from annotations.report import Report
from annotations.table import NO_FIGURE
from annotations.undefined import Undefined
from annotations.validity import Correlation
from annotations.wording import say
from characterbox.components.figures.published import follows_paper, published_pearson
from characterbox.components.figures.theme import Tokens, template
from characterbox.components.figures.words import decimal, in_full, metric_label, shortened, wrapped
from characterbox.judging.provenance import DEMO_NOTE

ROW = 54
"""Pixels per metric: its figures stand above its interval, the paper's below."""
LINE = 44
"""Letters in a line of a reason, so that it fits a telephone."""
NAME = 22
"""Letters of a metric's name that stand beside its row."""

Row = Correlation | Undefined


def forest(report: Report, judge: str, tokens: Tokens, *, improvised: bool) -> go.Figure:
    """One row per metric, the first on top; a row that is undefined holds its reason.

    Raises UndefinedStatistic, with the reasons, when no row has a figure.
    """
    rows = report.validity[judge]
    reasons = dict.fromkeys(r.reason for r in rows.values() if isinstance(r, Undefined))
    if not any(isinstance(r, Correlation) for r in rows.values()):
        raise UndefinedStatistic(say("; ").join(reasons))
    figure = go.Figure(layout=_layout(tuple(rows), tokens, improvised))
    _draw_intervals(figure, rows, tokens)
    if follows_paper(report):
        _draw_published(figure, judge, tuple(rows), tokens)
    for number, r in enumerate(rows.values()):
        if isinstance(r, Undefined):
            reason = "<br>".join(map(html.escape, wrapped(f"{NO_FIGURE} {r.reason}", LINE)))
            figure.add_annotation(x=0, y=number, text=reason, showarrow=False, font={"color": tokens.quiet})
    return figure


def _draw_intervals(figure: go.Figure, rows: Mapping[str, Row], tokens: Tokens) -> None:
    drawn = [(number, r) for number, r in enumerate(rows.values()) if isinstance(r, Correlation)]
    figure.add_trace(
        go.Scatter(
            name="r",
            x=[r.estimate for _, r in drawn],
            y=[number for number, _ in drawn],
            mode="markers",
            marker={"color": tokens.accent, "size": 9},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [r.interval.high - r.estimate for _, r in drawn],
                "arrayminus": [r.estimate - r.interval.low for _, r in drawn],
                "color": tokens.accent,
                "thickness": 2,
                "width": 0,
            },
            hoverinfo="skip",
        )
    )
    for number, r in drawn:
        _label(figure, in_full(r), r.estimate, number, yshift=14, font={"color": tokens.ink})


def _draw_published(figure: go.Figure, judge: str, metrics: tuple[str, ...], tokens: Tokens) -> None:
    """The paper's figures for a judge of the same name; it gives no intervals."""
    found = [(number, published_pearson(judge, metric)) for number, metric in enumerate(metrics)]
    points = [(number, r) for number, r in found if r is not None]
    figure.add_trace(
        go.Scatter(
            name="paper",
            x=[r for _, r in points],
            y=[number for number, _ in points],
            mode="markers",
            marker={"color": tokens.quiet, "size": 8, "symbol": "diamond-open"},
            hoverinfo="skip",
        )
    )
    for number, r in points:
        _label(
            figure,
            say("paper {figure}", figure=decimal(r)),
            r,
            number,
            yshift=-14,
            font={"color": tokens.quiet, "size": 12},
        )


def _label(figure: go.Figure, text: str, x: float, y: int, **how: object) -> None:
    """Text beside a point, kept away from the edges by its own length on a telephone."""
    edge = 1.04 - 0.024 * len(text)
    figure.add_annotation(x=min(max(x, -edge), edge), y=y, text=text, showarrow=False, **how)


def _layout(metrics: tuple[str, ...], tokens: Tokens, improvised: bool) -> go.Layout:
    top = 40 if improvised else 12
    return go.Layout(
        template=template(tokens),
        height=ROW * len(metrics) + 60 + top,
        margin={"l": 8, "r": 8, "t": top, "b": 52},
        title={"text": say(DEMO_NOTE) if improvised else "", "font": {"size": 13, "color": tokens.quiet}},
        xaxis={"range": [-1.04, 1.04], "tickvals": [-1, -0.5, 0, 0.5, 1], "title": {"text": say("Pearson's r")}},
        yaxis={
            "range": [len(metrics) - 0.4, -0.6],
            "tickvals": list(range(len(metrics))),
            "ticktext": [html.escape(shortened(metric_label(metric), NAME)) for metric in metrics],
            "tickfont": {"color": tokens.ink},
            "showgrid": False,
            "automargin": True,
        },
        shapes=[
            {
                "type": "line",
                "x0": 0,
                "x1": 0,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": tokens.quiet, "width": 1},
                "layer": "below",
            }
        ],
    )
