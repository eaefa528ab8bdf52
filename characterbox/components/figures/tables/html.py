"""Tables as HTML: figures with their intervals, and notes that say what does not fit a cell."""

import html
from collections.abc import Mapping, Sequence

from annotations.errors import Undefined
from annotations.exchange.table import MARK, NO_FIGURE, Cell, Column, Content, Group, Part, Piece, Row, Table, pieces
from annotations.i18n.messages import Readable
from annotations.i18n.translation import say, translate
from characterbox.judging.provenance import DEMO, NOT_A_RESULT

WIDE = 3
"""Columns beyond which a cell's figures stand below each other."""
_TAGS: Mapping[str, str] = {
    "figure": "<b>{}</b>",
    "mean": '<span class="cb-mean">{}</span>',
    "deviation": '<span class="cb-sd">{}</span>',
    "interval": '<span class="cb-interval">{}</span>',
    "counted": '<span class="cb-n">{}</span>',
    "below": '<small class="cb-n">{}</small>',
    "line": "<br>{}",
    "paper": '<span class="cb-paper">{}</span>',
    "quiet": '<span class="cb-quiet-cell">{}</span>',
}


class Notes:
    """The notes under a table: each text gets one letter, however often it is told."""

    def __init__(self) -> None:
        self._texts: list[Readable] = []

    def mark(self, text: Readable) -> str:
        """The letter of this note, as HTML."""
        if text not in self._texts:
            self._texts.append(text)
        return f"<sup>{_letter(self._texts.index(text))}</sup>"

    def __len__(self) -> int:
        """How many there are."""
        return len(self._texts)

    def as_html(self) -> str:
        """All notes, in the order of their letters."""
        lines = (f"<li><sup>{_letter(number)}</sup> {data(text)}</li>" for number, text in enumerate(self._texts))
        return f'<ul class="cb-notes">{"".join(lines)}</ul>' if self._texts else ""


def data(text: Readable) -> str:
    """A message, or text of users and files, for HTML."""
    return html.escape(translate(text))


def term(name: Readable, definition: Readable) -> str:
    """A term (HTML) whose definition shows to who points at it, taps it, or comes to it by keyboard."""
    told = data(definition)
    return f'<dfn class="cb-term" tabindex="0">{data(name)}<span class="cb-tip" role="tooltip">{told}</span></dfn>'


def dash(reason: Readable) -> str:
    """What stands in an empty place (HTML): a dash, whose reason is shown to who points at it, and read out to who
    hears the page."""
    why = data(reason)
    return f'<span role="img" aria-label="{why}" title="{why}">{NO_FIGURE}</span>'


def no_figure(reason: Readable, notes: Notes) -> str:
    """What stands in place of a figure (HTML): such a dash, whose reason is written among the notes, too."""
    return f"{dash(reason)}{notes.mark(reason)}"


def mark() -> str:
    """The badge (HTML) that stands by what the rehearsal had a part in; it says what it means to who points at it."""
    return f'<span class="cb-improvised" title="{say(NOT_A_RESULT)}">{say(DEMO)}</span>'


def html_of(table: Table) -> str:
    """The table, which scrolls by itself where it is wider than the page, and its notes below."""
    notes = Notes()
    look = f" cb-{table.look}" if table.look else ""
    wide = " cb-wide" if table.look != "board" and (table.look or len(table.columns) > WIDE) else ""
    scroll = "cb-scroll cb-tall" if table.tall else "cb-scroll"
    body = "".join(_group(group, table, notes) for group in table.groups)
    return (
        f'<div class="cb-figures{wide}{look}"><div class="{scroll}" tabindex="0" role="region"'
        f' aria-label="{data(table.title)}"><table><thead>{_head(table)}</thead>{body}</table></div>'
        f"{notes.as_html()}</div>"
    )


