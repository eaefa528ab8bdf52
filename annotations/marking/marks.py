"""Marks: what a rater does on an item, click by click. The state of an item, its sheet, is the fold of its marks.

A mark is never changed: a later one takes its place, and the history stays. Marks know nothing of where they are kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StringConstraints, TypeAdapter

from annotations.errors import RatingError
from annotations.i18n.messages import Message, Readable, listed
from annotations.rubrics.rubric import Rubric

MOST_TEXT = 4000
"""Characters of a comment or a reason at most."""
MOST_STEPS = 500
"""Places in a trajectory that one score can rest on, at most."""
QUARTER = 900
"""Seconds. Every time zone is whole quarters of an hour from UTC: in none does a quarter lie on two days."""
LONGEST = 604_800_000
"""Milliseconds that one span of time tells of, at most: a week. The rating page tells of a minute or so at a time."""

Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MOST_TEXT, pattern=r"^[^\x00]*$")]
"""What no database keeps, the character NUL, is refused."""
MOST_READING = 600_000
"""Milliseconds of reading that one span may tell of, at most: ten minutes. Longer ones that are stored can be read."""
Milliseconds = Annotated[StrictInt, Field(ge=0, le=LONGEST)]
Step = Annotated[StrictInt, Field(ge=0)]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Score(_Value):
    """The score on a metric; None takes it back."""

    kind: Literal["score"] = "score"
    metric: str
    score: StrictInt | Annotated[StrictFloat, Field(allow_inf_nan=False)] | None


class Evidence(_Value):
    """The steps of the trajectory, counted from 0, that the score on a metric rests on; none take it back."""

    kind: Literal["evidence"] = "evidence"
    metric: str
    steps: Annotated[tuple[Step, ...], Field(max_length=MOST_STEPS)]


class Comment(_Value):
    """What the rater says of the item in free words; empty takes it back."""

    kind: Literal["comment"] = "comment"
    text: Words


class Flag(_Value):
    """Whether the rater does not know the work that the character comes from."""

    kind: Literal["flag"] = "flag"
    unknown_work: StrictBool


class Skip(_Value):
    """The item is left out, for this reason; None takes it in again."""

    kind: Literal["skip"] = "skip"
    reason: Annotated[Words, StringConstraints(min_length=1)] | None


class Submit(_Value):
    """The rater is done with the item. Scores can still be changed afterwards."""

    kind: Literal["submit"] = "submit"


class Guess(_Value):
    """Which model the rater believes to have played the character; None: cannot tell."""

    kind: Literal["guess"] = "guess"
    model: Annotated[Words, StringConstraints(min_length=1)] | None


class Time(_Value):
    """Milliseconds on the item since the last such mark: at it, and away from it (the page hidden, or nothing done)."""

    kind: Literal["time"] = "time"
    reading: Milliseconds
    idle: Milliseconds


Mark = Annotated[Score | Evidence | Comment | Flag | Skip | Submit | Guess | Time, Field(discriminator="kind")]
T = TypeVar("T")
mark_adapter: TypeAdapter[Mark] = TypeAdapter(Mark)


@dataclass(frozen=True)
class Entry:
    """A mark as it stands in the log."""

    click: UUID
    """Made where the rater clicked: the same click that comes twice is one."""
    revision: int
    """From 1, in the order in which the marks on an item were acknowledged."""
    at: datetime
    """When the mark was stored, UTC."""
    mark: Mark


@dataclass(frozen=True)
class Sheet:
    """What a rater has said of an item so far."""

    scores: Mapping[str, int | float] = field(default_factory=dict)
    evidence: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    comment: str = ""
    unknown_work: bool = False
    skipped: str | None = None
    """Why the item is left out."""
    submitted: datetime | None = None
    guess: Guess | None = None
    reading: int = 0
    """Milliseconds spent at the item."""
    idle: int = 0
    """Milliseconds for which the item was open and nobody at it."""
    revision: int = 0
    scored: Mapping[str, datetime] = field(default_factory=dict)
    """When each of the scores was given."""
    seen: datetime | None = None
    """The last mark of whatever kind."""
    quarters: tuple[int, ...] = ()
    """The quarters of an hour with a mark, counted from the beginning of 1970 (UTC), in order."""

    @property
    def counts(self) -> bool:
        """Whether the scores count: the item was submitted, and not skipped since."""
        return self.submitted is not None and self.skipped is None

    @property
    def moments(self) -> frozenset[datetime]:
        """The last mark, and moments that lie on all the days, in whatever time zone, on which there was one."""
        begun = (datetime.fromtimestamp(quarter * QUARTER, UTC) for quarter in self.quarters)
        return frozenset(begun if self.seen is None else [*begun, self.seen])

    def after(self, entry: Entry) -> "Sheet":
        """The sheet with one more mark. Whoever scores an item takes it in again, if it was left out."""
        quarters = tuple(sorted({*self.quarters, int(entry.at.timestamp()) // QUARTER}))
        changes: dict[str, object] = {"revision": entry.revision, "seen": entry.at, "quarters": quarters}
        match entry.mark:
            case Score(metric=metric, score=score):
                scored = _with(self.scored, metric, None if score is None else entry.at)
                changes |= {"scores": _with(self.scores, metric, score), "scored": scored, "skipped": None}
            case Evidence(metric=metric, steps=steps):
                changes["evidence"] = _with(self.evidence, metric, tuple(sorted(set(steps))) or None)
            case Comment(text=text):
                changes["comment"] = text
            case Flag(unknown_work=unknown_work):
                changes["unknown_work"] = unknown_work
            case Skip(reason=reason):
                changes["skipped"] = reason
            case Submit():
                changes |= {"submitted": entry.at, "skipped": None}
            case Guess() as guess:
                changes["guess"] = guess
            case Time(reading=reading, idle=idle):
                changes |= {"reading": self.reading + reading, "idle": self.idle + idle}
        return replace(self, **changes)  # type: ignore[arg-type]

    def missing(self, rubric: Rubric) -> tuple[str, ...]:
        """The metrics that still need a score, or evidence where the rubric requires it, in the rubric's order."""
        evidenced = set(self.evidence) if rubric.evidence == "required" else set(rubric.keys)
        return tuple(key for key in rubric.keys if key not in self.scores or key not in evidenced)

    def done(self, rubric: Rubric) -> bool:
        """Whether the item is submitted and nothing was taken back since."""
        return self.counts and not self.missing(rubric)


