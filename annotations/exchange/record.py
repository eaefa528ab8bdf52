"""Records: all that is known of one assignment, of which every form of export is made."""

from dataclasses import dataclass
from datetime import datetime

from annotations.campaign import Purpose
from annotations.marks import Entry, Sheet


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
    sheet: Sheet
    """How things stand after all marks."""
    entries: tuple[Entry, ...] = ()
    """The marks in order, where the whole history was asked for."""


@dataclass(frozen=True)
class Verdict:
    """The consensus on one metric of an item."""

    score: int | float
    reason: str
    adjudicator: str | None
    """None where the names of people are left out."""
    at: datetime
