"""The tables of campaigns. Marks and verdicts are only added to."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Float, Integer, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from characterbox.store.tables.columns import moment, now
from characterbox.store.tables.ratings import label_column


def _number() -> Any:
    return Column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)


class RubricRow(SQLModel, table=True):
    """A rubric that a researcher imported, or a bundled one as it was when a campaign started with it. A version is
    never changed."""

    __tablename__ = "rubric"
    name: str = Field(primary_key=True)
    version: str = Field(primary_key=True)
    text: str = Field(sa_column=Column(Text, nullable=False))
    added_by: str
    """The name of the account."""
    added_at: datetime = Field(default_factory=now, sa_column=moment())


class CampaignRow(SQLModel, table=True):
    """A campaign: its settings, and whether it takes ratings."""

    __tablename__ = "campaign"
    id: str = Field(primary_key=True)
    settings: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    status: str
    created_by: str
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class CampaignItemRow(SQLModel, table=True):
    """One thing that a campaign has rated."""

    __tablename__ = "campaign_item"
    __table_args__ = (UniqueConstraint("campaign", "item"),)
    campaign: str = Field(primary_key=True, foreign_key="campaign.id")
    item_kind: str = Field(primary_key=True)
    owner: str = Field(primary_key=True)
    slug: str = Field(primary_key=True)
    """See `Item`."""
    item: str | None = Field(default=None, sa_column=label_column())
    story_id: str | None = Field(foreign_key="story.id")
    """None where a scene of the library is rated (see `RatedSceneRow`)."""
    character: str | None
    """None where a whole story, or a scene, is rated."""
    scene: str
    model: str
    language: str


class CampaignRaterRow(SQLModel, table=True):
    """One expert of a campaign, and the languages that this expert reads."""

    __tablename__ = "campaign_rater"
    campaign: str = Field(primary_key=True, foreign_key="campaign.id")
    rater: str = Field(primary_key=True, foreign_key="account.id")
    languages: list[str] = Field(sa_column=Column(JSON, nullable=False))


class ExtensionRow(SQLModel, table=True):
    """What somebody is about to extend a campaign by."""

    __tablename__ = "extension"
    campaign: str = Field(primary_key=True, foreign_key="campaign.id")
    account: str = Field(primary_key=True)
    """The id of the account; empty where nobody signs in."""
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    saved_at: datetime = Field(default_factory=now, sa_column=moment())


class AssignmentRow(SQLModel, table=True):
    """An item that an expert is to rate. `id` is all that the expert is told of where the item comes from."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("campaign", "rater", "item", "take"),)
    id: str = Field(primary_key=True)
    campaign: str = Field(foreign_key="campaign.id")
    rater: str = Field(foreign_key="account.id", index=True)
    item: str
    """The label of an item of the campaign; of practice and of a check its key in the practice set."""
    purpose: str
    """rate, practice or check."""
    take: int
    """0 the first time; 1 for a hidden repeat; for practice the number of the attempt."""
    place: int
    """In this expert's order."""


class MarkRow(SQLModel, table=True):
    """One mark of a rater. `content` is what the mark says besides its kind, metric and score."""

    __tablename__ = "mark"
    __table_args__ = (UniqueConstraint("assignment", "revision"), UniqueConstraint("assignment", "click"))
    id: int | None = Field(default=None, sa_column=_number())
    assignment: str = Field(foreign_key="assignment.id")
    revision: int
    click: str
    kind: str
    metric: str | None
    score: float | None = Field(default=None, sa_column=Column(Float))
    content: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    at: datetime = Field(default_factory=now, sa_column=moment())


class SheetRow(SQLModel, table=True):
    """How an assignment that has marks stands: their fold (see `annotations.marking.marks.Sheet`), written in the
    transaction that appends a mark.
    """

    __tablename__ = "sheet"
    assignment: str = Field(primary_key=True, foreign_key="assignment.id")
    mark: int = Field(sa_column=Column(BigInteger().with_variant(Integer, "sqlite"), nullable=False, index=True))
    """The number of the last mark."""
    counts: bool
    """Whether the scores count: the item was submitted, and not skipped since."""
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """The sheet."""


class VerdictRow(SQLModel, table=True):
    """The consensus on a metric of an item, as an adjudicator decided; the last one counts, the ratings stay."""

    __tablename__ = "verdict"
    id: int | None = Field(default=None, sa_column=_number())
    campaign: str = Field(foreign_key="campaign.id", index=True)
    item: str
    metric: str
    score: float | None = Field(default=None, sa_column=Column(Float))
    """None takes a verdict back."""
    reason: str = Field(sa_column=Column(Text, nullable=False))
    adjudicator: str
    """The name of the account."""
    at: datetime = Field(default_factory=now, sa_column=moment())
