"""An assignment with what its rater has said of it, and the practice set that comes before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from annotations.design.practice import AttentionCheck, PracticeItem, Qualification, load_practice, qualification
from annotations.design.settings import Settings
from annotations.marking.marks import Sheet
from annotations.rubrics.rubric import Rubric
from characterbox.errors import CampaignError
from characterbox.store.campaigns.campaign import Assignment, new_assignment
from characterbox.values import Language

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


T = TypeVar("T", PracticeItem, AttentionCheck)


@dataclass(frozen=True)
class Training:
    """How far an expert is with the practice set."""

    state: Literal["open", "passed", "failed"]
    attempt: int
    """From 1."""
    attempts: int
    """How many there are."""
    outcome: Qualification | None
    """How the attempt went; None until all of it is submitted."""


def practice_assignments(campaign: str, rater: str, items: Iterable[PracticeItem], attempt: int) -> list[Assignment]:
    """An attempt at these practice items."""
    return [
        new_assignment(campaign, rater, item.key, place=place, purpose="practice", take=attempt)
        for place, item in enumerate(items, 1)
    ]


def check_assignment(campaign: str, rater: str, key: str, place: int) -> Assignment:
    """An attention check among the items of an expert."""
    return new_assignment(campaign, rater, key, place=place, purpose="check")


def practice_items(rubric: Rubric, languages: Iterable[Language]) -> list[PracticeItem]:
    """The practice items in these languages. Raises RatingError if the rubric has no practice set."""
    return [item for language in languages for item in load_practice(rubric).items_in(language)]


def check_items(rubric: Rubric, languages: Iterable[Language]) -> list[AttentionCheck]:
    """The attention checks in these languages. Raises RatingError if the rubric has no practice set."""
    return [check for language in languages for check in load_practice(rubric).checks_in(language)]


def practice_item(assignment: Assignment, rubric: Rubric) -> PracticeItem:
    """The practice item that is assigned. Raises CampaignError if the set has it no more."""
    return _found(assignment, load_practice(rubric).items)


def check_item(assignment: Assignment, rubric: Rubric) -> AttentionCheck:
    """The attention check that is assigned. Raises CampaignError if the set has it no more."""
    return _found(assignment, load_practice(rubric).checks)


def training_of(rows: Sequence[Row], settings: Settings, rubric: Rubric) -> Training | None:
    """How far an expert is, by the practice rows among these; None where the campaign has no practice."""
    practice = [row for row in rows if row.assignment.purpose == "practice"]
    if not settings.practice or not practice:
        return None
    attempt = max(row.assignment.take for row in practice)
    last = [row for row in practice if row.assignment.take == attempt]
    if any(row.sheet.submitted is None for row in last):
        return Training("open", attempt, settings.attempts, None)
    items = [practice_item(row.assignment, rubric) for row in last]
    given = {item.key: row.sheet.scores for item, row in zip(items, last, strict=True)}
    outcome = qualification(items, given, settings.threshold)
    return Training("passed" if outcome.passed else "failed", attempt, settings.attempts, outcome)


def _found(assignment: Assignment, known: Iterable[T]) -> T:
    for one in known:
        if one.key == assignment.item:
            return one
    raise CampaignError(
        "practice item {key!r}: no longer in the practice set of this version of the app", key=assignment.item
    )
