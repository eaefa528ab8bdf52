"""Charts of the leaderboard: the models' means with their intervals, and how a few of them differ over the metrics."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import plotly.graph_objects as go

from annotations.i18n.translation import say
from annotations.leaderboard.standings import Standing
from annotations.report.published_names import SHIPPED, PublishedNames
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.charts.theme import (
    Tokens,
    in_chart,
    interval_points,
    published_points,
    rows_layout,
    side_of,
    template,
)
from characterbox.components.figures.tables.captions import published_score
from characterbox.components.figures.tables.text import decimal, metric_name, shortened
from characterbox.judging.leaderboard import Board
from characterbox.judging.provenance import DEMO_NOTE

MOST = 5
"""Models whose outlines can be told apart."""
HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
"""Okabe and Ito's, which colour-blind readers tell apart."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
"""Told apart in print without colours, too."""
ROW = 46
"""Pixels a model: its figures stand above its interval, the paper's below."""
DAGGER = "†"
NAME = 20
"""Letters of a model's name beside its row."""
_ROOM = 0.12
"""Share of an axis that is left free at both ends for labels."""


def means_chart(board: Board, metric: str, axis: str, tokens: Tokens, names: PublishedNames = SHIPPED) -> go.Figure:
    """A bar to the mean of each model on a metric with its interval, the best on top, the paper's as open diamonds."""
    found = board.of(metric)
    papers = _papers(board, {model: names.row(model) for model in found}, metric)
    floor = float(load_rubric().scale.low)
    limits = _range(floor, found.values(), papers.values())
    labels = [_name(board, model) for model in found]
    xaxis = {"range": limits, "title": {"text": in_chart(axis)}, "nticks": 7}
    layout = rows_layout(labels, ROW, xaxis, _note(board, found), tokens)
    quiet = {"color": tokens.quiet, "size": 12}
    layout.annotations = [
        *(_label(_with_rank(one), (one.mean, row), limits, yshift=14) for row, one in enumerate(found.values())),
        *(_label(_paper(mean), (mean, row), limits, yshift=-14, font=quiet) for row, mean in papers.items()),
    ]
    points = {row: (_ends(one)[0], one.mean, _ends(one)[1]) for row, one in enumerate(found.values())}
    drawn = [_bars(found.values(), floor, tokens), interval_points("mean", points, tokens)]
    return go.Figure([*drawn, *([published_points(papers, tokens)] if papers else [])], layout)


