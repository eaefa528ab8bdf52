"""A scatter plot: what a judge gave each item against the experts' mean."""

import html

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from annotations.errors import UndefinedStatistic
from annotations.undefined import Undefined
from annotations.validity import Correlation
from annotations.wording import say
from characterbox.components.figures.theme import Tokens, template
from characterbox.components.figures.words import decimal, in_full, shortened
from characterbox.judging.provenance import DEMO_NOTE

JITTER = 0.012
"""How far points that lie on each other are moved at most, as a share of the axis."""
HEIGHT = 520
NAME = 24
"""Letters of a judge's name that fit beside the axis."""
LEFT = 60
"""Pixels for the title and the figures of the axis on the left; a margin that Plotly finds draws all points twice."""


def scatter(
    points: pd.DataFrame, r: Correlation | Undefined, judge: str, tokens: Tokens, *, improvised: bool
) -> go.Figure:
    """The points, as `reckoning.pairs` gives them, with r above them; the axes are equal, with the line of agreement.

    A judge on another scale than the experts gets an axis of its own and no such line. Raises UndefinedStatistic,
    with its reason, when there is no point.
    """
    if points.empty:
        raise UndefinedStatistic(r.reason if isinstance(r, Undefined) else say("no item has a score from both sides"))
    x_range, y_range = _ranges(points)
    shift = jitter(points)
    figure = go.Figure(layout=_layout(judge, x_range, y_range, tokens))
    figure.update_layout(title=_title(r, improvised))
    figure.add_trace(
        go.Scatter(
            name=judge,
            x=points["expert"] + shift[:, 0] * np.ptp(x_range),
            y=points["judge"] + shift[:, 1] * np.ptp(y_range),
            mode="markers",
            marker={"color": tokens.point, "size": 8, "opacity": 1, "line": {"width": 0}},
            customdata=told_on_hover(points),
            hovertemplate="%{customdata[0]}<extra></extra>",
        )
    )
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
        both = pd.concat([expert, judge])
        return _padded(both), _padded(both)
    return _padded(expert), _padded(judge)


def _padded(scores: pd.Series) -> tuple[float, float]:
    margin = (scores.max() - scores.min()) * 0.06 or 0.5
    return float(scores.min() - margin), float(scores.max() + margin)


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
            "title": {"text": say("mean of the experts")},
            "constrain": "domain",
            "constraintoward": "left",
            "nticks": 6,
        },
        yaxis={"range": y_range, "title": {"text": html.escape(shortened(judge, NAME))}, "nticks": 6, **equal},
    )


def _title(r: Correlation | Undefined, improvised: bool) -> dict[str, object]:
    if isinstance(r, Correlation):
        figures = f"r = {in_full(r)}"
    else:
        figures = html.escape(say("There is no r: {reason}", reason=r.reason))
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
    return "<br>".join(html.escape(line) for line in lines)
