"""What is known of a campaign: the values, how they stand in the tables, and what it is to be extended by."""

import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Engine, RowMapping, delete, select

from annotations.design.settings import Purpose, Settings, Status
from characterbox.errors import CampaignError, StoreError
from characterbox.store.tables.campaigns import (
    AssignmentRow,
    CampaignItemRow,
    CampaignRaterRow,
    CampaignRow,
    ExtensionRow,
)
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.ratings import Item, item_in
from characterbox.store.writer import Writer
from characterbox.values import Language, Value

CAMPAIGN = table_of(CampaignRow)
ITEM = table_of(CampaignItemRow)
RATER = table_of(CampaignRaterRow)
ASSIGNMENT = table_of(AssignmentRow)

OPEN = "open"
"""The campaign in which, where nobody signs in, everybody rates everything under a name that they write."""


class Campaign(Value):
    """A campaign without its items, experts and marks."""

    id: str
    settings: Settings
    status: Status
    created_by: str
    """The name of the account."""
    created_at: datetime


class CampaignItem(Value):
    """One thing that a campaign has rated."""

    identity: Item
    story_id: str | None
    """None for a scene of the library."""
    character: str | None
    scene: str
    model: str
    language: Language

    @property
    def item(self) -> str:
        """The label of the item."""
        return self.identity.label


def stories_of(items: Iterable[CampaignItem]) -> set[str]:
    """The ids of the stories that items are of."""
    return {item.story_id for item in items if item.story_id is not None}


class CampaignRater(Value):
    """An expert of a campaign, by the id of the account."""

    rater: str
    languages: tuple[Language, ...]


class Assignment(Value):
    """An item that an expert has in a campaign."""

    id: str
    campaign: str
    rater: str
    item: str
    """The label of an item of the campaign; of practice and of a check its key in the practice set."""
    purpose: Purpose
    take: int
    place: int


def new_assignment(
    campaign: str, rater: str, item: str, *, place: int, purpose: Purpose = "rate", take: int = 0
) -> Assignment:
    """An assignment with a name that tells nothing of what it is."""
    return Assignment(
        id=secrets.token_hex(6), campaign=campaign, rater=rater, item=item, purpose=purpose, take=take, place=place
    )


def settings_of(content: Mapping[str, Any], campaign: str) -> Settings:
    """The settings as they are stored. Raises StoreError if they can't be read."""
    try:
        return Settings.model_validate(content)
    except ValidationError as error:
        fault = error.errors()[0]
        what = ": ".join([*map(str, fault["loc"]), fault["msg"]])
        raise StoreError(
            "campaign {id}: its settings cannot be read ({what}); correct them in the database", id=campaign, what=what
        ) from None


def campaign_of(row: RowMapping) -> Campaign:
    """The campaign of a row."""
    fields = {name: row[name] for name in Campaign.model_fields}
    return Campaign.model_validate({**fields, "settings": settings_of(row["settings"], row["id"])})


def campaign_item_of(row: RowMapping) -> CampaignItem:
    """The item of a row."""
    fields = {name: row[name] for name in CampaignItem.model_fields if name != "identity"}
    return CampaignItem.model_validate({**fields, "identity": item_in(row)})


def row_of_item(campaign: str, item: CampaignItem) -> dict[str, Any]:
    """The row of an item of a campaign."""
    return {"campaign": campaign, **item.model_dump(exclude={"identity"}), **item.identity.as_columns()}


def assignment_of(row: RowMapping) -> Assignment:
    """The assignment of a row."""
    return Assignment.model_validate({name: row[name] for name in Assignment.model_fields})


def unknown_campaign(id: str) -> CampaignError:
    """That there is no such campaign."""
    return CampaignError("campaign {id!r} does not exist; the Campaigns page lists all campaigns", id=id)


def unknown_assignment(id: str) -> CampaignError:
    """That there is no such item for whoever asks; it is the same whether it is somebody else's or nobody's."""
    return CampaignError("you have no item {id!r}; choose one from your list", id=id)


_EXTENSION = table_of(ExtensionRow)
_NOBODY = ""
"""Stands for the id of an account where nobody signs in."""


class ExtensionStore:
    """Keeps the last preparation of each person for each campaign."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def save(self, campaign: str, account: str | None, content: dict[str, Any]) -> None:
        """Keep this, as JSON, in place of what was kept before."""
        values = {"content": content, "saved_at": now()}
        key = {"campaign": campaign, "account": account or _NOBODY}
        adding = insert_into(_EXTENSION, self._engine.dialect.name).values(**key, **values)
        saving = adding.on_conflict_do_update(index_elements=list(key), set_=values)
        self._writer.submit(lambda connection: connection.execute(saving)).result()

    def find(self, campaign: str, account: str | None) -> dict[str, Any] | None:
        """What was kept last, if anything."""
        query = select(_EXTENSION.c.content).where(
            _EXTENSION.c.campaign == campaign, _EXTENSION.c.account == (account or _NOBODY)
        )
        with self._engine.connect() as connection:
            content: dict[str, Any] | None = connection.scalar(query)
            return content

    def drop(self, campaign: str, account: str | None) -> None:
        """Keep it no longer."""
        which = (_EXTENSION.c.campaign == campaign) & (_EXTENSION.c.account == (account or _NOBODY))
        self._writer.submit(lambda connection: connection.execute(delete(_EXTENSION).where(which))).result()