def _head(table: Table) -> str:
    groups = "".join(
        f'<th scope="colgroup" colspan="{count}" class="cb-dimension"><span>{data(name)}</span></th>'
        if name
        else f'<td colspan="{count}"></td>'
        for name, count in table.column_groups()
    )
    corner = f'<th scope="col">{data(table.corner)}</th>' if table.corner else "<td></td>"
    names = f"<tr>{corner}{''.join(map(_column, table.columns))}</tr>"
    return f'<tr class="cb-columns"><td></td>{groups}</tr>{names}' if groups else names


def _column(column: Column) -> str:
    name = data(column.name)
    if column.link:
        name = f'<a href="{data(column.link)}" title="{data(column.title)}">{name}</a>'
    order = ' aria-sort="descending"' if column.kind == "sorted" else ""
    kind = f' class="cb-{column.kind}"' if column.kind else ""
    return f'<th scope="col"{order}{kind}>{name}</th>'


def _group(group: Group, table: Table, notes: Notes) -> str:
    title = _content(group.title, notes)
    head = ""
    if title:
        wide = len(table.columns) + 1
        head = f'<tr><th scope="rowgroup" class="cb-group" colspan="{wide}"><span>{title}</span></th></tr>'
    return f"<tbody>{head}{''.join(_row(row, table.columns, notes) for row in group.rows)}</tbody>"


def _row(row: Row, columns: Sequence[Column], notes: Notes) -> str:
    label = _content(row.label, notes)
    if row.beside:
        label = f'<span class="cb-paper">{label}</span>'
    chosen = ' class="cb-chosen" aria-current="true"' if row.chosen else ""
    if isinstance(row.cells, Undefined):
        reason = data(row.cells.reason)
        cells = f'<td class="cb-undefined" colspan="{len(columns)}">{NO_FIGURE} {reason}</td>'
    else:
        cells = "".join(
            _cell(cell, columns[at] if at < len(columns) else columns[-1], row.beside, notes)
            for at, cell in enumerate(row.cells)
        )
    return f'<tr{chosen}><th scope="row">{label}</th>{cells}</tr>'


def _cell(content: Content, column: Column, beside: bool, notes: Notes) -> str:
    cell = content if isinstance(content, Cell) else Cell((content,))
    found = pieces(cell)
    over = cell.columns > 1
    classes = [
        "cb-right" if column.kind == "right" else "",
        "cb-undefined" if found and isinstance(found[0], Undefined) and not beside else "",
        {"quiet": "cb-quiet-cell"}.get(cell.kind, cell.kind),
        "cb-paper" if beside else "",
    ]
    kind = f' class="{" ".join(filter(None, classes))}"' if any(classes) else ""
    span = f' colspan="{cell.columns}"' if over else ""
    if over and isinstance(found[0], Undefined):
        return f"<td{kind}{span}>{NO_FIGURE} {data(found[0].reason)}</td>"
    return f"<td{kind}{span}>{_content(cell, notes)}</td>"


def _content(content: Content, notes: Notes) -> str:
    told = ""
    for piece in pieces(content):
        has_margin = isinstance(piece, Part) and piece.kind in ("paper", "line", "improvised")
        told += ("" if has_margin or not told or told.endswith("：") else " ") + _piece(piece, notes)
    return told


def _piece(piece: Piece, notes: Notes) -> str:
    if isinstance(piece, Undefined):
        return no_figure(piece.reason, notes)
    part = piece if isinstance(piece, Part) else Part(piece)
    marks = "".join(map(notes.mark, part.notes))
    if part.kind == "improvised":
        return mark() + marks
    text = data(part.text)
    inside = MARK in text or part.kind in ("interval", "counted", "below", "quiet")
    text = text.replace(MARK, marks) if MARK in text else text + (marks if inside else "")
    told = _TAGS.get(part.kind, "{}").format(text)
    if part.link:
        told = f'<a href="{data(part.link)}">{told}</a>'
    return told if inside else told + marks


def _letter(number: int) -> str:
    """a to z, then aa, ab and so on."""
    rest, last = divmod(number, 26)
    return (_letter(rest - 1) if rest else "") + chr(ord("a") + last)
