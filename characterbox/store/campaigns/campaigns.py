"""Campaigns: their settings, items and experts, and who is to rate what. Each change is in the audit log."""

import secrets
from collections import Counter
from collections.abc import Callable, Sequence

from sqlalchemy import Connection, Engine, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from annotations.design.settings import MOVES, Settings, Status
from annotations.i18n.messages import Message, cited
from characterbox.accounts.account import LOCAL, Account
from characterbox.errors import CampaignError
from characterbox.store.accounts.audit_log import record
from characterbox.store.campaigns.campaign import (
    ASSIGNMENT,
    CAMPAIGN,
    ITEM,
    RATER,
    Assignment,
    Campaign,
    CampaignItem,
    CampaignRater,
    assignment_of,
    campaign_item_of,
    campaign_of,
    new_assignment,
    row_of_item,
    unknown_assignment,
    unknown_campaign,
)
from characterbox.store.tables.columns import insert_into, now
from characterbox.store.writer import Writer, in_turn


class CampaignStore:
    """Keeps campaigns. What is assigned once stays assigned."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    # ---- reading

    def all(self) -> list[Campaign]:
        """All campaigns, the newest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(CAMPAIGN).order_by(CAMPAIGN.c.created_at.desc())).mappings()
            return [campaign_of(row) for row in rows]

    def campaign(self, id: str) -> Campaign:
        """One campaign. Raises CampaignError if there is none."""
        with self._engine.connect() as connection:
            return _campaign(connection, id)

    def items(self, campaign: str) -> list[CampaignItem]:
        """What a campaign has rated."""
        query = select(ITEM).where(ITEM.c.campaign == campaign).order_by(ITEM.c.item)
        with self._engine.connect() as connection:
            return [campaign_item_of(row) for row in connection.execute(query).mappings()]

    def item(self, campaign: str, item: str) -> CampaignItem:
        """One item of a campaign. Raises CampaignError if it has no such item."""
        query = select(ITEM).where(ITEM.c.campaign == campaign, ITEM.c.item == item)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        if row is None:
            raise CampaignError("campaign {id} has no item {item!r}", id=cited(campaign), item=cited(item))
        return campaign_item_of(row)

    def raters(self, campaign: str) -> list[CampaignRater]:
        """The experts of a campaign."""
        query = select(RATER.c.rater, RATER.c.languages).where(RATER.c.campaign == campaign).order_by(RATER.c.rater)
        with self._engine.connect() as connection:
            rows = connection.execute(query)
            return [CampaignRater(rater=row.rater, languages=tuple(row.languages)) for row in rows]

    def assignments(self, *, campaign: str | None = None, rater: str | None = None) -> list[Assignment]:
        """The assignments of a campaign, of an expert, or of both, in the expert's order."""
        query = select(ASSIGNMENT).order_by(ASSIGNMENT.c.campaign, ASSIGNMENT.c.rater, ASSIGNMENT.c.place)
        if campaign is not None:
            query = query.where(ASSIGNMENT.c.campaign == campaign)
        if rater is not None:
            query = query.where(ASSIGNMENT.c.rater == rater)
        with self._engine.connect() as connection:
            return [assignment_of(row) for row in connection.execute(query).mappings()]

    def assignment(self, id: str) -> Assignment:
        """One assignment. Raises CampaignError if there is none."""
        with self._engine.connect() as connection:
            row = connection.execute(select(ASSIGNMENT).where(ASSIGNMENT.c.id == id)).mappings().first()
        if row is None:
            raise unknown_assignment(id)
        return assignment_of(row)

    # ---- changing

    def create(self, settings: Settings, actor: Account) -> Campaign:
        """A new campaign, as a draft."""
        campaign = Campaign(
            id=secrets.token_hex(6), settings=settings, status="draft", created_by=actor.name, created_at=now()
        )

        def write(connection: Connection) -> None:
            row = {**campaign.model_dump(exclude={"settings"}), "settings": settings.model_dump(mode="json")}
            connection.execute(insert(CAMPAIGN), row)
            record(connection, actor, "campaign.create", campaign.id, {"settings": row["settings"]})

        self._do(write)
        return campaign

    def draft(
        self,
        id: str,
        settings: Settings,
        items: Sequence[CampaignItem],
        raters: Sequence[CampaignRater],
        actor: Account,
    ) -> None:
        """Set all that a draft consists of. Raises CampaignError if the campaign has started."""

        def write(connection: Connection) -> None:
            if (status := _campaign(connection, id).status) != "draft":
                raise CampaignError(
                    "campaign {id} is {status}, so its design cannot change; copy the campaign to change it",
                    id=id,
                    status=Message(status),
                )
            content = settings.model_dump(mode="json")
            connection.execute(update(CAMPAIGN).where(CAMPAIGN.c.id == id).values(settings=content))
            for table in (ITEM, RATER):
                connection.execute(table.delete().where(table.c.campaign == id))
            _add_items(connection, id, items)
            _add_raters(connection, id, raters)
            told = {"settings": content, "items": len(items), "raters": [rater.rater for rater in raters]}
            record(connection, actor, "campaign.draft", id, told)

        self._do(write)

    def start(self, id: str, assigned: Sequence[Assignment], actor: Account) -> None:
        """Give the experts their items, and let the campaign take ratings.

        Raises CampaignError if it is no draft, or no more the one that this was planned for.
        """

        def write(connection: Connection) -> None:
            _move(connection, id, "running", only="draft")
            _check_planned(connection, id, assigned)
            _assign(connection, assigned)
            record(connection, actor, "campaign.start", id, {"assignments": len(assigned)})

        self._do(write)

    def extend(
        self,
        id: str,
        settings: Settings,
        added: tuple[Sequence[CampaignItem], Sequence[CampaignRater], Sequence[Assignment]],
        before: tuple[Settings, Sequence[Assignment]],
        actor: Account,
    ) -> None:
        """Add items, experts and assignments to a campaign that has started, and not been closed.

        `before` are the settings and assignments for which this was planned. Raises CampaignError if the campaign is
        not in such a state, or has other settings or other items to rate by now.
        """
        items, raters, assigned = added

        def write(connection: Connection) -> None:
            present = _campaign(connection, id)
            if present.status not in ("running", "paused"):
                raise CampaignError(
                    "campaign {id} is {status}; only a running or paused campaign can be extended",
                    id=id,
                    status=Message(present.status),
                )
            _check_same(connection, present, *before)
            content = settings.model_dump(mode="json")
            connection.execute(update(CAMPAIGN).where(CAMPAIGN.c.id == id).values(settings=content))
            _add_items(connection, id, items)
            _add_raters(connection, id, raters)
            _assign(connection, assigned)
            told = {"settings": content, "items": len(items), "raters": [rater.rater for rater in raters]}
            record(connection, actor, "campaign.extend", id, {**told, "assignments": len(assigned)})

        self._do(write)

    def move(self, id: str, status: Status, actor: Account) -> None:
        """Pause, go on with, close or reopen a campaign. Raises CampaignError if that can't come after what it is."""

        def write(connection: Connection) -> None:
            _move(connection, id, status)
            record(connection, actor, "campaign.move", id, {"status": status})

        self._do(write)

    def add(self, assigned: Sequence[Assignment], actor: Account) -> None:
        """Give an expert another try at the practice set. Raises CampaignError unless the campaign is running."""
        given = Counter(one.campaign for one in assigned)

        def write(connection: Connection) -> None:
            for campaign, assignments in given.items():
                if (status := _campaign(connection, campaign).status) != "running":
                    raise CampaignError(
                        "campaign {id} is {status} and assigns no new items",
                        id=campaign,
                        status=Message(status),
                    )
                record(connection, actor, "campaign.assign", campaign, {"assignments": assignments})
            _assign(connection, assigned)

        self._do(write)

    def open(self, campaign: Campaign, items: Sequence[CampaignItem], rater: str) -> None:
        """Have an expert rate all items of a campaign that is open to everybody; what is there already stays."""

        def write(connection: Connection) -> None:
            dialect = self._engine.dialect.name
            row = {**campaign.model_dump(exclude={"settings"}), "settings": campaign.settings.model_dump(mode="json")}
            opening = insert_into(CAMPAIGN, dialect).values(row).on_conflict_do_nothing().returning(CAMPAIGN.c.id)
            if connection.execute(opening).first() is not None:
                record(connection, LOCAL, "campaign.create", campaign.id, {"settings": row["settings"]})
            where = (ASSIGNMENT.c.campaign == campaign.id) & (ASSIGNMENT.c.rater == rater)
            known = set(connection.scalars(select(ASSIGNMENT.c.item).where(where)))
            place: int = connection.scalar(select(func.max(ASSIGNMENT.c.place)).where(where)) or 0
            for number, item in enumerate((item for item in items if item.item not in known), place + 1):
                adding = insert_into(ITEM, dialect).values(row_of_item(campaign.id, item))
                connection.execute(adding.on_conflict_do_nothing())
                _assign(connection, [new_assignment(campaign.id, rater, item.item, place=number)])

        self._do(write)

    def _do(self, write: Callable[[Connection], None]) -> None:
        try:
            self._writer.submit(in_turn(write)).result()
        except IntegrityError:
            raise CampaignError(
                "somebody else changed this campaign at the same time; reload it and check what is left to do"
            ) from None


