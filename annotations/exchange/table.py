"""A table as a value: what stands where, as messages and plain text. Renderers make HTML, LaTeX and CSV of it.

`annotations.exchange.latex` writes LaTeX, `characterbox.components.figures.tables.html` HTML. Each escapes texts for
its form, gives notes their letters or numbers, and shows why a figure is undefined.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from annotations.errors import Undefined
from annotations.i18n.messages import Readable

Kind = Literal[
    "plain", "figure", "mean", "deviation", "interval", "counted", "below", "line", "paper", "quiet", "improvised"
]
"""What a piece of a cell is. `counted` is an n, `below` a smaller line and `line` one of the same size; `improvised` is
the mark of what no language model made, and has no text."""
SMALL = ("interval", "counted", "below", "line", "paper", "quiet")
"""What stands in a second, smaller line where a form has no styles of its own."""
MARK = "\ufffc"
"""Where in a text its notes are referred to; at its end if it has none."""
NO_FIGURE = "–"
"""In place of a figure that there is not."""


@dataclass(frozen=True)
class Part:
    """A piece of a cell."""

    text: Readable
    kind: Kind = "plain"
    notes: tuple[Readable, ...] = ()
    """What is said of it below the table."""
    link: str = ""
    """The address that it leads to, on pages."""


Piece = Readable | Part | Undefined


@dataclass(frozen=True)
class Cell:
    """What stands in one place."""

    parts: tuple[Piece, ...]
    kind: Literal["", "quiet", "best", "second"] = ""
    columns: int = 1
    """Over how many columns it goes."""


Content = Piece | Cell


@dataclass(frozen=True)
class Column:
    """A column and what stands above it."""

    name: str
    group: str = ""
    """The heading over this and the neighbours of the same group."""
    link: str = ""
    title: str = ""
    """What the link does."""
    kind: Literal["", "sorted", "right", "unbroken"] = ""


@dataclass(frozen=True)
class Row:
    """A row under its label; a single reason stands over all columns."""

    label: Content
    cells: Sequence[Content] | Undefined
    beside: bool = False
    """Whether it only stands beside what the table is of, in grey: figures of the CharacterBox paper, or baselines."""
    chosen: bool = False


@dataclass(frozen=True)
class Group:
    """Rows that belong together, under a heading where there is one."""

    rows: Sequence[Row]
    title: Content = ""


@dataclass(frozen=True)
class Table:
    """A table with all that is said below it."""

    title: str
    columns: Sequence[Column]
    groups: Sequence[Group]
    notes: Sequence[str] = ()
    """Sentences on the whole table; notes on parts come by themselves."""
    corner: str = ""
    """What stands above the labels."""
    label: str = ""
    """By which an article refers to it; made of the title where none is given."""
    look: Literal["", "board", "costs"] = ""
    tall: bool = False
    """Whether it scrolls by itself where it has many rows."""

    def column_groups(self) -> list[tuple[str, int]]:
        """The headings over the columns and how many columns each has; none where no column has any."""
        found = [(name, len(list(same))) for name, same in groupby(self.columns, lambda column: column.group)]
        return found if any(name for name, _ in found) else []


def plain_table(title: str, heads: Iterable[str], rows: Sequence[Row], *, improvised: bool = False) -> Table:
    """A table of one group, below the mark where all of it rests on what no language model made."""
    return Table(title, [Column(head) for head in heads], [Group(rows, IMPROVISED if improvised else "")])


def pieces(content: Content) -> tuple[Piece, ...]:
    """What a place holds, without empty texts."""
    parts = content.parts if isinstance(content, Cell) else (content,)
    return tuple(part for part in parts if part != "")


def labelled(text: Readable, improvised: bool) -> Content:
    """A label with the mark where no language model made what stands beside it."""
    return Cell((text, IMPROVISED)) if improvised else text


IMPROVISED = Part("", "improvised")
