"""Small files of RoleBench, written for the tests."""

from pathlib import Path

from characterbox.rolebench.released import Row, Type, write_rows


def a_row(question: str, *texts: str, role: str = "Old Tam", type: Type | tuple[Type] | None = None) -> Row:
    """A question to a role, with its answers."""
    return Row(role=role, question=question, generated=texts, type=type)


def a_file(path: Path, *rows: Row) -> Path:
    """A new file of these rows."""
    write_rows(path, rows)
    return path
