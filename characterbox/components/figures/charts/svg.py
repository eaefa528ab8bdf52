"""Charts with a row for each name as SVG: pictures for an article, made without a browser.

They are the charts that pages show, drawn from the same figure of Plotly: points with their intervals, bars, the
paper's figures, and the labels above and below them. Other charts are saved from their page.
"""

import unicodedata
from collections.abc import Iterator
from html import escape
from math import ceil, floor, log10
from typing import Any

import plotly.graph_objects as go

from characterbox.components.figures.charts.theme import SANS, Tokens

PRINT = Tokens(ink="#1a1a1a", paper="#ffffff", accent="#0072b2", rule="#d4d4d4")
"""Black on white, with one colour that colour-blind readers tell from it."""
WIDTH = 720
_LETTER, _WIDE_LETTER = 7.0, 13.0
"""Pixels that a letter takes beside its row, and a Chinese one."""
_MARGIN = 14
_SIZE = 13
"""Pixels of a line of text, without what is between lines."""
_STEPS = (1, 2, 2.5, 5, 10)
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


def svg_of(figure: go.Figure, tokens: Tokens) -> str:
    """The picture of a chart of rows."""
    return "".join(_Rows(figure, tokens).drawn())


class _Rows:
    """A chart of rows, and where its values lie in the picture."""

    def __init__(self, figure: go.Figure, tokens: Tokens) -> None:
        self._figure, self._tokens = figure, tokens
        layout = figure.layout
        self._names = dict(zip(layout.yaxis.tickvals, layout.yaxis.ticktext, strict=True))
        self._left = _MARGIN + max(map(_length, self._names.values())) + 10
        self._top, self._height = layout.margin.t, layout.height
        self._low, self._high = layout.xaxis.range
        self._bottom, self._last = layout.yaxis.range[1], layout.yaxis.range[0]

    def drawn(self) -> Iterator[str]:
        ink, paper = self._tokens.ink, self._tokens.paper
        yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self._height}" width="{WIDTH}"'
        yield f' height="{self._height}" font-family="{escape(SANS)}" font-size="{_SIZE}" fill="{ink}">\n'
        yield f'<rect width="{WIDTH}" height="{self._height}" fill="{paper}"/>\n'
        if note := self._figure.layout.title.text:
            yield _text(note, (_MARGIN, 20), "start", self._tokens.quiet)
        yield from self._axis()
        for trace in self._figure.data:
            yield from self._bars(trace) if trace.type == "bar" else self._points(trace)
        for place, name in self._names.items():
            yield _text(name, (self._left - 10, self._y(place) + 4), "end", ink)
        for note in self._figure.layout.annotations:
            yield from self._label(note)
        yield "</svg>\n"

    def _x(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return float(self._left + share * (WIDTH - _MARGIN - self._left))

    def _y(self, place: float) -> float:
        share = (place - self._bottom) / (self._last - self._bottom)
        return float(self._top + share * (self._floor - self._top))

    @property
    def _floor(self) -> float:
        return float(self._height - self._figure.layout.margin.b)

    def _axis(self) -> Iterator[str]:
        quiet, axis = self._tokens.quiet, self._figure.layout.xaxis
        for tick in axis.tickvals or _ticks(self._low, self._high, axis.nticks):
            x = self._x(tick)
            yield _line((x, self._top), (x, self._floor), quiet if tick == 0 else self._tokens.rule, 1)
            yield _text(f"{tick:g}".replace("-", "−"), (x, self._floor + 18), "middle", quiet)
        yield _text(axis.title.text, ((self._left + WIDTH - _MARGIN) / 2, self._floor + 40), "middle", quiet)

    def _bars(self, trace: Any) -> Iterator[str]:
        thick = abs(self._y(trace.width) - self._y(0))
        for length, place in zip(trace.x, trace.y, strict=True):
            left, right = self._x(trace.base), self._x(trace.base + length)
            yield f'<rect x="{left:.1f}" y="{self._y(place) - thick / 2:.1f}" width="{right - left:.1f}"'
            yield f' height="{thick:.1f}" fill="{self._tokens.rule}"/>\n'

    def _points(self, trace: Any) -> Iterator[str]:
        for number, (value, place) in enumerate(zip(trace.x, trace.y, strict=True)):
            x, y = self._x(value), self._y(place)
            if trace.error_x.array is not None:
                low, high = value - trace.error_x.arrayminus[number], value + trace.error_x.array[number]
                yield _line((self._x(low), y), (self._x(high), y), trace.error_x.color, trace.error_x.thickness)
            half = trace.marker.size / 2
            if trace.marker.symbol == "diamond-open":
                corners = f"{x:.1f},{y - half:.1f} {x + half:.1f},{y:.1f} {x:.1f},{y + half:.1f} {x - half:.1f},{y:.1f}"
                yield f'<polygon points="{corners}" fill="none" stroke="{trace.marker.color}"/>\n'
            else:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}" fill="{trace.marker.color}"/>\n'

    def _label(self, note: Any) -> Iterator[str]:
        lines = note.text.split("<br>")
        colour, size = note.font.color or self._tokens.ink, note.font.size or _SIZE
        first = self._y(note.y) - (note.yshift or 0) + 4 - (len(lines) - 1) * 8
        for number, line in enumerate(lines):
            at = _ANCHORS[note.xanchor or "center"]
            yield _text(line, (self._x(note.x), first + 16 * number), at, colour, size)


def _line(start: tuple[float, float], end: tuple[float, float], colour: str, width: float) -> str:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"/>\n'


def _text(text: str, at: tuple[float, float], anchor: str, colour: str, size: int = _SIZE) -> str:
    """A line of text, whose markup of Plotly becomes that of SVG; other signs of markup are escaped in it already."""
    shown = text.replace('<span style="color: ', '<tspan fill="').replace("</span>", "</tspan>")
    place = f'x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}" font-size="{size}">{shown}</text>\n'


def _length(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return _WIDE_LETTER * wide + _LETTER * (len(text) - wide)


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Round values between the ends of an axis, at most so many."""
    rough = (high - low) / most
    power = 10 ** floor(log10(rough))
    step = next(each * power for each in _STEPS if each * power >= rough)
    first = ceil(low / step - 1e-9)
    return [round(number * step, 10) for number in range(first, floor(high / step + 1e-9) + 1)]
