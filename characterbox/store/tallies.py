"""How all assignments of a campaign stand, read together.

`annotations.marks.sheet_of` says what marks come to, one by one; for all marks of a campaign that takes too long. Here
scores are folded from bare rows, times are summed in the database, and only what has more to tell is read in full. A
test holds both to the same result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Connection, Engine, Select, cast, extract, func, select

from annotations.marks import Guess, Sheet
from characterbox.store.campaign import ASSIGNMENT
from characterbox.store.marks import MARK

QUARTER = 900
"""Seconds. Every time zone is whole quarters of an hour from UTC: in none does a quarter lie on two days."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How an assignment stands that has marks."""

    sheet: Sheet
    seen: datetime
    """The last mark."""
    moments: frozenset[datetime]
    """The first and the last mark of each quarter of an hour: they lie on all days on which there was one."""


@dataclass(frozen=True, slots=True)
class Edition:
    """What tells one state of a campaign from a later one; neither marks nor assignments are ever taken away."""

    mark: int
    """The number of the last mark, in whatever campaign."""
    assignments: int


@dataclass(slots=True)
class _Fold:
    """A sheet that is being folded."""

    scores: dict[str, int | float] = field(default_factory=dict)
    evidence: dict[str, tuple[int, ...]] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    """Fields of the sheet that a mark has set."""

    def add(self, kind: str, metric: str, said: Any) -> None:
        """One more mark: `said` is a score, the moment of a submission, or the content of what is neither."""
        match kind:
            case "score":
                _put(self.scores, metric, int(said) if said is not None and said.is_integer() else said)
                self.more["skipped"] = None
            case "submit":
                self.more |= {"submitted": said, "skipped": None}
            case "evidence":
                _put(self.evidence, metric, tuple(sorted(set(said["steps"]))) or None)
            case "comment":
                self.more["comment"] = said["text"]
            case "flag":
                self.more["unknown_work"] = said["unknown_work"]
            case "skip":
                self.more["skipped"] = (said or {}).get("reason")
            case "guess":
                self.more["guess"] = Guess(model=(said or {}).get("model"))


class TallyStore:
    """Reads how campaigns stand. Everything that changes with marks or assignments alone can be kept by `edition`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def edition(self, campaign: str) -> Edition:
        """The state that the campaign is in now."""
        with self._engine.connect() as connection:
            mark = connection.scalar(select(func.max(MARK.c.id))) or 0
            count = select(func.count()).select_from(ASSIGNMENT).where(ASSIGNMENT.c.campaign == campaign)
            return Edition(mark, connection.scalar(count) or 0)

    def tallies(self, campaign: str, since: int | None = None) -> dict[str, Tally]:
        """How each assignment of a campaign stands that has marks; with `since`, each that has changed since the mark
        of this number."""
        which = select(ASSIGNMENT.c.id).where(ASSIGNMENT.c.campaign == campaign)
        if since is not None:
            marked = select(MARK.c.assignment).where(MARK.c.id > since)
            which = which.where(ASSIGNMENT.c.id.in_(marked))
        with self._engine.connect() as connection:
            folds = _folded(connection, which)
            times = _times(connection, which)
            moments = _moments(connection, which)
        tallies = {}
        for assignment, (reading, idle, seen, revision) in times.items():
            fold = folds.get(assignment, _Fold())
            sheet = Sheet(
                scores=fold.scores,
                evidence=fold.evidence,
                reading=reading,
                idle=idle,
                revision=revision,
                **fold.more,
            )
            tallies[assignment] = Tally(sheet, seen, frozenset(moments[assignment]))
        return tallies


def _folded(connection: Connection, which: Select[tuple[str]]) -> Mapping[str, _Fold]:
    """What the marks come to that are more than a span of time."""
    among = MARK.c.assignment.in_(which)
    telling = MARK.c.kind.not_in(("score", "submit", "time"))
    said: dict[int, Any] = dict(connection.execute(select(MARK.c.id, MARK.c.content).where(among, telling)).all())
    said |= dict(connection.execute(select(MARK.c.id, MARK.c.at).where(among, MARK.c.kind == "submit")).all())
    query = (
        select(MARK.c.id, MARK.c.assignment, MARK.c.kind, MARK.c.metric, MARK.c.score)
        .where(among, MARK.c.kind != "time")
        .order_by(MARK.c.assignment, MARK.c.revision)
    )
    folds: dict[str, _Fold] = {}
    for id, assignment, kind, metric, score in connection.execute(query):
        fold = folds.get(assignment)
        if fold is None:
            fold = folds[assignment] = _Fold()
        fold.add(kind, metric, score if kind == "score" else said[id])
    return folds


def _times(connection: Connection, which: Select[tuple[str]]) -> Mapping[str, tuple[int, int, datetime, int]]:
    """Of each assignment the milliseconds of reading and of idling, the last mark, and its revision."""
    reading, idle = (func.coalesce(func.sum(MARK.c.content[name].as_integer()), 0) for name in ("reading", "idle"))
    query = (
        select(MARK.c.assignment, reading, idle, func.max(MARK.c.at), func.max(MARK.c.revision))
        .where(MARK.c.assignment.in_(which))
        .group_by(MARK.c.assignment)
    )
    return {assignment: (int(read), int(idled), *last) for assignment, read, idled, *last in connection.execute(query)}


def _moments(connection: Connection, which: Select[tuple[str]]) -> Mapping[str, set[datetime]]:
    """The first and the last mark of each quarter of an hour, by assignment."""
    second = cast(extract("epoch", MARK.c.at), BigInteger)
    query = (
        select(MARK.c.assignment, func.min(MARK.c.at), func.max(MARK.c.at))
        .where(MARK.c.assignment.in_(which))
        .group_by(MARK.c.assignment, second - second % QUARTER)
    )
    moments: dict[str, set[datetime]] = {}
    for assignment, *both in connection.execute(query):
        moments.setdefault(assignment, set()).update(both)
    return moments


def _put(known: dict[str, Any], key: str, value: object) -> None:
    """As a mark does: what is set anew comes last."""
    known.pop(key, None)
    if value is not None:
        known[key] = value
