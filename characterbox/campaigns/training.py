"""The practice set of an expert: which items, how it went, and another attempt."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from annotations.campaign import Settings
from annotations.practice import AttentionCheck, PracticeItem, Qualification, load_practice, qualification
from annotations.rubric import Rubric
from annotations.wording import say
from characterbox.campaigns.row import Row
from characterbox.errors import CampaignError
from characterbox.store.campaign import Assignment, new_assignment
from characterbox.values import Language

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
        say("practice item {key!r}: the practice set of this version of the app has it no more", key=assignment.item)
    )
