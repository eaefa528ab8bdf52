"""Tables as Markdown: one line a row, with the notes numbered below."""

import re
from collections.abc import Iterator

from annotations.errors import Undefined
from annotations.exchange.table import MARK, NO_FIGURE, Cell, Content, Group, Part, Table, pieces

_SIGNS = re.compile(r"([\\`*_|<>\[\]#~])")
"""What Markdown may take for markup."""
_PLACES = {"best": "**{}**", "second": "<u>{}</u>"}


def markdown_of(table: Table, improvised: str) -> str:
    """The table under its title. `improvised` is what is said of the mark of what no language model made."""
    notes = _Notes(improvised)
    columns = [escaped(f"{column.group}: {column.name}" if column.group else column.name) for column in table.columns]
    lines = [_line([escaped(table.corner), *columns]), _line(["---"] * (len(columns) + 1))]
    for group in table.groups:
        lines += _group(group, len(columns), notes)
    told = [*(escaped(note) for note in table.notes), *notes.lines()]
    return (
        "\n".join([f"**{escaped(table.title)}**", "", *lines, *(line for note in told for line in ("", note))]) + "\n"
    )


def escaped(text: str) -> str:
    """A text on one line, in which nothing is markup."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


class _Notes:
    def __init__(self, improvised: str) -> None:
        self._texts: list[str] = []
        self._improvised = improvised
        self._marked = False

    def mark(self, text: str) -> str:
        """The number of a note, which it keeps."""
        if text not in self._texts:
            self._texts.append(text)
        return f"<sup>{self._texts.index(text) + 1}</sup>"

    def dagger(self) -> str:
        """The mark of what no language model made."""
        self._marked = True
        return "†"

    def lines(self) -> Iterator[str]:
        yield from (f"<sup>{number}</sup> {escaped(text)}." for number, text in enumerate(self._texts, 1))
        if self._marked:
            yield f"† {escaped(self._improvised)}."


def _group(group: Group, columns: int, notes: _Notes) -> Iterator[str]:
    if title := _content(group.title, notes):
        yield _line([f"*{title}*", *[""] * columns])
    for row in group.rows:
        if isinstance(row.cells, Undefined):
            cells = [_content(row.cells, notes), *[""] * (columns - 1)]
        else:
            cells = [text for cell in row.cells for text in (_content(cell, notes), *[""] * (_width(cell) - 1))]
        yield _line([_content(row.label, notes), *cells])


def _width(content: Content) -> int:
    return content.columns if isinstance(content, Cell) else 1


def _content(content: Content, notes: _Notes) -> str:
    told = []
    for piece in pieces(content):
        if isinstance(piece, Undefined):
            told.append(NO_FIGURE + notes.mark(str(piece.reason)))
            continue
        part = piece if isinstance(piece, Part) else Part(piece)
        if part.kind == "improvised":
            told.append(notes.dagger())
            continue
        marks = "".join(notes.mark(str(note)) for note in part.notes)
        text = escaped(str(part.text))
        told.append(text.replace(MARK, marks) if MARK in text else text + marks)
    text = " ".join(told)
    kind = content.kind if isinstance(content, Cell) else ""
    return _PLACES.get(kind, "{}").format(text)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
