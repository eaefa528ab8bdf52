"""Cells of the deeper tables: a figure with its interval and n, or why there is none."""

from annotations.estimates import Estimate
from annotations.resampling import Interval
from annotations.undefined import Undefined
from characterbox.components.figures.cells import Notes, data
from characterbox.components.figures.words import decimal


def estimate_cell(found: Estimate | Undefined, notes: Notes, *, of: str = "") -> str:
    """An estimate as a cell; `of` names what its n counts, where that is not told by the table."""
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    return value_cell(found.estimate, found.interval, found.n, notes, of=of)


def value_cell(value: float, interval: Interval | Undefined, n: int | None, notes: Notes, *, of: str = "") -> str:
    """A figure as a cell. An interval that is undefined has its reason among the notes."""
    counted = "" if n is None else f' <span class="cb-n">n = {n:,}{" " + data(of) if of else ""}</span>'
    return f"<td><b>{decimal(value)}</b> {_interval(interval, notes)}{counted}</td>"


def undefined_cell(found: Undefined, notes: Notes) -> str:
    """That there is no figure, with the reason among the notes."""
    return f'<td class="cb-undefined">undefined{notes.mark(found.reason)}</td>'


def text_cell(text: str) -> str:
    """Plain text as a cell."""
    return f"<td>{data(text)}</td>"


def p_value(p: float) -> str:
    """A p as journals write it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def row(label: str, cells: list[str]) -> str:
    """A row of cells under its label."""
    return f'<tr><th scope="row">{data(label)}</th>{"".join(cells)}</tr>'


def _interval(interval: Interval | Undefined, notes: Notes) -> str:
    if isinstance(interval, Undefined):
        return f'<span class="cb-interval">no interval{notes.mark(f"no interval: {interval.reason}")}</span>'
    return f'<span class="cb-interval">[{decimal(interval.low)}, {decimal(interval.high)}]</span>'