def radar(board: Board, models: Sequence[str], tokens: Tokens) -> go.Figure:
    """The outline of some models over the metrics, each with its intervals as a band."""
    keys = load_rubric().keys
    by_metric = {key: board.of(key) for key in keys}
    whole = [model for model in models if all(model in by_metric[key] for key in keys)][:MOST]
    figure = go.Figure(layout=_round_layout(_note(board, whole), tokens))
    for number, model in enumerate(whole):
        standings = [by_metric[key][model] for key in keys]
        _draw_outline(figure, _name(board, model), standings, number)
    ends = [end for model in whole for key in keys for end in _ends(by_metric[key][model])]
    if ends:
        step = 0.5
        floor, ceiling = step * (min(ends) // step), step * -(-max(ends) // step)
        figure.update_polars(radialaxis={"range": [floor, ceiling], "dtick": step})
    return figure


def _draw_outline(figure: go.Figure, name: str, standings: Sequence[Standing], number: int) -> None:
    theta = [one.metric for one in standings]
    around = [*theta, theta[0]]
    lows, highs = zip(*map(_ends, standings), strict=True)
    hue = HUES[number]
    red, green, blue = bytes.fromhex(hue[1:])
    figure.add_trace(
        go.Scatterpolar(
            r=[*highs, highs[0], lows[0], *reversed(lows)],
            theta=[*around, theta[0], *reversed(theta)],
            fill="toself",
            fillcolor=f"rgba({red}, {green}, {blue}, 0.13)",
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
        )
    )
    means = [one.mean for one in standings]
    told = [f"{name}<br>{in_chart(metric_name(one.metric))}: {_in_full(one)}" for one in standings]
    figure.add_trace(
        go.Scatterpolar(
            name=name,
            r=[*means, means[0]],
            theta=around,
            mode="lines+markers",
            line={"color": hue, "width": 2, "dash": DASHES[number]},
            marker={"color": hue, "size": 5},
            text=[*told, told[0]],
            hovertemplate="%{text}<extra></extra>",
        )
    )


def _bars(found: Collection[Standing], floor: float, tokens: Tokens) -> go.Bar:
    """From the lowest score that can be given; quiet, so that the intervals are what is seen."""
    return go.Bar(
        name="bar",
        base=floor,
        x=[one.mean - floor for one in found],
        y=[*range(len(found))],
        orientation="h",
        width=0.34,
        marker={"color": tokens.rule, "line": {"width": 0}},
        hoverinfo="skip",
    )


def _paper(mean: float) -> str:
    return say("paper {figure}", figure=decimal(mean))


def _label(text: str, at: tuple[float, int], limits: tuple[float, float], **how: object) -> dict[str, object]:
    """Text above or below a point; near an edge it ends, or begins, there, so that it fits a telephone."""
    (x, row), (low, high) = at, limits
    anchor = side_of((x - low) / (high - low))
    return {"x": x, "xanchor": anchor, "y": row, "text": text, "showarrow": False, **how}


def _papers(board: Board, found: Mapping[str, str | None], metric: str) -> dict[int, float]:
    """The paper's means for these models, each with its published name, by the row of each; none beside what is no
    result."""
    published = ((model, published_score(row, board.wanted.language, metric)) for model, row in found.items())
    return {
        row: one.mean for row, (model, one) in enumerate(published) if one is not None and model not in board.improvised
    }


def _range(floor: float, found: Iterable[Standing], papers: Iterable[float]) -> tuple[float, float]:
    ceiling = max([*(end for one in found for end in _ends(one)), *papers])
    return floor, ceiling + _ROOM * max(ceiling - floor, 0.5)


def _ends(one: Standing) -> tuple[float, float]:
    return (one.mean, one.mean) if one.low is None or one.high is None else (one.low, one.high)


def _in_full(one: Standing) -> str:
    if one.low is None or one.high is None:
        return say("{mean}, no interval, n = {n:,}", mean=decimal(one.mean), n=one.scenes)
    return f"{decimal(one.mean)} [{decimal(one.low)}, {decimal(one.high)}], n = {one.scenes:,}"


def _with_rank(one: Standing) -> str:
    if one.best_rank is None or one.worst_rank is None:
        return say("{figures} · rank {rank}", figures=_in_full(one), rank=one.rank)
    ranks = f"{one.rank} [{one.best_rank}, {one.worst_rank}]"
    return say("{figures} · rank {rank}", figures=_in_full(one), rank=ranks)


def _name(board: Board, model: str) -> str:
    """A model beside its row or line, for Plotly; with a dagger where the rehearsal made some of it."""
    dagger = f" {DAGGER}" if model in board.improvised else ""
    return in_chart(shortened(model, NAME)) + dagger


def _note(board: Board, models: Iterable[str]) -> str:
    """What the daggers mean, where there are any."""
    return f"{DAGGER} {say(DEMO_NOTE)}" if any(model in board.improvised for model in models) else ""


def _round_layout(note: str, tokens: Tokens) -> go.Layout:
    top = 48 if note else 28
    lines = {"gridcolor": tokens.rule, "linecolor": tokens.rule}
    return go.Layout(
        template=template(tokens),
        height=430 + top,
        margin={"l": 40, "r": 40, "t": top, "b": 60},
        title={"text": note, "font": {"size": 13, "color": tokens.quiet}},
        showlegend=True,
        legend={"orientation": "h", "x": 0.5, "xanchor": "center", "y": -0.1, "yanchor": "top"},
        polar={
            "bgcolor": tokens.paper,
            "radialaxis": {
                **lines,
                "angle": 90,
                "tickangle": 90,
                "tickfont": {"color": tokens.quiet, "size": 12},
                "tickformat": ".1f",
            },
            "angularaxis": {
                **lines,
                "rotation": 90,
                "direction": "clockwise",
                "tickfont": {"color": tokens.ink, "size": 13},
            },
        },
    )
