"""Cells and rows of the deeper tables: a figure with its interval and n, or why there is none."""

from collections.abc import Callable, Sequence

from annotations.estimates import Estimate
from annotations.resampling import Interval
from annotations.undefined import Undefined
from characterbox.components.figures.cells import Notes, data, group
from characterbox.components.figures.words import decimal
from characterbox.judging.provenance import NOT_A_RESULT

MARK = f'<span class="cb-improvised">{NOT_A_RESULT}</span>'
"""HTML that stands by what rests on ratings of the rehearsal."""


def estimate_cell(found: Estimate | Undefined, notes: Notes, *, of: str) -> str:
    """An estimate as a cell; `of` names what its n counts."""
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    return value_cell(found.estimate, found.interval, found.n, notes, of=of)


def value_cell(value: float, interval: Interval | Undefined, n: int | None, notes: Notes, *, of: str = "") -> str:
    """A figure as a cell. An interval that is undefined has its reason among the notes."""
    counted = "" if n is None else f' <span class="cb-n">n = {n:,}{" " + data(of) if of else ""}</span>'
    return f'<td><b>{decimal(value)}</b> <span class="cb-interval">{limits(interval, notes)}</span>{counted}</td>'


def undefined_cell(found: Undefined, notes: Notes) -> str:
    """That there is no figure, with the reason among the notes."""
    return f'<td class="cb-undefined">undefined{notes.mark(found.reason)}</td>'


def text_cell(text: str) -> str:
    """Plain text as a cell."""
    return f"<td>{data(text)}</td>"


def p_value(p: float) -> str:
    """A p as journals write it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def limits(interval: Interval | Undefined, notes: Notes, written: Callable[[float], str] = decimal) -> str:
    """An interval in brackets (HTML), its ends as `written`; why there is none is among the notes."""
    if isinstance(interval, Undefined):
        return f"no interval{notes.mark(f'no interval: {interval.reason}')}"
    return f"[{written(interval.low)}, {written(interval.high)}]"


def row(label: str, cells: Sequence[str], *, improvised: bool = False) -> str:
    """A row of cells under its label, which has the mark where the cells rest on ratings of the rehearsal."""
    return f'<tr><th scope="row">{data(label)}{MARK if improvised else ""}</th>{"".join(cells)}</tr>'


def body(rows: Sequence[str], columns: int, *, improvised: bool) -> str:
    """The rows of a table of so many columns, below the mark where all rest on ratings of the rehearsal."""
    return group(MARK, rows, columns) if improvised else f"<tbody>{''.join(rows)}</tbody>"
