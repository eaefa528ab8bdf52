"""Cells and rows of the deeper tables: a figure with its interval and n, or why there is none."""

from collections.abc import Callable, Sequence

from annotations.estimates import Estimate
from annotations.resampling import Interval
from annotations.undefined import Undefined
from annotations.wording import say
from characterbox.components.figures.cells import Notes, data, group, no_figure
from characterbox.components.figures.words import decimal
from characterbox.judging.provenance import DEMO, NOT_A_RESULT


def mark() -> str:
    """The badge (HTML) that stands by what the rehearsal had a part in; it says what it means to who points at it."""
    return f'<span class="cb-improvised" title="{say(NOT_A_RESULT)}">{say(DEMO)}</span>'


def estimate_cell(found: Estimate | Undefined, notes: Notes, *, of: str) -> str:
    """An estimate as a cell; `of` is what is said of its n, such as `N_ITEMS`."""
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    return value_cell(found.estimate, found.interval, say(of, n=found.n), notes)


def value_cell(value: float, interval: Interval | Undefined, n: str, notes: Notes) -> str:
    """A figure as a cell, with what is said of its n. An interval that is undefined has its reason among the notes."""
    counted = f' <span class="cb-n">{data(n)}</span>' if n else ""
    return f'<td><b>{decimal(value)}</b> <span class="cb-interval">{limits(interval, notes)}</span>{counted}</td>'


def undefined_cell(found: Undefined, notes: Notes) -> str:
    """That there is no figure, with the reason among the notes."""
    return f'<td class="cb-undefined">{no_figure(found.reason, notes)}</td>'


def text_cell(text: str) -> str:
    """Plain text as a cell."""
    return f"<td>{data(text)}</td>"


def p_value(p: float) -> str:
    """A p as journals write it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def limits(interval: Interval | Undefined, notes: Notes, written: Callable[[float], str] = decimal) -> str:
    """An interval in brackets (HTML), its ends as `written`; why there is none is among the notes."""
    if isinstance(interval, Undefined):
        reason = say("no interval: {reason}", reason=interval.reason)
        return say("no interval") + notes.mark(reason)
    return f"[{written(interval.low)}, {written(interval.high)}]"


def row(label: str, cells: Sequence[str], *, improvised: bool = False) -> str:
    """A row of cells under its label, which has the mark where the cells rest on ratings of the rehearsal."""
    return f'<tr><th scope="row">{data(label)}{mark() if improvised else ""}</th>{"".join(cells)}</tr>'


def body(rows: Sequence[str], columns: int, *, improvised: bool) -> str:
    """The rows of a table of so many columns, below the mark where all rest on ratings of the rehearsal."""
    return group(mark(), rows, columns) if improvised else f"<tbody>{''.join(rows)}</tbody>"