def sheet_of(entries: Iterable[Entry]) -> Sheet:
    """The fold of the marks on one item, in the order of their revisions."""
    sheet = Sheet()
    for entry in entries:
        sheet = sheet.after(entry)
    return sheet


def checked(mark: Mark, rubric: Rubric, sheet: Sheet) -> Mark:
    """The mark as it is stored, if it may follow what is on the sheet. Raises RatingError if it may not.

    A score must be of the rubric (see `Rubric.check`); only what is complete is submitted, and it stays complete. The
    model is guessed only afterwards, so that the question can't sway the scores. Nobody reads for longer than
    `MOST_READING` without a sign of being there.
    """
    match mark:
        case Score(metric=metric, score=None):
            rubric.metric(metric)
            _check_open(sheet, metric, Message("score"))
        case Evidence(metric=metric, steps=steps):
            rubric.metric(metric)
            if not steps and rubric.evidence == "required":
                _check_open(sheet, metric, Message("evidence"))
        case Score(metric=metric, score=score):
            return mark.model_copy(update={"score": rubric.check(metric, score)})
        case Submit() if missing := sheet.missing(rubric):
            metrics = listed(missing)
            raise RatingError(
                Message(
                    "submit: no score or evidence yet for {metrics}; add it, or skip the item with a reason",
                    metrics=metrics,
                )
                if rubric.evidence == "required"
                else Message(
                    "submit: no score yet for {metrics}; add it, or skip the item with a reason", metrics=metrics
                )
            )
        case Time(reading=reading) if reading > MOST_READING:
            raise RatingError(
                "time: a reading time of {reading} ms in one entry is too long; the maximum is {most} ms",
                reading=reading,
                most=MOST_READING,
            )
        case Guess() if sheet.submitted is None:
            raise RatingError("guess: submit the item before guessing the model")
        case _:
            pass
    return mark


def _check_open(sheet: Sheet, metric: str, what: Readable) -> None:
    """Raises RatingError if this can't be taken back any more."""
    if sheet.submitted is not None:
        raise RatingError(
            "{metric}: the item is submitted; its {what} can be changed but not removed. If it can't be rated,"
            " skip the item with a reason",
            metric=metric,
            what=what,
        )


def _with(known: Mapping[str, T], key: str, value: T | None) -> Mapping[str, T]:
    others = {other: kept for other, kept in known.items() if other != key}
    return others if value is None else {**others, key: value}
