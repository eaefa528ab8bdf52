"""What is exported, read in small portions: no transaction is held open meanwhile, and only ids are all in memory."""

from collections.abc import Iterator
from typing import Any, TypeVar

from sqlalchemy import Engine, RowMapping, Select, case, func, select

from annotations.exchange.record import LongRow, Record
from annotations.marking.marks import Sheet
from characterbox.store.campaigns.campaign import ASSIGNMENT, CAMPAIGN, ITEM
from characterbox.store.campaigns.marks import MARK, MarkStore
from characterbox.store.engine import portions
from characterbox.store.tables.accounts import AccountRow
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.ratings import RatingRow

T = TypeVar("T")
_PORTION = 500
"""Rows that are read at a time."""
_ACCOUNT = table_of(AccountRow)
_RATING = table_of(RatingRow)
_LABEL = case((ASSIGNMENT.c.purpose == "rate", ASSIGNMENT.c.item), else_="practice/" + ASSIGNMENT.c.item)
"""What an assignment is of, as files have it."""
_ASSIGNED = (
    select(
        ASSIGNMENT.c.campaign,
        CAMPAIGN.c.settings["rubric"].as_string().label("rubric"),
        CAMPAIGN.c.settings["rubric_version"].as_string().label("rubric_version"),
        ASSIGNMENT.c.id.label("assignment"),
        _LABEL.label("item"),
        ITEM.c.scene,
        ITEM.c.model,
        ITEM.c.language,
        _ACCOUNT.c.name.label("rater"),
        ASSIGNMENT.c.purpose,
        ASSIGNMENT.c.take,
    )
    .join_from(ASSIGNMENT, CAMPAIGN, CAMPAIGN.c.id == ASSIGNMENT.c.campaign)
    .join(_ACCOUNT, _ACCOUNT.c.id == ASSIGNMENT.c.rater)
    .outerjoin(ITEM, (ITEM.c.campaign == ASSIGNMENT.c.campaign) & (ITEM.c.item == ASSIGNMENT.c.item))
    .order_by(_LABEL, ASSIGNMENT.c.id)
)


class RecordStore:
    """Reads what raters and judges have left, each with where it comes from."""

    def __init__(self, engine: Engine, marks: MarkStore) -> None:
        self._engine = engine
        self._marks = marks

    def records(self, campaign: str, *, history: bool = False) -> Iterator[Record]:
        """The records of a campaign, one per assignment, those of an item one after the other; with their `history`,
        where that is asked for."""
        query = select(ASSIGNMENT.c.id).where(ASSIGNMENT.c.campaign == campaign)
        with self._engine.connect() as connection:
            ids = connection.scalars(query.order_by(_LABEL, ASSIGNMENT.c.id)).all()
        for portion in portions(ids, _PORTION):
            sheets = self._marks.sheets_of(portion)
            histories = self._marks.histories_of(portion) if history else {}
            for row in self._read(_ASSIGNED.where(ASSIGNMENT.c.id.in_(portion))):
                id = row["assignment"]
                yield Record(**row, sheet=sheets.get(id, Sheet()), entries=tuple(histories.get(id, ())))

    def judged(self, campaign: str | None = None) -> Iterator[LongRow]:
        """The ratings of judges that count: of all items, or of a campaign's items by its rubric."""
        last = (
            select(func.max(_RATING.c.id))
            .where(_RATING.c.kind == "judge")
            .group_by(_RATING.c.item, _RATING.c.metric, _RATING.c.rater, _RATING.c.rubric)
        )
        if campaign is not None:
            items = select(ITEM.c.item).where(ITEM.c.campaign == campaign)
            rubric = select(CAMPAIGN.c.settings["rubric"].as_string()).where(CAMPAIGN.c.id == campaign)
            last = last.where(_RATING.c.item.in_(items), _RATING.c.rubric == rubric.scalar_subquery())
        with self._engine.connect() as connection:
            ids = sorted(connection.scalars(last))
        for portion in portions(ids, _PORTION):
            query = select(_RATING).where(_RATING.c.id.in_(portion)).order_by(_RATING.c.id)
            yield from map(_judged, self._read(query))

    def raters(self, campaign: str | None = None) -> list[str]:
        """The names of all who have something to rate, in a campaign or anywhere, in the order of their first marks.

        This order stays as it is when others begin later; those who have not begun come last.
        """
        first = func.min(MARK.c.id)
        query = (
            select(_ACCOUNT.c.name)
            .join_from(ASSIGNMENT, _ACCOUNT, _ACCOUNT.c.id == ASSIGNMENT.c.rater)
            .outerjoin(MARK, MARK.c.assignment == ASSIGNMENT.c.id)
            .group_by(_ACCOUNT.c.id, _ACCOUNT.c.name)
            .order_by(first.is_(None), first, _ACCOUNT.c.id)
        )
        if campaign is not None:
            query = query.where(ASSIGNMENT.c.campaign == campaign)
        return [row["name"] for row in self._read(query)]

    def _read(self, query: Select[Any]) -> list[RowMapping]:
        with self._engine.connect() as connection:
            return list(connection.execute(query).mappings())


def _judged(row: RowMapping) -> LongRow:
    return LongRow(
        item=row["item"],
        scene=row["scene"],
        model=row["model"],
        metric=row["metric"],
        rater=row["rater"],
        kind=row["kind"],
        score=row["score"],
        language=row["language"],
        campaign=None,
        rubric=row["rubric"],
        rubric_version=row["rubric_version"],
        take=None,
        submitted=None,
        skipped=None,
        unknown_work=None,
        guess=None,
        reading_seconds=None,
        at=row["created_at"],
        reason=None if row["reason"] is None else str(row["reason"]),
    )
