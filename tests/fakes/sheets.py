"""The sheets of a database by their definition: the fold of all marks."""

from itertools import groupby

from sqlalchemy import Connection, delete, insert

from annotations.marking.marks import sheet_of
from characterbox.store.campaigns import marks
from characterbox.store.campaigns.marks import MARK, SHEET


def fold_all(connection: Connection) -> None:
    """Write the sheets of all assignments anew, from their marks."""
    connection.execute(delete(SHEET))
    rows = connection.execute(marks._HISTORIES.add_columns(MARK.c.id)).mappings()
    for assignment, of_it in groupby(rows, key=lambda row: row["assignment"]):
        entries = list(of_it)
        sheet = sheet_of(map(marks._entry, entries))
        connection.execute(insert(SHEET), {"assignment": assignment, **marks._row(sheet, entries[-1]["id"])})
