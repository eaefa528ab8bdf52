"""The tables of ratings and judges; what is rated is one identity, stored in three columns.

Ratings and datasets are only added to; a dataset that was made as a sample can be removed.
"""

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import (
    JSON,
    Column,
    Computed,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlmodel import Field, SQLModel

from characterbox.pause_reasons import Reason
from characterbox.store.tables.columns import KEY_FIRST, ReasonText, moment, now
from characterbox.values import Value

ItemKind = Literal["character", "narrator", "scene"]
"""`narrator` is all that the narrator decided in a story; a scene is one in all stories that were played from it."""
ITEM_COLUMNS = ("item_kind", "owner", "slug")
"""The columns of an item in tables, and in tables of ratings."""
_LABEL = (
    "CASE WHEN item_kind = 'narrator' THEN owner || '/narrator' WHEN item_kind = 'scene' THEN 'scene/' || owner"
    " WHEN slug = '' THEN owner ELSE owner || ':' || slug END"
)


class Item(Value):
    """What is judged or rated."""

    kind: ItemKind
    owner: str
    """The id of the story; of a scene its key, or of one that could not be read when scenes got keys, work and id with
    a colon between."""
    slug: str = ""
    """Of the character; empty where all of the owner is rated."""

    @property
    def label(self) -> str:
        """The item's name in files, addresses and tables of ratings; the database makes the same of its columns."""
        match self.kind:
            case "narrator":
                return f"{self.owner}/narrator"
            case "scene":
                return f"scene/{self.owner}"
            case _:
                return f"{self.owner}:{self.slug}" if self.slug else self.owner

    def as_columns(self) -> dict[str, str]:
        """The item's columns in a table."""
        return {"item_kind": self.kind, "owner": self.owner, "slug": self.slug}


def item_in(row: Any) -> Item:
    """The item of a row with the columns of one."""
    return Item(kind=row["item_kind"], owner=row["owner"], slug=row["slug"])


def label_column() -> Any:
    """A column with the label of a row's item, which the database makes."""
    return Column(String, Computed(_LABEL, persisted=True))


class VoteRow(SQLModel, table=True):
    """Which of two stories of one scene somebody holds to be better; NULL for a tie. Votes are only added to."""

    __tablename__ = "vote"
    __table_args__ = (Index("ix_vote_pair", "one", "other"),)
    id: int | None = Field(default=None, primary_key=True)
    one: str = Field(foreign_key="story.id")
    other: str = Field(foreign_key="story.id")
    better: str | None
    rater: str
    account: str | None
    blind: bool
    reason: str = Field(sa_column=Column(Text, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class JudgeRow(SQLModel, table=True):
    """One version of a judge: what has judged under a name. Versions are only added to."""

    __tablename__ = "judge"
    __table_args__ = (UniqueConstraint("name", "subject", "digest"), KEY_FIRST)
    name: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    """The bundled rubric by which it judges characters, narrators or scenes; each is counted by itself."""
    version: int = Field(primary_key=True)
    digest: str
    """Fingerprint of all that the scores depend on, so that one version is stored once."""
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class RatingRow(SQLModel, table=True):
    """One score of a judge; the last one of (item, metric, rater) counts. Of kind `experiment` none does."""

    __tablename__ = "rating"
    __table_args__ = (Index("ix_rating_target", "item", "metric", "rater"),)
    id: int | None = Field(default=None, primary_key=True)
    item_kind: str
    owner: str
    slug: str
    """See `Item`."""
    item: str | None = Field(default=None, sa_column=label_column())
    story_id: str = Field(foreign_key="story.id")
    scene: str
    model: str
    language: str
    rater: str
    variation: str | None = None
    """What an experiment varies of the judge."""
    kind: str
    rubric: str
    rubric_version: str
    metric: str
    score: int | None
    reason: Reason | None = Field(default=None, sa_column=Column(ReasonText))
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class RatedSceneRow(SQLModel, table=True):
    """A scene of the library as it was when a campaign was to have it rated; stored once."""

    __tablename__ = "rated_scene"
    __table_args__ = KEY_FIRST
    key: str = Field(primary_key=True)
    """See `SceneRatingRow.scene`."""
    title: str
    work: str
    language: str
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class SceneRatingRow(SQLModel, table=True):
    """One score of a scene itself, by a judge; the last one of (scene, metric, rater) counts. Experts score scenes in
    campaigns."""

    __tablename__ = "scene_rating"
    __table_args__ = (Index("ix_scene_rating_target", "scene", "metric", "rater"),)
    id: int | None = Field(default=None, primary_key=True)
    scene: str
    """The key of the scene's content: another wording is another scene."""
    rater: str
    rubric_version: str
    metric: str
    score: int | None
    reason: Reason | None = Field(default=None, sa_column=Column(ReasonText))
    improvised: bool
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class DatasetRow(SQLModel, table=True):
    """A dataset, and the rubric that its ratings were checked against."""

    __tablename__ = "dataset"
    id: str = Field(primary_key=True)
    """Twelve hexadecimal digits, drawn at random; of a sample its name."""
    name: str = Field(unique=True)
    rubric: str
    rubric_version: str
    ratings: int
    """How many it has."""
    added_by: str
    """The name of the account."""
    added_at: datetime = Field(default_factory=now, sa_column=moment())


class DatasetContentRow(SQLModel, table=True):
    """All ratings of a dataset, as one value: they are only ever read together, and no click waits while they are
    written."""

    __tablename__ = "dataset_content"
    dataset: str = Field(primary_key=True, foreign_key="dataset.id")
    ratings: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """A Parquet file, in the order of the file that they came from."""
