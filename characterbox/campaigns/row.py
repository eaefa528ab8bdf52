"""An assignment and what its rater has said of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from annotations.marks import Sheet
from annotations.rubric import Rubric
from characterbox.store.campaign import Assignment

State = Literal["open", "begun", "done", "skipped"]


@dataclass(frozen=True)
class Row:
    """One item on the desk, and what its rater has said of it."""

    assignment: Assignment
    sheet: Sheet

    def state(self, rubric: Rubric) -> State:
        """How far the rater is with it."""
        if self.sheet.skipped is not None:
            return "skipped"
        if self.sheet.done(rubric):
            return "done"
        return "begun" if self.sheet.scores else "open"


def rows_of(assignments: Iterable[Assignment], sheets: Mapping[str, Sheet]) -> list[Row]:
    """Each assignment with its sheet, which is empty where there is no mark yet."""
    blank = Sheet()
    return [Row(assignment, sheets.get(assignment.id, blank)) for assignment in assignments]
