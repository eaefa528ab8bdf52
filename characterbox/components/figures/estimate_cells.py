"""Cells of tables: a figure with its interval and n, or why there is none."""

from collections.abc import Callable, Sequence

from annotations.estimates import Estimate
from annotations.resampling import Interval
from annotations.table import Cell, Content, Kind, Part
from annotations.undefined import Undefined
from annotations.wording import say
from characterbox.components.figures.words import decimal


def estimate_cell(found: Estimate | Undefined, *, of: str, remarks: Sequence[str | None] = ()) -> Content:
    """An estimate as a cell; `of` is what is said of its n, such as `N_ITEMS`, and may name other fields of it."""
    if isinstance(found, Undefined):
        return found
    return value_cell(found.estimate, found.interval, say(of, **vars(found)), remarks=remarks)


def value_cell(
    value: float, interval: Interval | Undefined, n: str = "", *, remarks: Sequence[str | None] = ()
) -> Cell:
    """A figure as a cell, with what is said of its n, and remarks on it among the notes."""
    figure = Part(decimal(value), "figure", tuple(filter(None, remarks)))
    return Cell((figure, limits(interval), Part(n, "counted") if n else ""))


def figure_cell(figure: str, n: str) -> Cell:
    """A figure without an interval, as it is written, with what it rests on."""
    return Cell((Part(figure, "figure"), Part(n, "counted")))


def limits(interval: Interval | Undefined, written: Callable[[float], str] = decimal, kind: Kind = "interval") -> Part:
    """An interval in brackets, its ends as `written`; why there is none is among the notes."""
    if isinstance(interval, Undefined):
        return Part(say("no interval"), kind, (say("no interval: {reason}", reason=interval.reason),))
    return Part(f"[{written(interval.low)}, {written(interval.high)}]", kind)


def p_value(p: float) -> str:
    """A p as journals write it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
