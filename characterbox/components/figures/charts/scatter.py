"""What a judge gave each item and the experts' mean: against each other, and their difference along the scale."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from annotations.resampling.estimates import Estimate
from annotations.validity.concordance import Concordance
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.charts.theme import Tokens, in_chart, template
from characterbox.components.figures.tables.text import counted, decimal, in_full, interval, shortened, wrapped
from characterbox.judging.provenance import DEMO_NOTE

JITTER = 0.012
"""How far points that lie on each other are moved at most, as a share of the axis."""
HEIGHT = 520
NAME = 24
"""Letters of a judge's name that fit beside the axis."""
LEFT = 60
"""Pixels for the title and the figures of the axis on the left; a margin that Plotly finds draws all points twice."""
BOTTOM = 52
LABEL = 54
"""Pixels that a label takes in height."""
UPPER, LOWER = to_say("upper limit"), to_say("lower limit")
LINE, LINE_HEIGHT = 52, 18
"""Letters in a line above the plot, so that it fits a telephone, and its pixels."""

Line = tuple[str, Estimate, str]
"""A line across the plot: its name, its figure, and whether it is dashed (as Plotly calls it)."""


def scatter(
    points: pd.DataFrame, r: Correlation | Undefined, judge: str, tokens: Tokens, *, improvised: bool
) -> go.Figure:
    """The points, as `compute.pairs` gives them, with r above them; the axes are equal, with the line of agreement.

    A judge on another scale than the experts gets an axis of its own and no such line. Raises UndefinedStatistic,
    with its reason, when there is no point.
    """
    if points.empty:
        raise UndefinedStatistic(r.reason if isinstance(r, Undefined) else say("no item was scored by both sides"))
    x_range, y_range = _ranges(points)
    figure = go.Figure(layout=_layout(judge, x_range, y_range, tokens))
    figure.update_layout(title=_title(r, improvised))
    figure.add_trace(_dots(points, (points["expert"], points["judge"]), (x_range, y_range), judge, tokens))
    if same_scale(points):
        _draw_identity(figure, x_range, tokens)
    return figure


def same_scale(points: pd.DataFrame) -> bool:
    """Whether judge and experts can be meant on one scale: what they have in common is half of what they cover."""
    sides = points[["expert", "judge"]]
    low, high = sides.min(), sides.max()
    return bool(high.min() - low.max() >= (high.max() - low.min()) / 2)


def jitter(points: pd.DataFrame) -> np.ndarray:
    """For each point, by which share of the axes it is moved: nothing if no two points lie on each other.

    The same points are always moved alike.
    """
    if not points.duplicated(["expert", "judge"]).any():
        return np.zeros((len(points), 2))
    return np.random.default_rng(0).uniform(-JITTER, JITTER, (len(points), 2))


def told_on_hover(points: pd.DataFrame) -> list[list[str]]:
    """For each point what is told of it (HTML), and its item."""
    columns = points[["item", "scene", "model", "expert", "judge"]].itertuples(index=False, name=None)
    return [[_on_hover(*row), str(row[0])] for row in columns]


def _ranges(points: pd.DataFrame) -> tuple[tuple[float, float], tuple[float, float]]:
    expert, judge = points["expert"], points["judge"]
    if same_scale(points):
        both = _padded([*expert, *judge])
        return both, both
    return _padded([*expert]), _padded([*judge])


