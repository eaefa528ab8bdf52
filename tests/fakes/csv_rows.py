"""CSV files of this project, read again."""

import csv
import io

from annotations.exchange.csv_file import unguarded


def rows_of(content: bytes) -> list[dict[str, str]]:
    """The rows of a CSV file, each cell as it was before it was guarded."""
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    return [{name: unguarded(cell) for name, cell in row.items()} for row in rows]
