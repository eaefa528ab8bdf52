"""CSV files in which no cell is a formula for a spreadsheet, and that come back as they were.

A text that begins like a formula gets an apostrophe before it, as people write it into a spreadsheet by hand. So that
the apostrophe can be taken away again, one that was there already gets another, and so that readers who cut outer
blanks away do no harm, so does a text that begins or ends with a blank, or begins with a sign that nobody sees.
"""

import csv
import io
from collections.abc import Iterable, Sequence

_LIKE_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What spreadsheets take for the beginning of one (full-width signs in East Asian settings), or skip before it."""
_GUARD = "'"


def guarded(text: str) -> str:
    """The text as a cell."""
    return f"{_GUARD}{text}" if _needs_guard(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell: exactly what `guarded` was given, and any other cell without its outer blanks."""
    bare = cell.removeprefix(_GUARD)
    return bare if bare != cell and _needs_guard(bare) else cell.strip()


def csv_lines(text: str) -> io.TextIOWrapper:
    """The lines of a CSV file, as they end there. A `StringIO` would have four bytes for each of its characters."""
    raw = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    return io.TextIOWrapper(raw, "utf-8", "surrogatepass", newline="")


class Cells(dict[str, str]):
    """The texts of cells by the cells. Most of a table of ratings says the same again and again: it is kept once."""

    def __missing__(self, cell: str) -> str:
        text = self[cell] = unguarded(cell)
        return text


def _needs_guard(text: str) -> bool:
    unseen = not text[:1].isprintable()  # programs drop signs such as a byte order mark, and see what is behind them
    return unseen or text.startswith((_GUARD, *_LIKE_A_FORMULA)) or text != text.strip()


def csv_of(header: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A table with its header: UTF-8, marked as such; numbers at full precision, nothing where there is none."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _cell(value: object) -> str:
    if value is None or value != value:  # noqa: PLR0124 - NaN is the one value that differs from itself
        return ""
    return guarded(value) if isinstance(value, str) else str(value)
