"""Tables of figures as HTML: cells that hold estimate, interval and n, and notes that say what does not fit a cell."""

import html
from collections.abc import Callable, Iterable, Sequence

from annotations.reliability import Alpha
from annotations.undefined import Undefined
from annotations.validity import Correlation
from annotations.wording import say
from characterbox.components.figures.words import decimal, interval, n_of

Statistic = Alpha | Correlation | Undefined

NO_FIGURE = "–"
"""In place of a figure that there is not."""
WIDE = 3
"""Columns beyond which a cell's figures stand below each other."""


class Notes:
    """The notes under a table: each text gets one letter, however often it is told."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def mark(self, text: str) -> str:
        """The letter of this note, as HTML."""
        if text not in self._texts:
            self._texts.append(text)
        return f"<sup>{_letter(self._texts.index(text))}</sup>"

    def as_html(self) -> str:
        """All notes, in the order of their letters."""
        lines = (f"<li><sup>{_letter(number)}</sup> {data(text)}</li>" for number, text in enumerate(self._texts))
        return f'<ul class="cb-notes">{"".join(lines)}</ul>' if self._texts else ""


def data(text: str) -> str:
    """Text of users and files, for HTML."""
    return html.escape(text)


def dash(reason: str) -> str:
    """What stands in an empty place (HTML): a dash, whose reason is shown to who points at it, and read out to who
    hears the page."""
    why = data(reason)
    return f'<span role="img" aria-label="{why}" title="{why}">{NO_FIGURE}</span>'


def no_figure(reason: str, notes: Notes) -> str:
    """What stands in place of a figure (HTML): such a dash, whose reason is written among the notes, too."""
    return f"{dash(reason)}{notes.mark(reason)}"


def figure_cell(statistic: Statistic, notes: Notes, *, paper: str = "", remark: str = "") -> str:
    """One figure, with the paper's beside it in grey and a remark among the notes."""
    grey = f'<span class="cb-paper">{data(say("paper {figure}", figure=paper))}</span>' if paper else ""
    if isinstance(statistic, Undefined):
        return f'<td class="cb-undefined">{no_figure(statistic.reason, notes)}{grey}</td>'
    mark = notes.mark(remark) if remark else ""
    return (
        f'<td><b>{decimal(statistic.estimate)}</b>{mark} <span class="cb-interval">{interval(statistic)}</span>'
        f' <span class="cb-n">{n_of(statistic)}</span>{grey}</td>'
    )


def figure_row(
    label: str, statistics: Sequence[Statistic], cells: Callable[[Notes], Sequence[str]], notes: Notes
) -> str:
    """A row of such cells under its label (HTML); where all are undefined for one reason, the reason itself."""
    reasons = {statistic.reason if isinstance(statistic, Undefined) else None for statistic in statistics}
    only = next(iter(reasons)) if len(reasons) == 1 else None
    if only is not None and not any("cb-paper" in cell for cell in cells(Notes())):
        return _row(label, [undefined_cells(only, len(statistics))])
    return _row(label, cells(notes))


def undefined_cells(reason: str, columns: int) -> str:
    """One cell over so many columns that says why they have no figure."""
    return f'<td class="cb-undefined" colspan="{columns}">{NO_FIGURE} {data(reason)}</td>'


def published_row(label: str, values: Iterable[float | None]) -> str:
    """A row of the paper's figures, in grey; it gives neither interval nor n."""
    cells = [f'<td class="cb-paper">{"" if value is None else decimal(value)}</td>' for value in values]
    return _row(f'<span class="cb-paper">{label}</span>', cells)


def group(title: str, rows: Iterable[str], columns: int) -> str:
    """Rows under a heading of their own (HTML)."""
    head = f'<tr><th scope="rowgroup" class="cb-group" colspan="{columns + 1}"><span>{title}</span></th></tr>'
    return f"<tbody>{head}{''.join(rows)}</tbody>"


def table(caption: str, heads: Sequence[str], groups: Iterable[str], notes: Notes) -> str:
    """The table, which scrolls by itself where it is wider than the page, and its notes below."""
    columns = "".join(f'<th scope="col">{data(head)}</th>' for head in heads)
    wide = " cb-wide" if len(heads) > WIDE else ""
    body = "".join(groups)  # which tells the notes
    return (
        f'<div class="cb-figures{wide}"><div class="cb-scroll" tabindex="0" role="region" aria-label="{data(caption)}">'
        f"<table><thead><tr><td></td>{columns}</tr></thead>{body}</table></div>{notes.as_html()}</div>"
    )


def _row(label: str, cells: Sequence[str]) -> str:
    return f'<tr><th scope="row">{label}</th>{"".join(cells)}</tr>'


def _letter(number: int) -> str:
    """a to z, then aa, ab and so on."""
    rest, last = divmod(number, 26)
    return (_letter(rest - 1) if rest else "") + chr(ord("a") + last)
