"""A chart after the paper's figure 3: narrators side by side on each of Grice's maxims, with intervals."""

from collections.abc import Collection, Mapping, Sequence

import plotly.graph_objects as go

from annotations.errors import Undefined
from annotations.i18n.translation import say
from annotations.leaderboard.narrators import NarratorScore
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.charts.leaderboard import DAGGER, NAME
from characterbox.components.figures.charts.theme import Tokens, in_chart, interval_points, rows_layout
from characterbox.components.figures.tables.narrators import MAXIMS, maxim_name
from characterbox.components.figures.tables.text import decimal, shortened
from characterbox.judging.provenance import DEMO_NOTE

ROW = 42
"""Pixels a narrator on a maxim: its figures stand above its interval."""
MOST = 8
"""Narrators in the chart, so that a maxim is seen at a glance."""


def maxims_chart(
    found: Mapping[str, Mapping[str, NarratorScore]], improvised: Collection[str], axis: str, tokens: Tokens
) -> go.Figure:
    """A point with its interval for each narrator (of `found`, by maxim), maxim by maxim, over the whole scale."""
    shown = [*found][:MOST]
    rows = [(key, narrator) for key in MAXIMS for narrator in shown]
    known = {row: found[of][key] for row, (key, of) in enumerate(rows) if key in found[of]}
    scale = load_rubric("narrator").scale
    xaxis = {"range": (scale.low - 0.1, scale.high + 0.1), "title": {"text": in_chart(axis)}, "nticks": 5}
    dagger = any(narrator in improvised for narrator in shown)
    labels = [_label(narrator, improvised) for _, narrator in rows]
    layout = rows_layout(labels, ROW, xaxis, f"{DAGGER} {say(DEMO_NOTE)}" if dagger else "", tokens)
    layout.annotations = [
        *(_figures(row, one) for row, one in known.items()),
        *_headings(len(shown), tokens),
    ]
    layout.shapes = [_rule(place * len(shown) - 0.5, tokens) for place in range(1, len(MAXIMS))]
    layout.margin.r = 110
    points = {row: (*_ends(one)[:1], one.mean, *_ends(one)[1:]) for row, one in known.items()}
    return go.Figure([interval_points("mean", points, tokens)], layout)


def _ends(one: NarratorScore) -> tuple[float, float]:
    interval = one.interval
    return (one.mean, one.mean) if isinstance(interval, Undefined) else (interval.low, interval.high)


def _figures(row: int, one: NarratorScore) -> dict[str, object]:
    between = (
        "" if isinstance(one.interval, Undefined) else f" [{decimal(one.interval.low)}, {decimal(one.interval.high)}]"
    )
    text = f"{decimal(one.mean)}{between}"
    return {"x": one.mean, "y": row, "text": text, "showarrow": False, "yshift": 12, "font": {"size": 12}}


def _headings(narrators: int, tokens: Tokens) -> Sequence[dict[str, object]]:
    """Beside the rows of each maxim its name."""
    return [
        {
            "x": 1.01,
            "xref": "paper",
            "xanchor": "left",
            "y": place * narrators + (narrators - 1) / 2,
            "text": in_chart(maxim_name(key)),
            "showarrow": False,
            "font": {"color": tokens.ink, "size": 13},
        }
        for place, key in enumerate(MAXIMS)
    ]


def _rule(y: float, tokens: Tokens) -> dict[str, object]:
    line = {"color": tokens.rule, "width": 1}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def _label(narrator: str, improvised: Collection[str]) -> str:
    """A narrator beside its row, for Plotly; with a dagger where no language model did some of it."""
    return in_chart(shortened(narrator, NAME)) + (f" {DAGGER}" if narrator in improvised else "")
