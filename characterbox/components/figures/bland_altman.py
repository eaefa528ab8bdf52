"""A Bland-Altman plot: by how much a judge's scores differ from the experts' means, along the scale."""

import html

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from annotations.concordance import Concordance
from annotations.estimates import Estimate
from annotations.undefined import Undefined
from annotations.wording import say, to_say
from characterbox.components.figures.scatter import LEFT, NAME, jitter, told_on_hover
from characterbox.components.figures.theme import Tokens, template
from characterbox.components.figures.words import counted, decimal, shortened, wrapped
from characterbox.judging.provenance import DEMO_NOTE

HEIGHT, BOTTOM = 520, 52
LABEL = 54
"""Pixels that a label takes in height."""
UPPER, LOWER = to_say("upper limit"), to_say("lower limit")
LINE, LINE_HEIGHT = 52, 18
"""Letters in a line above the plot, so that it fits a telephone, and its pixels."""

Line = tuple[str, Estimate, str]
"""A line across the plot: its name, its figure, and whether it is dashed (as Plotly calls it)."""


def bland_altman(
    points: pd.DataFrame, found: Concordance, judge: str, tokens: Tokens, *, improvised: bool
) -> go.Figure:
    """The points, as `reckoning.pairs` gives them, with bias and limits of agreement of the same items.

    Each line is labelled with its figure, and its interval is a band; why there is no interval is said above the plot.
    """
    middle, apart = (points["judge"] + points["expert"]) / 2, points["judge"] - points["expert"]
    lines = _lines(found)
    x_range, y_range = _padded(list(middle)), _padded([0.0, *apart, *_ends(lines)])
    shift = jitter(points)
    figure = go.Figure(layout=_layout(judge, x_range, y_range, tokens))
    _title(figure, found, lines, improvised)
    figure.add_trace(
        go.Scatter(
            name=judge,
            x=middle + shift[:, 0] * np.ptp(x_range),
            y=apart + shift[:, 1] * np.ptp(y_range),
            mode="markers",
            marker={"color": tokens.point, "size": 8, "opacity": 1, "line": {"width": 0}},
            customdata=told_on_hover(points),
            hovertemplate="%{customdata[0]}<extra></extra>",
        )
    )
    for line in lines:
        _draw_line(figure, line, tokens)
    _label_lines(figure, found, y_range[1] - y_range[0], tokens)
    return figure


def _lines(found: Concordance) -> list[Line]:
    """From the top; one where the differences are all the same, and so the limits lie on the bias."""
    low, high = found.limits.low, found.limits.high
    if np.isclose(low.estimate, high.estimate):
        return [(to_say("bias = limits"), found.bias, "solid")]
    return [(UPPER, high, "dash"), (to_say("bias"), found.bias, "solid"), (LOWER, low, "dash")]


def _ends(lines: list[Line]) -> list[float]:
    """How far the lines and their bands go."""
    bands = [
        (figure.interval.low, figure.interval.high)
        for _, figure, _ in lines
        if not isinstance(figure.interval, Undefined)
    ]
    return [*(figure.estimate for _, figure, _ in lines), *(end for band in bands for end in band)]


def _padded(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    margin = (high - low) * 0.06 or 0.5
    return low - margin, high + margin


def _draw_line(figure: go.Figure, line: Line, tokens: Tokens) -> None:
    name, found, dash = line
    across = {"xref": "paper", "x0": 0, "x1": 1}
    if not isinstance(found.interval, Undefined):
        band = {"fillcolor": tokens.ink, "opacity": 0.1, "line": {"width": 0}, "layer": "below"}
        figure.add_shape(type="rect", name=name, y0=found.interval.low, y1=found.interval.high, **across, **band)
    drawn = {"color": tokens.ink, "width": 1.5, "dash": dash}
    figure.add_shape(type="line", name=name, y0=found.estimate, y1=found.estimate, line=drawn, **across)


def _label_lines(figure: go.Figure, found: Concordance, span: float, tokens: Tokens) -> None:
    """Beside the plot, where the labels hide no point; those of limits near the bias are moved away from it."""
    pixels = (HEIGHT - figure.layout.margin.t - BOTTOM) / span
    for name, line, _ in _lines(found):
        missing = max(0.0, LABEL - abs(line.estimate - found.bias.estimate) * pixels)
        figure.add_annotation(
            xref="paper",
            x=1,
            xanchor="left",
            xshift=6,
            align="left",
            y=line.estimate,
            yshift={UPPER: missing, LOWER: -missing}.get(name, 0),
            text=f"{say(name)}<br><b>{decimal(line.estimate)}</b><br>{_interval(line)}",
            showarrow=False,
            font={"color": tokens.ink, "size": 13},
        )


def _interval(found: Estimate) -> str:
    if isinstance(found.interval, Undefined):
        return say("no interval")
    return f"[{decimal(found.interval.low)}, {decimal(found.interval.high)}]"


def _title(figure: go.Figure, found: Concordance, lines: list[Line], improvised: bool) -> None:
    """How many items there are, and below it what must be said of them."""
    said = [say(DEMO_NOTE)] if improvised else []
    reasons = dict.fromkeys(line.interval.reason for _, line, _ in lines if isinstance(line.interval, Undefined))
    said += [line for reason in reasons for line in wrapped(say("no interval: {reason}", reason=reason), LINE)]
    counts = [counted(found.n, "item"), counted(found.scenes, "scene"), counted(found.models, "model")]
    figure.update_layout(
        title={
            "text": say("n = {counts}", counts=say(", ").join(counts)),
            "subtitle": {"text": "<br>".join(html.escape(line) for line in said)},
        },
        margin={"t": 58 + LINE_HEIGHT * len(said) if said else 44},
    )


def _layout(judge: str, x_range: tuple[float, float], y_range: tuple[float, float], tokens: Tokens) -> go.Layout:
    return go.Layout(
        template=template(tokens),
        height=HEIGHT,
        margin={"l": LEFT, "r": 92, "b": BOTTOM},
        xaxis={"range": x_range, "title": {"text": say("mean of judge and experts")}, "nticks": 6},
        yaxis={
            "range": y_range,
            "title": {"text": html.escape(say("{judge} minus experts", judge=shortened(judge, NAME)))},
            "nticks": 7,
            "zeroline": True,
            "zerolinecolor": tokens.quiet,
        },
    )
