"""Marks: every click of a rater, as one small append. Once `append` has come back, no crash can lose it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine, Select, bindparam, insert, select

from annotations.campaign import Purpose, Status
from annotations.errors import RatingError
from annotations.marks import Entry, Mark, Sheet, mark_adapter, sheet_of
from annotations.wording import to_say
from characterbox.errors import CampaignError, CharacterBoxError
from characterbox.store.campaign import ASSIGNMENT, CAMPAIGN, unknown_assignment
from characterbox.store.campaign_tables import MarkRow
from characterbox.store.tables import now, table_of
from characterbox.store.turns import in_turn
from characterbox.store.writer import Writer

MARK = table_of(MarkRow)
_COLUMNS = (MARK.c.revision, MARK.c.click, MARK.c.kind, MARK.c.metric, MARK.c.score, MARK.c.content, MARK.c.at)
_PLACE = (
    select(ASSIGNMENT.c.rater, ASSIGNMENT.c.purpose, ASSIGNMENT.c.campaign, CAMPAIGN.c.status, CAMPAIGN.c.settings)
    .join(CAMPAIGN, CAMPAIGN.c.id == ASSIGNMENT.c.campaign)
    .where(ASSIGNMENT.c.id == bindparam("assignment"))
)
_SAME = select(MARK.c.revision, MARK.c.at, MARK.c.kind, MARK.c.metric, MARK.c.score, MARK.c.content).where(
    MARK.c.assignment == bindparam("assignment"), MARK.c.click == bindparam("click")
)
_ALL = select(*_COLUMNS).where(MARK.c.assignment == bindparam("assignment")).order_by(MARK.c.revision)
_HISTORIES = select(MARK.c.assignment, *_COLUMNS).order_by(MARK.c.assignment, MARK.c.revision)
_ADD = insert(MARK)
_UNSAID: dict[str, dict[str, Any]] = {"skip": {"reason": None}, "guess": {"model": None}}
"""What is not stored where it is None."""


@dataclass(frozen=True)
class Place:
    """Where a mark is made: whose item it is, and what the campaign says of it."""

    assignment: str
    rater: str
    purpose: Purpose
    campaign: str
    status: Status
    settings: dict[str, Any]


@dataclass(frozen=True)
class Receipt:
    """That a mark is committed."""

    revision: int
    at: datetime


@dataclass(frozen=True)
class Check:
    """What is asked of a mark while nobody else writes. Both parts raise RatingError or CampaignError."""

    place: Callable[[Place], None]
    """Whether the one who marks may mark there; asked first, of a click that is there already too."""
    mark: Callable[[Place, Mark, Sheet], Mark]
    """Gives the mark as it is stored."""


class MarkStore:
    """Appends marks and reads them."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    async def append(self, assignment: str, click: UUID, mark: Mark, check: Check) -> Receipt:
        """Append a mark and come back when it is committed; for a click that is there already, give its receipt.

        Raises what `check` raises, and CampaignError if there is no such assignment.
        """

        def write(connection: Connection) -> Receipt | CharacterBoxError | RatingError:
            try:
                return _append(connection, assignment, click, mark, check)
            except (CharacterBoxError, RatingError) as refusal:  # what others write in this commit is not held up
                return refusal

        answer = await asyncio.wrap_future(self._writer.submit(in_turn(write)))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def entries(self, assignment: str) -> list[Entry]:
        """All marks on an assignment, in order."""
        with self._engine.connect() as connection:
            return _entries(connection, assignment)

    def histories(self, campaign: str, rater: str | None = None) -> dict[str, list[Entry]]:
        """All marks in a campaign, of one expert or of all, by assignment and in order; those without are left out."""
        which = ASSIGNMENT.c.campaign == campaign
        if rater is not None:
            which &= ASSIGNMENT.c.rater == rater
        return self._histories(_HISTORIES.join(ASSIGNMENT, ASSIGNMENT.c.id == MARK.c.assignment).where(which))

    def histories_of(self, assignments: Sequence[str]) -> dict[str, list[Entry]]:
        """The same for some assignments, by their ids."""
        return self._histories(_HISTORIES.where(MARK.c.assignment.in_(assignments)))

    def _histories(self, query: Select[Any]) -> dict[str, list[Entry]]:
        histories: dict[str, list[Entry]] = {}
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                histories.setdefault(row.assignment, []).append(_entry(row))
        return histories

    def sheets(self, campaign: str, rater: str | None = None) -> dict[str, Sheet]:
        """How things stand with each assignment of a campaign that has marks, of one expert or of all."""
        return {assignment: sheet_of(entries) for assignment, entries in self.histories(campaign, rater).items()}


def _append(connection: Connection, assignment: str, click: UUID, mark: Mark, check: Check) -> Receipt:
    row = connection.execute(_PLACE, {"assignment": assignment}).first()
    if row is None:
        raise unknown_assignment(assignment)
    place = Place(assignment, row.rater, row.purpose, row.campaign, row.status, row.settings)
    check.place(place)
    if (same := connection.execute(_SAME, {"assignment": assignment, "click": str(click)}).first()) is not None:
        if _values(mark) != {"kind": same.kind, "metric": same.metric, "score": same.score, "content": same.content}:
            raise CampaignError(
                to_say("click {click}: it was another mark; what is marked anew is a click of its own"), click=click
            )
        return Receipt(same.revision, same.at)  # whatever has changed since: it was taken then
    sheet = sheet_of(_entries(connection, assignment))
    kept = check.mark(place, mark, sheet)
    receipt = Receipt(sheet.revision + 1, now())
    values = _values(kept)
    connection.execute(
        _ADD,
        {"assignment": assignment, "revision": receipt.revision, "click": str(click), "at": receipt.at, **values},
    )
    return receipt


def _entries(connection: Connection, assignment: str) -> list[Entry]:
    return [_entry(row) for row in connection.execute(_ALL, {"assignment": assignment})]


def _entry(row: Any) -> Entry:
    said = {**_UNSAID.get(row.kind, {}), "kind": row.kind, **(row.content or {})}
    if row.metric is not None:
        said["metric"] = row.metric
    if row.kind == "score":
        said["score"] = int(row.score) if row.score is not None and row.score.is_integer() else row.score
    return Entry(UUID(row.click), row.revision, row.at, mark_adapter.validate_python(said))


def _values(mark: Mark) -> dict[str, Any]:
    said = mark.model_dump(mode="json")
    told = {name: said.pop(name, None) for name in ("kind", "metric", "score")}
    return {**told, "content": {name: value for name, value in said.items() if value is not None} or None}
