"""Marks: every click of a rater, as one small append. Once `append` has come back, no crash can lose it.

How things stand after a mark, the sheet, is kept as a row in the same transaction; `annotations.marking.marks` says
what it is.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Connection, Engine, RowMapping, Select, bindparam, func, insert, select, update

from annotations.design.settings import Purpose, Status
from annotations.errors import RatingError
from annotations.marking.marks import Entry, Mark, Sheet, mark_adapter
from characterbox.errors import CampaignError, CharacterBoxError
from characterbox.store.campaigns.campaign import ASSIGNMENT, CAMPAIGN, unknown_assignment
from characterbox.store.tables.campaigns import MarkRow, SheetRow
from characterbox.store.tables.columns import now, table_of
from characterbox.store.writer import Writer, in_turn

MARK, SHEET = table_of(MarkRow), table_of(SheetRow)
_COLUMNS = (MARK.c.revision, MARK.c.click, MARK.c.kind, MARK.c.metric, MARK.c.score, MARK.c.content, MARK.c.at)
_PLACE = (
    select(
        ASSIGNMENT.c.rater,
        ASSIGNMENT.c.purpose,
        ASSIGNMENT.c.campaign,
        CAMPAIGN.c.status,
        CAMPAIGN.c.settings,
        SHEET.c.content.label("sheet"),
    )
    .join(CAMPAIGN, CAMPAIGN.c.id == ASSIGNMENT.c.campaign)
    .outerjoin(SHEET, SHEET.c.assignment == ASSIGNMENT.c.id)
    .where(ASSIGNMENT.c.id == bindparam("assignment"))
)
_SAME = select(MARK.c.revision, MARK.c.at, MARK.c.kind, MARK.c.metric, MARK.c.score, MARK.c.content).where(
    MARK.c.assignment == bindparam("assignment"), MARK.c.click == bindparam("click")
)
_ALL = select(*_COLUMNS).where(MARK.c.assignment == bindparam("assignment")).order_by(MARK.c.revision)
_HISTORIES = select(MARK.c.assignment, *_COLUMNS).order_by(MARK.c.assignment, MARK.c.revision)
_ADD = insert(MARK)
_STANDING = select(SHEET.c.assignment, SHEET.c.content)
_BEGIN = insert(SHEET)
_GO_ON = update(SHEET).where(SHEET.c.assignment == bindparam("of"))
_SHEETS: TypeAdapter[Sheet] = TypeAdapter(Sheet)
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


@dataclass(frozen=True, slots=True)
class Edition:
    """What tells one state of a campaign from a later one; neither marks nor assignments are ever taken away."""

    mark: int
    """The number of the last mark, in whatever campaign."""
    assignments: int


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
            for row in connection.execute(query).mappings():
                histories.setdefault(row["assignment"], []).append(_entry(row))
        return histories

    def edition(self, campaign: str) -> Edition:
        """The state that the campaign is in now: what changes with marks or assignments alone can be kept by it."""
        with self._engine.connect() as connection:
            mark = connection.scalar(select(func.max(MARK.c.id))) or 0
            count = select(func.count()).select_from(ASSIGNMENT).where(ASSIGNMENT.c.campaign == campaign)
            return Edition(mark, connection.scalar(count) or 0)

    def sheets(self, campaign: str, rater: str | None = None, *, since: int = 0) -> dict[str, Sheet]:
        """How things stand with each assignment of a campaign that has marks, of one expert or of all; with `since`,
        each that has changed since the mark of this number."""
        which = (ASSIGNMENT.c.campaign == campaign) & (SHEET.c.mark > since)
        if rater is not None:
            which &= ASSIGNMENT.c.rater == rater
        return self._sheets(_STANDING.join(ASSIGNMENT, ASSIGNMENT.c.id == SHEET.c.assignment).where(which))

    def sheets_of(self, assignments: Sequence[str]) -> dict[str, Sheet]:
        """The same for some assignments, by their ids."""
        return self._sheets(_STANDING.where(SHEET.c.assignment.in_(assignments)))

    def _sheets(self, query: Select[Any]) -> dict[str, Sheet]:
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return {assignment: _SHEETS.validate_python(content) for assignment, content in rows}


def _append(connection: Connection, assignment: str, click: UUID, mark: Mark, check: Check) -> Receipt:
    row = connection.execute(_PLACE, {"assignment": assignment}).first()
    if row is None:
        raise unknown_assignment(assignment)
    place = Place(assignment, row.rater, row.purpose, row.campaign, row.status, row.settings)
    check.place(place)
    if (same := connection.execute(_SAME, {"assignment": assignment, "click": str(click)}).first()) is not None:
        if _values(mark) != {"kind": same.kind, "metric": same.metric, "score": same.score, "content": same.content}:
            raise CampaignError(
                "click {click} has already been used for a different entry, so this change was not saved; reload"
                " the page and enter it again",
                click=click,
            )
        return Receipt(same.revision, same.at)  # whatever has changed since: it was taken then
    sheet = Sheet() if row.sheet is None else _SHEETS.validate_python(row.sheet)
    said = _values(check.mark(place, mark, sheet))
    values = {"revision": sheet.revision + 1, "click": str(click), "at": now(), **said}
    added = connection.execute(_ADD, {"assignment": assignment, **values}).inserted_primary_key
    after = _row(sheet.after(_entry(values)), None if added is None else added.id)
    if row.sheet is None:
        connection.execute(_BEGIN, {"assignment": assignment, **after})
    else:
        connection.execute(_GO_ON, {"of": assignment, **after})
    return Receipt(values["revision"], values["at"])


def _row(sheet: Sheet, mark: int | None) -> dict[str, Any]:
    return {"mark": mark, "counts": sheet.counts, "content": _SHEETS.dump_python(sheet, mode="json")}


def _entries(connection: Connection, assignment: str) -> list[Entry]:
    return [_entry(row) for row in connection.execute(_ALL, {"assignment": assignment}).mappings()]


def _entry(row: Mapping[str, Any] | RowMapping) -> Entry:
    kind, score = row["kind"], row["score"]
    said = {**_UNSAID.get(kind, {}), "kind": kind, **(row["content"] or {})}
    if row["metric"] is not None:
        said["metric"] = row["metric"]
    if kind == "score":
        said["score"] = int(score) if score is not None and score % 1 == 0 else score
    return Entry(UUID(row["click"]), row["revision"], row["at"], mark_adapter.validate_python(said))


def _values(mark: Mark) -> dict[str, Any]:
    said = mark.model_dump(mode="json")
    told = {name: said.pop(name, None) for name in ("kind", "metric", "score")}
    return {**told, "content": {name: value for name, value in said.items() if value is not None} or None}