def _campaign(connection: Connection, id: str) -> Campaign:
    row = connection.execute(select(CAMPAIGN).where(CAMPAIGN.c.id == id)).mappings().first()
    if row is None:
        raise unknown_campaign(id)
    return campaign_of(row)


def _move(connection: Connection, id: str, status: Status, only: Status | None = None) -> None:
    present = _campaign(connection, id).status
    if status not in MOVES[present] or (only is not None and present != only):
        raise CampaignError(
            "campaign {id} is {present}; it cannot become {status}",
            id=id,
            present=Message(present),
            status=Message(status),
        )
    connection.execute(update(CAMPAIGN).where(CAMPAIGN.c.id == id).values(status=status))


def _check_planned(connection: Connection, id: str, assigned: Sequence[Assignment]) -> None:
    """Raises CampaignError unless all items, and no others, are assigned, to experts of the campaign."""
    items = set(connection.scalars(select(ITEM.c.item).where(ITEM.c.campaign == id)))
    raters = set(connection.scalars(select(RATER.c.rater).where(RATER.c.campaign == id)))
    planned = {one.item for one in assigned if one.purpose == "rate"}
    if planned != items or not {one.rater for one in assigned} <= raters:
        raise CampaignError(
            "campaign {id}: its draft has changed in the meantime; check the plan again, then start the campaign", id=id
        )


