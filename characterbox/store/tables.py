"""The tables. Calls, replies and ratings are only ever added to; events follow from the replies."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, DateTime, Dialect, Index, Table, Text, TypeDecorator, UniqueConstraint
from sqlmodel import Field, SQLModel


def now() -> datetime:
    """The time now, in UTC. For records and people; the story has a clock of its own."""
    return datetime.now(UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC. SQLite forgets the time zone; this puts it back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment as it was stored."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def _moment() -> Any:
    return Column(UtcDateTime, nullable=False)


class SceneRow(SQLModel, table=True):
    """A scene that users brought in. The bundled ones are files."""

    __tablename__ = "scene"
    key: str = Field(primary_key=True)
    """Fingerprint of the content, so that the same scene is stored once."""
    title: str
    work: str
    language: str = Field(index=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


class StoryRow(SQLModel, table=True):
    """A story: its script and models, which never change, where the models are reached, and how far it is."""

    __tablename__ = "story"
    id: str = Field(primary_key=True)
    title: str
    language: str
    script: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    casting: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    status: str = Field(index=True)
    reason: str | None = Field(default=None, sa_column=Column(Text))
    launched_from: str
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


class EventRow(SQLModel, table=True):
    """One event; `seq` counts from 1 in the order of the story."""

    __tablename__ = "event"
    __table_args__ = (UniqueConstraint("story_id", "path"),)
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    seq: int = Field(primary_key=True)
    path: str
    kind: str
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class CallRow(SQLModel, table=True):
    """The mark that a call is about to leave. One without a reply may have been paid for."""

    __tablename__ = "call"
    id: int | None = Field(default=None, primary_key=True)
    story_id: str = Field(index=True, foreign_key="story.id")
    path: str
    take: int
    asked_at: datetime = Field(default_factory=now, sa_column=_moment())


class ReplyRow(SQLModel, table=True):
    """One reply in the journal."""

    __tablename__ = "reply"
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    path: str = Field(primary_key=True)
    take: int = Field(primary_key=True)
    digest: str
    messages: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))
    text: str = Field(sa_column=Column(Text, nullable=False))
    author: str
    url: str
    model: str
    attempts: int
    latency: float
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    finish_reason: str | None
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


class RatingRow(SQLModel, table=True):
    """One click of a rater, or one score of a judge; the last one of (item, metric, rater, kind) counts."""

    __tablename__ = "rating"
    __table_args__ = (Index("ix_rating_target", "item", "metric", "rater"),)
    id: int | None = Field(default=None, primary_key=True)
    item: str
    story_id: str = Field(index=True, foreign_key="story.id")
    scene: str
    model: str
    language: str
    rater: str
    kind: str
    rubric: str
    rubric_version: str
    metric: str
    score: int | None
    reason: str | None = Field(default=None, sa_column=Column(Text))
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


def table_of(rows: type[SQLModel]) -> Table:
    """The table behind a class of rows, for statements that take or give plain rows."""
    return SQLModel.metadata.tables[str(rows.__tablename__)]