def _padded(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    margin = (high - low) * 0.06 or 0.5
    return low - margin, high + margin


def _dots(
    points: pd.DataFrame,
    at: tuple[pd.Series, pd.Series],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    judge: str,
    tokens: Tokens,
) -> go.Scatter:
    """A dot an item at these places, moved apart where several lie on each other."""
    shift = jitter(points)
    x, y = (place + shift[:, axis] * np.ptp(ranges[axis]) for axis, place in enumerate(at))
    return go.Scatter(
        name=judge,
        x=x,
        y=y,
        mode="markers",
        marker={"color": tokens.point, "size": 8, "opacity": 1, "line": {"width": 0}},
        customdata=told_on_hover(points),
        hovertemplate="%{customdata[0]}<extra></extra>",
    )


def _layout(judge: str, x_range: tuple[float, float], y_range: tuple[float, float], tokens: Tokens) -> go.Layout:
    equal = (
        {"scaleanchor": "x", "scaleratio": 1, "constrain": "domain", "constraintoward": "top"}
        if x_range == y_range
        else {}
    )
    return go.Layout(
        template=template(tokens),
        height=HEIGHT,
        margin={"l": LEFT, "r": 8, "t": 76, "b": 52},
        xaxis={
            "range": x_range,
            "title": {"text": say("experts' mean")},
            "constrain": "domain",
            "constraintoward": "left",
            "nticks": 6,
        },
        yaxis={"range": y_range, "title": {"text": in_chart(shortened(judge, NAME))}, "nticks": 6, **equal},
    )


def _title(r: Correlation | Undefined, improvised: bool) -> dict[str, object]:
    figures = f"r = {in_full(r)}" if isinstance(r, Correlation) else in_chart(say("No r: {reason}", reason=r.reason))
    return {"text": figures, "subtitle": {"text": say(DEMO_NOTE) if improvised else ""}}


def _draw_identity(figure: go.Figure, ends: tuple[float, float], tokens: Tokens) -> None:
    figure.add_shape(
        type="line",
        x0=ends[0],
        y0=ends[0],
        x1=ends[1],
        y1=ends[1],
        line={"color": tokens.quiet, "width": 1},
        layer="below",
    )
    figure.add_annotation(
        x=ends[1],
        y=ends[1],
        text=say("judge = experts"),
        showarrow=False,
        xanchor="right",
        yanchor="bottom",
        font={"color": tokens.quiet, "size": 12},
    )


def _on_hover(item: object, scene: object, model: object, expert: float, judge: float) -> str:
    lines = [
        str(item),
        say("scene {scene}", scene=scene),
        say("played by {model}", model=model),
        say("experts {expert}, judge {judge}", expert=decimal(expert), judge=decimal(judge)),
    ]
    return "<br>".join(in_chart(line) for line in lines)


def bland_altman(
    points: pd.DataFrame, found: Concordance, judge: str, tokens: Tokens, *, improvised: bool
) -> go.Figure:
    """The points, as `compute.pairs` gives them, with bias and limits of agreement of the same items.

    Each line is labelled with its figure, and its interval is a band; why there is no interval is said above the plot.
    """
    middle, apart = (points["judge"] + points["expert"]) / 2, points["judge"] - points["expert"]
    lines = _lines(found)
    x_range, y_range = _padded([*middle]), _padded([0.0, *apart, *_ends(lines)])
    figure = go.Figure(layout=_difference_layout(judge, x_range, y_range, tokens))
    _tell_counts(figure, found, lines, improvised)
    figure.add_trace(_dots(points, (middle, apart), (x_range, y_range), judge, tokens))
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
            text=f"{say(name)}<br><b>{decimal(line.estimate)}</b><br>{interval(line.interval)}",
            showarrow=False,
            font={"color": tokens.ink, "size": 13},
        )


def _tell_counts(figure: go.Figure, found: Concordance, lines: list[Line], improvised: bool) -> None:
    """How many items there are, and below it what must be said of them."""
    said = [say(DEMO_NOTE)] if improvised else []
    reasons = dict.fromkeys(line.interval.reason for _, line, _ in lines if isinstance(line.interval, Undefined))
    said += [line for reason in reasons for line in wrapped(say("no interval: {reason}", reason=reason), LINE)]
    counts = [counted(found.n, "item"), counted(found.scenes, "scene"), counted(found.models, "model")]
    figure.update_layout(
        title={
            "text": say("n = {counts}", counts=say(", ").join(counts)),
            "subtitle": {"text": "<br>".join(in_chart(line) for line in said)},
        },
        margin={"t": 58 + LINE_HEIGHT * len(said) if said else 44},
    )


def _difference_layout(
    judge: str, x_range: tuple[float, float], y_range: tuple[float, float], tokens: Tokens
) -> go.Layout:
    return go.Layout(
        template=template(tokens),
        height=HEIGHT,
        margin={"l": LEFT, "r": 92, "b": BOTTOM},
        xaxis={"range": x_range, "title": {"text": say("mean of judge and experts' mean")}, "nticks": 6},
        yaxis={
            "range": y_range,
            "title": {"text": in_chart(say("{judge} minus experts' mean", judge=shortened(judge, NAME)))},
            "nticks": 7,
            "zeroline": True,
            "zerolinecolor": tokens.quiet,
        },
    )
