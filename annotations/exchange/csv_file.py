"""Figures as a CSV file that no spreadsheet runs anything in."""

import csv
import io
from collections.abc import Iterable, Sequence

from annotations.exchange.cells import guarded


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
