"""Tables of ratings as they come: CSV, Parquet, or the annotated tasks of Label Studio, all as cells of text.

What is no such file raises RatingError; what is wrong with a row is for `intake` to say.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pyarrow import parquet
from pyarrow.lib import ArrowException

from annotations.errors import RatingError
from annotations.exchange.csv_file import Cells, csv_lines
from annotations.exchange.decoding import Encoding, decode
from annotations.exchange.label_studio import COLUMNS as TASK_COLUMNS
from annotations.exchange.label_studio import annotated_rows
from annotations.i18n.messages import Message, Readable, listed, to_say
from annotations.marking.rating import COLUMNS

Unit = Literal["line", "row", "task"]
"""Lines of CSV, rows of Parquet, tasks of Label Studio."""
_PLACES: Mapping[Unit, str] = {
    "line": to_say("line {number}"),
    "row": to_say("row {number}"),
    "task": to_say("task {number}"),
}
_PARQUET = b"PAR1"
_PORTION = 50_000
"""Cells of Parquet that are made values at once."""
_MOST_SHOWN = 80
"""Characters of a row that are shown when it is refused as a whole."""


@dataclass(frozen=True)
class Refusal:
    """A cell, or a whole row, that is not taken."""

    line: int
    """Counted as `Table.unit` says, from 1; in CSV the last line of the row, and the header is a line too."""
    column: str | None
    """None is the whole row."""
    value: str
    reason: Readable
    """What is wrong with the value, as a predicate; the same text for all that fell to the same rule."""
    remedy: Readable


@dataclass(frozen=True)
class Table:
    """The rows of a file."""

    cells: pd.DataFrame
    """All text, empty where there is nothing; the index holds the line of each row."""
    unit: Unit
    refused: tuple[Refusal, ...] = ()
    """Rows that have more or fewer cells than the header."""

    def place(self, line: int) -> Message:
        """What a line is called."""
        return Message(_PLACES[self.unit], number=line)


def read_table(file: Path | bytes, encoding: Encoding | None = None) -> Table:
    """The table that a file holds, in whichever of the three formats it is. Of a text the encoding may be named.

    Raises RatingError if the file can't be read, is none of them, lacks a column or has no rows.
    """
    content = file if isinstance(file, bytes) else _content(file)
    if content.startswith(_PARQUET):
        return _parquet(content)
    text, _ = decode(content, encoding)
    if text.lstrip().startswith(("[", "{")):
        rows = annotated_rows(text)
        return Table(
            _frame([*zip(*(row.cells for row in rows), strict=True)], TASK_COLUMNS, [row.task for row in rows]), "task"
        )
    return _csv(text)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise RatingError("the file cannot be read: {why}", why=error.strerror) from None


def _csv(text: str) -> Table:
    reader = csv.reader(csv_lines(text), strict=True)
    text_of = Cells()
    header: list[str] = []
    texts: list[str] = []
    lines: list[int] = []
    refused: list[Refusal] = []
    try:
        for cells in reader:
            if not any(map(str.strip, cells)):
                continue
            if not header:
                what = Message("line {line}: the header", line=reader.line_num)
                header = _checked_header([cell.strip() for cell in cells], what)
            elif len(cells) != len(header):
                refused.append(_ragged(reader.line_num, cells, len(header)))
            else:
                texts += map(text_of.__getitem__, cells)
                lines.append(reader.line_num)
    except csv.Error as error:
        message = to_say("line {line}: this is not valid CSV ({error}); save the table as CSV")
        raise RatingError(message, line=reader.line_num, error=error) from None
    if not lines and not refused:
        message = to_say("the file contains no ratings; add one line per rating below the header {columns}")
        raise RatingError(message, columns=",".join(COLUMNS))
    columns = [texts[place :: len(header)] for place in range(len(header))]
    return Table(_frame(columns, header, lines), "line", tuple(refused))


def _parquet(content: bytes) -> Table:
    try:
        table = parquet.read_table(io.BytesIO(content))
    except (ArrowException, OSError) as error:
        message = to_say("this is not a Parquet file, or it is damaged ({error}); use another copy")
        raise RatingError(message, error=_first_line(error)) from None
    header = _checked_header(table.column_names, Message("the table"))
    if not table.num_rows:
        raise RatingError("the file contains no ratings; add one row per rating")
    columns = [[*_texts(column)] for column in table.columns]
    return Table(_frame(columns, header, range(1, table.num_rows + 1)), "row")


def _checked_header(names: list[str], what: Readable) -> list[str]:
    if missing := [column for column in COLUMNS if column not in names]:
        message = to_say("{what} has no column {missing}; it must contain {columns}")
        raise RatingError(message, what=what, missing=listed(missing), columns=",".join(COLUMNS))
    if twice := sorted(name for name, times in Counter(names).items() if times > 1):
        message = to_say("{what} has {columns} more than once; rename or remove one")
        raise RatingError(message, what=what, columns=listed(twice))
    return names


def _ragged(line: int, cells: list[str], wanted: int) -> Refusal:
    shown = ",".join(cells)
    value = shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}…"
    told = to_say("it has {count} cells, the header has {wanted}; put text that contains a comma in double quotes")
    remedy = Message(told, count=len(cells), wanted=wanted)
    return Refusal(line, None, value, Message("has a different number of cells than the header"), remedy)


def _texts(column: Any) -> Iterator[str]:
    """The cells of a column of Parquet; what is the same is one text, of which there is one portion at a time."""
    known: dict[str, str] = {}
    for start in range(0, len(column), _PORTION):
        for value in column.slice(start, _PORTION).to_pylist():
            text = _as_text(value)
            yield known.setdefault(text, text)


def _as_text(value: object) -> str:
    """A value of a table with types; numbers as exact as they are."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _frame(columns: Iterable[Sequence[str]], header: Sequence[str], lines: Sequence[int]) -> pd.DataFrame:
    return pd.DataFrame(dict(zip(header, columns, strict=True)), index=pd.Index(lines), dtype="str")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
