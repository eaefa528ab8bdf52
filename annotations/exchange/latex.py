"""Texts as LaTeX that shows them, whatever they hold, and runs nothing."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from annotations.errors import Undefined
from annotations.exchange.table import MARK, SMALL, Cell, Content, Group, Part, Row, Table, pieces

_SPECIAL = {
    **{sign: rf"\{sign}" for sign in "{}_%&#$"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},  # which would be an argument at the start of a row
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "±": r"$\pm$",
}
_NEEDS = r"""% Needs \usepackage{booktabs} and \usepackage{graphicx}.
% Names in other than Latin letters need XeLaTeX or LuaLaTeX, and a font that has them (Chinese: \usepackage{ctex}).
"""
_DAGGER = r"$^{\dagger}$"
_PLACES = {"best": r"\textbf{{{}}}", "second": r"\underline{{{}}}"}
NUMBERS = ("figure", "mean", "deviation", "interval")
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")
_LIGATURE = re.compile(r"([-'`,!?])(?=[-'`,])")
"""Signs that LaTeX would draw together into another."""


def latex_file(tables: Iterable[Table], improvised: str) -> str:
    """A file of tables that can be put into an article, with what it needs.

    `improvised` is what is said of the mark of what no language model made, where a row has it.
    """
    return _NEEDS + "".join(f"\n{_latex(table, improvised)}" for table in tables)


def _latex(table: Table, improvised: str) -> str:
    """A table in which smaller pieces stand in a line below the figures, and notes below all."""
    tabular = _Tabular(table)
    groups = [lines for group in table.groups if (lines := tabular.group(group))]
    head, body = tabular.head(), "\n\\midrule\n".join("\n".join(lines) for lines in groups)
    notes = [*map(escaped, table.notes), *tabular.notes()]
    if tabular.daggers:
        notes.append(rf"{_DAGGER} {escaped(improvised)}.")
    return rf"""\begin{{table*}}[htbp]
\centering
\footnotesize
\caption{{{escaped(table.title)}}}
\label{{tab:{table.label or _BETWEEN_WORDS.sub("-", table.title.lower()).strip("-")}}}
\resizebox{{\ifdim\width>\linewidth\linewidth\else\width\fi}}{{!}}{{%
\begin{{tabular}}{{l{"c" * len(table.columns)}}}
\toprule
{head}
\midrule
{body}
\bottomrule
\end{{tabular}}}}

\smallskip
\begin{{minipage}}{{\linewidth}}
\raggedright
{(" " + chr(10)).join(notes)}
\end{{minipage}}
\end{{table*}}
"""


class _Tabular:
    """The rows of a table as LaTeX, and the notes that they refer to."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._notes: list[str] = []
        self.daggers = False

    def notes(self) -> Iterator[str]:
        return (rf"\textsuperscript{{({number})}} {escaped(text)}." for number, text in enumerate(self._notes, 1))

    def head(self) -> str:
        names = _line([escaped(self._table.corner), *(escaped(column.name) for column in self._table.columns)])
        groups, rules, at = [""], [], 2
        for name, count in self._table.column_groups():
            groups.append(rf"\multicolumn{{{count}}}{{c}}{{{escaped(name)}}}")
            rules += [rf"\cmidrule(lr){{{at}-{at + count - 1}}}"] if name else []
            at += count
        return names if at == 2 else f"{_line(groups)}\n{''.join(rules)}\n{names}"

    def group(self, group: Group) -> list[str]:
        title = " ".join(filter(None, self._content(group.title)))
        head = [rf"\multicolumn{{{len(self._table.columns) + 1}}}{{l}}{{{title}}} \\"] if title else []
        return [*head, *(line for row in group.rows for line in self._row(row))]

    def _row(self, row: Row) -> Iterator[str]:
        cells: Sequence[Content]
        if isinstance(row.cells, Undefined):
            cells = [Cell((row.cells,), columns=len(self._table.columns))]
        else:
            cells = row.cells
        lines = [self._content(cell) for cell in (row.label, *cells)]
        above, below = zip(*lines, strict=True)
        widths = [cell.columns if isinstance(cell, Cell) else 1 for cell in (row.label, *cells)]
        yield _line([above[0] or "{}", *above[1:]], widths)
        if any(below):
            yield _line(below, widths)

    def _content(self, content: Content) -> tuple[str, str]:
        """What stands in a place, and in the smaller line below it."""
        above: list[str] = []
        below: list[str] = []
        for piece in pieces(content):
            if isinstance(piece, Undefined):
                above.append(f"--{self._mark(str(piece.reason))}")
                continue
            part = piece if isinstance(piece, Part) else Part(piece)
            if part.kind == "improvised":
                self.daggers = True
                above.append(_DAGGER)
                continue
            marks = "".join(self._mark(str(note)) for note in part.notes)
            text = escaped(str(part.text))
            if part.kind in NUMBERS:
                text = text.replace("-", "$-$")
            text = text.replace(MARK, marks) if MARK in text else text + marks
            if part.kind == "mean" and isinstance(content, Cell):
                text = _PLACES.get(content.kind, "{}").format(text)
            (below if part.kind in SMALL else above).append(text)
        return " ".join(above).replace(f" {_DAGGER}", _DAGGER), rf"{{\scriptsize {'; '.join(below)}}}" if below else ""

    def _mark(self, text: str) -> str:
        if text not in self._notes:
            self._notes.append(text)
        return rf"\textsuperscript{{({self._notes.index(text) + 1})}}"


def _line(cells: Sequence[str], widths: Sequence[int] | None = None) -> str:
    wide = (
        rf"\multicolumn{{{width}}}{{l}}{{{cell}}}" if width > 1 else cell
        for cell, width in zip(cells, widths or [1] * len(cells), strict=True)
    )
    return " & ".join(wide) + r" \\"


def escaped(text: str) -> str:
    """A text as LaTeX that shows it, on one line; control characters, which LaTeX refuses, become question marks."""
    line = " ".join(text.split())
    shown = "".join("?" if unicodedata.category(sign) in ("Cc", "Cs") else sign for sign in line)
    apart = _LIGATURE.sub("\\1\x00", shown)
    return "".join(_SPECIAL.get(sign, sign) for sign in apart).replace("\x00", "{}")
