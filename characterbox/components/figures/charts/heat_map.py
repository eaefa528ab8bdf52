"""Heat maps of correlations: the colour shows the pattern, the figure in each cell is what is read."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go
from plotly.colors import find_intermediate_color, hex_to_rgb

from annotations.errors import Undefined
from annotations.exchange.table import NO_FIGURE
from annotations.i18n.translation import Tongue, say, speaking, tongue, translate
from annotations.reliability.item_analysis import InterMetric
from annotations.validity.halo import MultitraitMultimethod
from characterbox.components.figures.charts.theme import Tokens, in_chart, template
from characterbox.components.figures.tables.text import counted, decimal, metric_label, shortened, wrapped
from characterbox.judging.provenance import DEMO_NOTE

ROW = 34
"""Pixels per row; columns share the width of the page."""
NAME, BLOCK_NAME = 16, 22
"""Letters of a name that stand beside its row or over its column, and by a block of them."""
LETTER = 7
"""Pixels, about, of a letter."""
TELEPHONE = 280
"""Pixels that all columns have together on a telephone."""
CHARTS = 32
"""Maps that are kept: making one again takes longer than the rest of a view that was seen before."""
LINE, LINE_HEIGHT = 52, 18
"""Letters in a line above the map, so that it fits a telephone, and its pixels."""
OPPOSITE = ("#0072b2", "#56b4e9")
"""Okabe and Ito's blues, one for each theme: of these the one that differs most from the paper stands at -1. The accent
is a red, and colour-blind readers tell red and blue apart."""
LEGIBLE = 4.5
"""The contrast that text must have (WCAG 2.2, level AA)."""

Cell = float | Undefined | None
"""None where there is nothing to correlate."""


def heat_map(rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[Cell]], tokens: Tokens) -> go.Figure:
    """Correlations, the first row on top. An undefined one is a dash that tells its reason when pointed at."""
    figure = go.Figure(layout=_layout(rows, columns, tokens))
    figure.add_trace(
        go.Heatmap(
            z=[[None if isinstance(cell, Undefined) else cell for cell in row] for row in cells],
            hovertext=[
                [_on_hover(cell, row, column) for cell, column in zip(line, columns, strict=True)]
                for line, row in zip(cells, rows, strict=True)
            ],
            hoverinfo="text",
            zmin=-1,
            zmax=1,
            colorscale=[[0, _opposite(tokens)], [0.5, tokens.paper], [1, tokens.accent]],
            showscale=False,
            xgap=1,
            ygap=1,
        )
    )
    _write(figure, cells, tokens)
    return figure


def _write(figure: go.Figure, cells: Sequence[Sequence[Cell]], tokens: Tokens) -> None:
    """The figure of each cell upon its colour."""
    shown = [(x, y, cell) for y, row in enumerate(cells) for x, cell in enumerate(row) if cell is not None]
    figure.add_trace(
        go.Scatter(
            name="figures",
            x=[x for x, _, _ in shown],
            y=[y for _, y, _ in shown],
            text=[_written(cell) for _, _, cell in shown],
            mode="text",
            textfont={"color": [_ink_on(cell, tokens) for _, _, cell in shown], "size": _size(len(cells[0]))},
            hoverinfo="skip",
        )
    )


def inter_metric_map(found: InterMetric, tokens: Tokens, *, improvised: bool) -> go.Figure:
    """How the metrics of one side correlate with each other; each pair once.

    `improvised` says whether the rehearsal gave a part of what is drawn: then the map has the mark.
    """
    return _kept(_inter_metric_map, found, tokens, improvised, tongue())


def multitrait_multimethod_map(matrix: MultitraitMultimethod, tokens: Tokens, *, improvised: bool) -> go.Figure:
    """The metrics of the judge, then those of the experts, each pair once; the validity diagonal is outlined.

    `improvised` as for `inter_metric_map`.
    """
    return _kept(_multitrait_multimethod_map, matrix, tokens, improvised, tongue())


@lru_cache(2 * CHARTS)
def _kept(
    draw: Callable[[Any, Tokens, bool], go.Figure], of: Any, tokens: Tokens, improvised: bool, language: Tongue
) -> go.Figure:
    with speaking(language):
        return draw(of, tokens, improvised)


def _inter_metric_map(found: InterMetric, tokens: Tokens, improvised: bool) -> go.Figure:
    names = [metric_label(metric) for metric in found.metrics]
    cells: list[list[Cell]] = [
        [found.matrix[row][column] if column < row else None for column in range(len(names) - 1)]
        for row in range(1, len(names))
    ]
    figure = heat_map(names[1:], names[:-1], cells, tokens)
    _tell(figure, say("Pearson's r, n = {rows} (item x rater)", rows=counted(found.n, "row")), _origin(improvised))
    return figure


def _multitrait_multimethod_map(matrix: MultitraitMultimethod, tokens: Tokens, improvised: bool) -> go.Figure:
    k = len(matrix.metrics)
    across = list(zip(*matrix.between, strict=True))
    whole = [
        *([*judge, *judge_experts] for judge, judge_experts in zip(matrix.within_judge, matrix.between, strict=True)),
        *([*experts_judge, *experts] for experts_judge, experts in zip(across, matrix.within_experts, strict=True)),
    ]
    cells = [[r if column < row else None for column, r in enumerate(line)] for row, line in enumerate(whole)]
    names = [metric_label(metric) for metric in matrix.metrics] * 2
    figure = heat_map(names[1:], names[:-1], [line[:-1] for line in cells[1:]], tokens)
    outlined = say("outlined: validity (same metric, judge and experts)")
    said = [outlined, *_left_out(matrix), *_origin(improvised)]
    _tell(figure, say("Pearson's r, n = {items}", items=counted(matrix.n, "item")), said)
    figure.update_layout(height=figure.layout.height + 16, margin={"b": 32, "r": 32})
    _draw_blocks(figure, (translate(matrix.judge), say("experts")), k, tokens)
    for at in range(k):
        place = {"x0": at - 0.5, "x1": at + 0.5, "y0": k + at - 1.5, "y1": k + at - 0.5}
        figure.add_shape(type="rect", name="validity", line={"color": tokens.ink, "width": 2}, **place)
    return figure


def _draw_blocks(figure: go.Figure, names: tuple[str, str], k: int, tokens: Tokens) -> None:
    """Whose metrics columns (below) and rows (on the right) are, and the rules between them."""
    rule = {"type": "line", "name": "blocks", "line": {"color": tokens.quiet, "width": 1}}
    figure.add_shape(x0=k - 0.5, x1=k - 0.5, y0=-0.5, y1=2 * k - 1.5, **rule)
    figure.add_shape(x0=-0.5, x1=2 * k - 1.5, y0=k - 1.5, y1=k - 1.5, **rule)
    letters = min(BLOCK_NAME, k * ROW // LETTER)
    for name, middle in zip(names, ((k - 1) / 2, k + (k - 1) / 2), strict=True):
        how = {
            "text": in_chart(shortened(name, letters)),
            "showarrow": False,
            "font": {"color": tokens.ink, "size": 13},
        }
        figure.add_annotation(x=middle, yref="paper", y=0, yanchor="top", yshift=-4, **how)
        figure.add_annotation(y=middle - 0.5, xref="paper", x=1, xanchor="left", xshift=4, textangle=90, **how)


def _left_out(matrix: MultitraitMultimethod) -> list[str]:
    """Which metrics the matrix lacks, and why, in lines that fit a telephone."""
    if not matrix.constant:
        return []
    names = say(", ").join(metric_label(metric) for metric in matrix.constant)
    return wrapped(say("left out because one side gave all items the same score: {metrics}", metrics=names), LINE)


def _origin(improvised: bool) -> list[str]:
    return [say(DEMO_NOTE)] if improvised else []


def _tell(figure: go.Figure, title: str, said: Sequence[str]) -> None:
    """What the figures are and of how many, above the map."""
    more = 46 + LINE_HEIGHT * len(said) if said else 32
    subtitle = "<br>".join(in_chart(line) for line in said)
    margin = figure.layout.margin
    figure.update_layout(
        title={"text": title, "subtitle": {"text": subtitle}},
        height=figure.layout.height + more,
        margin={"t": margin.t + more},
    )


def _layout(rows: Sequence[str], columns: Sequence[str], tokens: Tokens) -> go.Layout:
    longest = max(len(shortened(name, NAME)) for name in columns)
    upright = longest * LETTER > TELEPHONE / len(columns)
    top = 12 + (longest * LETTER if upright else 20)
    axis = {"showgrid": False, "tickfont": {"color": tokens.ink}, "ticklabelstandoff": 4}
    return go.Layout(
        template=template(tokens),
        height=ROW * len(rows) + top + 8,
        margin={"l": 8, "r": 8, "t": top, "b": 8},
        xaxis={
            "range": [-0.5, len(columns) - 0.5],
            "side": "top",
            "tickangle": -90 if upright else 0,
            **_ticks(columns),
            **axis,
        },
        yaxis={
            "range": [len(rows) - 0.5, -0.5],
            "automargin": True,
            **_ticks(rows),
            **axis,
        },
    )


def _ticks(names: Sequence[str]) -> dict[str, object]:
    return {"tickvals": list(range(len(names))), "ticktext": [in_chart(shortened(name, NAME)) for name in names]}


def _on_hover(cell: Cell, row: str, column: str) -> str:
    if cell is None:
        return ""
    told = translate(cell.reason) if isinstance(cell, Undefined) else decimal(cell)
    place = say("{row}, {column}", row=row, column=column)
    return "<br>".join(in_chart(line) for line in (place, told))


def _written(cell: float | Undefined) -> str:
    """A correlation without the zero before the point, which no other digit can stand for: many fit in a row."""
    return NO_FIGURE if isinstance(cell, Undefined) else decimal(cell).replace("0.", ".", 1)


def _size(columns: int) -> int:
    """Of the figures, so that a telephone has room for them."""
    return 13 if columns <= 8 else 11


def _opposite(tokens: Tokens) -> str:
    return max(OPPOSITE, key=lambda blue: contrast(_rgb(blue), _rgb(tokens.paper)))


def _ink_on(cell: float | Undefined, tokens: Tokens) -> str:
    """The first ink that is legible on the cell's colour; black or white always is."""
    if isinstance(cell, Undefined):
        return tokens.quiet
    ground = ground_of(cell, tokens)
    inks = (tokens.ink, tokens.paper, "#000000", "#ffffff")
    return next(ink for ink in inks if contrast(_rgb(ink), ground) >= LEGIBLE)


def ground_of(r: float, tokens: Tokens) -> tuple[float, float, float]:
    """The colour of a cell (red, green, blue; 0 to 255), as the colour scale makes it."""
    end = tokens.accent if r > 0 else _opposite(tokens)
    red, green, blue = find_intermediate_color(_rgb(tokens.paper), _rgb(end), abs(r), colortype="tuple")
    return red, green, blue


def contrast(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: tuple[float, float, float]) -> float:
    shares = (part / 255 for part in colour)
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = hex_to_rgb(colour)
    return red, green, blue
