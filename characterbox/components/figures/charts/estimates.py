"""Dot plots of estimates with their intervals: r of judges, r by metric, and alphas, each beside the paper's."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from annotations.errors import Undefined, UndefinedStatistic
from annotations.exchange.table import NO_FIGURE
from annotations.i18n.messages import joined
from annotations.i18n.translation import say, translate
from annotations.reliability.cronbach_alpha import Alpha
from annotations.report.report import AlphaOf, Report, dimension_name
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.charts.theme import (
    Tokens,
    in_chart,
    interval_points,
    published_points,
    rows_layout,
    side_of,
)
from characterbox.components.figures.tables.captions import (
    JUDGES,
    follows_paper,
    published_alpha,
    published_pearson,
    without_version,
)
from characterbox.components.figures.tables.text import decimal, in_full, metric_label, shortened, wrapped
from characterbox.judging.provenance import DEMO_NOTE

ROW = 40
"""Pixels a row: the figures stand above the interval."""
GAP = 0.35
"""Of a row, between two groups."""
LINE = 44
"""Letters in a line of a reason, so that it fits a telephone."""
NAME = 22
"""Letters of a name beside its row."""
MOST_ALPHAS = 10
"""Rows with which the alphas fit beside the judges on a first screen; without room, judges' alphas are in the table."""
_ENDS = 1.04
_FLOORS = (0.0, -0.5, -1.0)
"""Where the axis may begin."""


@dataclass(frozen=True)
class EstimateRow:
    """One row of a dot plot."""

    name: str
    found: Alpha | Correlation | Undefined | None
    """None where there is the paper's figure alone."""
    paper: float | None = None


def forest(report: Report, judge: str, tokens: Tokens, *, improvised: bool) -> go.Figure:
    """Pearson's r of a judge, one row per metric, the first on top; a row that is undefined holds its reason.

    Raises UndefinedStatistic, with the reasons, when no row has a figure.
    """
    beside = follows_paper(report)
    rows = [
        EstimateRow(metric_label(metric), r, published_pearson(judge, metric) if beside else None)
        for metric, r in report.validity[judge].items()
    ]
    return _dot_plot([rows], say("Pearson's r"), tokens, improvised=improvised)


def forest_of_judges(report: Report, metric: str, tokens: Tokens, *, improvised: bool) -> go.Figure:
    """Pearson's r of every judge on a metric, the highest on top, then the paper's judges that are not among these.

    Raises UndefinedStatistic, with the reasons, when no judge has a figure.
    """
    found = {judge: by_metric[metric] for judge, by_metric in report.validity.items() if metric in by_metric}
    beside = follows_paper(report)
    rows = [
        EstimateRow(translate(report.design.called(judge)), r, published_pearson(judge, metric) if beside else None)
        for judge, r in sorted(found.items(), key=_height)
    ]
    known = set(map(without_version, found))
    others = [judge for judge in JUDGES if beside and without_version(judge) not in known]
    papers = [EstimateRow(judge, None, published_pearson(judge, metric)) for judge in others]
    return _dot_plot([rows, papers], say("Pearson's r"), tokens, improvised=improvised)


def alphas(report: Report, tokens: Tokens, *, improvised: bool) -> go.Figure:
    """Cronbach's alpha of the experts by dimension, then by metric, then of the judges where there is room.

    Raises UndefinedStatistic, with the reasons, when there is none.
    """
    design, found = report.design, report.reliability
    language = design.languages[0] if len(design.languages) == 1 else None

    def row(name: str, of: AlphaOf) -> EstimateRow:
        if of.dimension is None or of.judge is not None or language is None or not follows_paper(report):
            return EstimateRow(name, found[of])
        return EstimateRow(name, found[of], published_alpha(of.dimension, language))

    dimensions = [row(translate(dimension_name(name)), AlphaOf(name, language=language)) for name in design.dimensions]
    metrics = [row(metric_label(metric), AlphaOf(metric=metric, language=language)) for metric in design.metrics]
    judges = [
        row(translate(design.called(judge)), AlphaOf(name, language=language, judge=judge))
        for judge in design.judges
        for name in design.dimensions
    ]
    if len(design.dimensions) > 1 or len(dimensions) + len(metrics) + len(judges) > MOST_ALPHAS:
        judges = []
    return _dot_plot([dimensions, metrics, judges], say("Cronbach's alpha"), tokens, improvised=improvised)


