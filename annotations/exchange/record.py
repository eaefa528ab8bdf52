"""Records: all that is known of one assignment, of which every form of export is made."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from annotations.campaign import Purpose
from annotations.marks import Entry, Score, Sheet, sheet_of


@dataclass(frozen=True)
class Record:
    """What one expert was given, once, and every mark that this expert has made on it."""

    campaign: str
    rubric: str
    rubric_version: str
    assignment: str
    item: str
    scene: str | None
    """None, as `model`, for what comes from a practice set: nobody played it."""
    model: str | None
    language: str | None
    rater: str
    purpose: Purpose
    take: int
    """0 the first time, 1 for a hidden repeat; for practice, the number of the attempt."""
    entries: tuple[Entry, ...]
    """In order; none where the expert has not begun."""

    @cached_property
    def sheet(self) -> Sheet:
        """How things stand after all marks."""
        return sheet_of(self.entries)


@dataclass(frozen=True)
class Verdict:
    """The consensus on one metric of an item."""

    score: int | float
    reason: str
    adjudicator: str | None
    """None where the names of people are left out."""
    at: datetime


def scored_at(entries: Iterable[Entry]) -> dict[str, datetime]:
    """When each metric was last scored, by metric; also metrics whose score was taken back."""
    return {entry.mark.metric: entry.at for entry in entries if isinstance(entry.mark, Score)}