def _check_same(connection: Connection, campaign: Campaign, settings: Settings, assigned: Sequence[Assignment]) -> None:
    """Raises CampaignError if the campaign has other settings than these, or more to rate."""
    rated = (ASSIGNMENT.c.campaign == campaign.id) & (ASSIGNMENT.c.purpose == "rate")
    count = connection.scalar(select(func.count()).select_from(ASSIGNMENT).where(rated))
    if campaign.settings != settings or count != sum(one.purpose == "rate" for one in assigned):
        raise CampaignError(
            "campaign {id}: somebody else has extended it in the meantime; check the plan again", id=campaign.id
        )


def _add_items(connection: Connection, campaign: str, items: Sequence[CampaignItem]) -> None:
    if items:
        connection.execute(insert(ITEM), [row_of_item(campaign, item) for item in items])


def _add_raters(connection: Connection, campaign: str, raters: Sequence[CampaignRater]) -> None:
    if raters:
        rows = [{"campaign": campaign, "rater": one.rater, "languages": list(one.languages)} for one in raters]
        connection.execute(insert(RATER), rows)


def _assign(connection: Connection, assigned: Sequence[Assignment]) -> None:
    if assigned:
        connection.execute(insert(ASSIGNMENT), [assignment.model_dump() for assignment in assigned])