def _height(found: tuple[str, Correlation | Undefined]) -> float:
    _, r = found
    return 2.0 if isinstance(r, Undefined) else -r.estimate


def _dot_plot(groups: Iterable[Sequence[EstimateRow]], axis: str, tokens: Tokens, *, improvised: bool) -> go.Figure:
    places: dict[float, EstimateRow] = {}
    at = 0.0
    for group in filter(None, groups):
        for row in group:
            places[at] = row
            at += 1
        at += GAP
    drawn = {y: row.found for y, row in places.items() if isinstance(row.found, Alpha | Correlation)}
    if not drawn:
        raise UndefinedStatistic(
            joined(dict.fromkeys(row.found.reason for row in places.values() if isinstance(row.found, Undefined)))
        )
    ends = {y: _ends(found) for y, found in drawn.items()}
    papers = {y: row.paper for y, row in places.items() if row.paper is not None}
    lowest = min([*(low for low, _, _ in ends.values()), *papers.values()])
    floor = next((floor for floor in _FLOORS if lowest >= floor), lowest)
    figure = go.Figure(layout=_layout(places, floor, axis, say(DEMO_NOTE) if improvised else "", tokens))
    figure.add_trace(interval_points("estimate", ends, tokens))
    if papers:
        figure.add_trace(published_points(papers, tokens))
    limits = (floor - 0.04, _ENDS)
    for y, row in places.items():
        _label(figure, y, row, limits, tokens)
    return figure


def _ends(found: Alpha | Correlation) -> tuple[float, float, float]:
    """The ends of its interval and the estimate between them, which is alone where there is none."""
    if isinstance(found.interval, Undefined):
        return found.estimate, found.estimate, found.estimate
    return found.interval.low, found.estimate, found.interval.high


def _label(figure: go.Figure, y: float, row: EstimateRow, limits: tuple[float, float], tokens: Tokens) -> None:
    """The figures of a row above its point; near an edge they end, or begin, there, so that they fit a telephone."""
    low, high = limits
    if isinstance(row.found, Undefined):
        reason = "<br>".join(map(in_chart, wrapped(f"{NO_FIGURE} {translate(row.found.reason)}", LINE)))
        middle = (low + high) / 2
        figure.add_annotation(x=middle, y=y, text=reason, showarrow=False, font={"color": tokens.quiet})
        return
    ours = "" if row.found is None else in_full(row.found)
    paper = "" if row.paper is None else say("paper {figure}", figure=decimal(row.paper))
    text = " · ".join(filter(None, (ours, f'<span style="color: {tokens.quiet}">{paper}</span>' if paper else "")))
    at = row.found.estimate if row.found is not None else low if row.paper is None else row.paper
    anchor = side_of((at - low) / (high - low))
    figure.add_annotation(
        x=at, xanchor=anchor, y=y, text=text, showarrow=False, yshift=13, font={"color": tokens.ink, "size": 12}
    )


def _layout(places: dict[float, EstimateRow], floor: float, axis: str, note: str, tokens: Tokens) -> go.Layout:
    names = [in_chart(shortened(row.name, NAME)) for row in places.values()]
    ticks = [tick for tick in (-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1) if tick >= floor]
    xaxis = {"range": [floor - 0.04, _ENDS], "title": {"text": axis}, "tickvals": ticks}
    layout = rows_layout(names, ROW, xaxis, note, tokens)
    last = max(places)
    layout.height += round((last + 1 - len(places)) * ROW)
    layout.yaxis.range = [last + 0.6, -0.7]
    layout.yaxis.tickvals = [*places]
    zero = {"color": tokens.quiet, "width": 1}
    layout.shapes = [
        {"type": "line", "x0": 0, "x1": 0, "yref": "paper", "y0": 0, "y1": 1, "line": zero, "layer": "below"}
    ]
    return layout
