"""The tables of scenes, stories with their journal, craftings and sweeps. Calls, replies and parts are only added to;
events follow from the replies.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlmodel import Field, SQLModel

from characterbox.pause_reasons import Reason
from characterbox.store.tables.columns import (
    KEY_FIRST,
    ReasonText,
    UtcDateTime,
    index_of,
    moment,
    now,
    optional_json,
    table_of,
)


class SceneRow(SQLModel, table=True):
    """A scene that users imported or wrote: the chain of its versions. The bundled ones are files."""

    __tablename__ = "scene_chain"
    __table_args__ = KEY_FIRST
    id: str = Field(primary_key=True)
    newest: int
    """Number of its newest version."""
    away_since: datetime | None = Field(default=None, sa_column=Column(UtcDateTime))
    """When it was put away; None while it is in use."""
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class SceneVersionRow(SQLModel, table=True):
    """One version of a scene, from 1. Versions are only added to.

    `scene`, `title`, `work`, `language`, `origin`, `characters`, `pair` and `words` repeat what scenes are looked for
    by; `made_by` is an account, or empty where nobody signs in.
    """

    __tablename__ = "scene_version"
    chain: str = Field(primary_key=True, foreign_key="scene_chain.id")
    version: int = Field(primary_key=True)
    key: str = Field(index=True)
    """Fingerprint of the content."""
    scene: str = Field(index=True)
    title: str
    work: str
    language: str
    origin: str
    characters: int
    pair: str | None
    words: str = Field(sa_column=Column(Text, nullable=False))
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    made_by: str | None
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class StoryRow(SQLModel, table=True):
    """A story: its script and models, which never change, where the models are reached, and how far it is.

    `people` are the agents that a person plays, null being the narrator; `branch` tells what it was branched from.
    `scene`, `work` and `models` repeat what stories are looked for by.
    """

    __tablename__ = "story"
    __table_args__ = (index_of("ix_story_with_people", "id", "CAST(people AS TEXT) != '[]'"),)
    id: str = Field(primary_key=True)
    title: str
    language: str
    script: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    casting: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    status: str = Field(index=True)
    reason: Reason | None = Field(default=None, sa_column=Column(ReasonText))
    launched_from: str
    created_at: datetime = Field(default_factory=now, sa_column=Column(UtcDateTime, nullable=False, index=True))
    branch: dict[str, Any] | None = Field(default=None, sa_column=optional_json())
    people: list[str | None] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    scene: str
    work: str
    models: list[str] = Field(sa_column=Column(JSON, nullable=False))
    label: str | None = Field(default=None, sa_column=Column(Text))


class TagRow(SQLModel, table=True):
    """A word that people have put on a story."""

    __tablename__ = "tag"
    __table_args__ = KEY_FIRST
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    tag: str = Field(primary_key=True)


class EventRow(SQLModel, table=True):
    """One event; `seq` counts from 1 in the order of the story. `content` is what differs from the defaults."""

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
    __table_args__ = KEY_FIRST
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    path: str = Field(primary_key=True)
    take: int = Field(primary_key=True)
    asked_at: datetime = Field(default_factory=now, sa_column=Column(UtcDateTime, primary_key=True))


class ReplyRow(SQLModel, table=True):
    """One reply in the journal. `prompt` names the parts of its messages (see `prompts`).

    `dropped` is a list of the memories that were left out of the prompt; where the model does not take an option that
    it was to be sent, it is an object with `memories` and `options`. `person` is the account of the one who wrote it;
    empty for models, where nobody signs in, and where it is not known.
    """

    __tablename__ = "reply"
    __table_args__ = (index_of("ix_reply_by_person", "story_id", "author != 'model'"),)
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    path: str = Field(primary_key=True)
    take: int = Field(primary_key=True)
    digest: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    prompt: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
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
    troubles: list[str] | None = Field(default=None, sa_column=optional_json())
    price: float | None
    dropped: list[str] | dict[str, list[str]] | None = Field(default=None, sa_column=optional_json())
    origin: str | None
    created_at: datetime = Field(default_factory=now, sa_column=moment())
    memory: str | None = Field(default=None, sa_column=Column(Text))
    person: str | None = None


class PartRow(SQLModel, table=True):
    """A part that prompts have in common, stored once."""

    __tablename__ = "part"
    id: int | None = Field(
        default=None, sa_column=Column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    )
    digest: bytes = Field(sa_column=Column(LargeBinary, nullable=False, unique=True))
    """The first 16 bytes of the text's SHA-256."""
    text: str = Field(sa_column=Column(Text, nullable=False))


class ClaimRow(SQLModel, table=True):
    """Who took the right to write under a key last; `fence` counts how often it was taken."""

    __tablename__ = "claim"
    __table_args__ = {**KEY_FIRST, "info": {"travels": False}}
    key: str = Field(primary_key=True)
    fence: int = Field(sa_column=Column(BigInteger, nullable=False))
    holder: str
    """Host and process, for people who look for it."""
    taken_at: datetime = Field(default_factory=now, sa_column=moment())


class DraftRow(SQLModel, table=True):
    """What a person who plays has written of an answer that is not given yet."""

    __tablename__ = "draft"
    __table_args__ = KEY_FIRST
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    path: str = Field(primary_key=True)
    text: str = Field(sa_column=Column(Text, nullable=False))
    saved_at: datetime = Field(default_factory=now, sa_column=moment())


class PreferenceRow(SQLModel, table=True):
    """What somebody prefers; the owner is an account; empty where nobody signs in, and for what all share."""

    __tablename__ = "preference"
    __table_args__ = KEY_FIRST
    owner: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class SweepRow(SQLModel, table=True):
    """A sweep: the plan by which scenes are played and judged, as it was run last under its name."""

    __tablename__ = "sweep"
    __table_args__ = KEY_FIRST
    name: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    status: str
    reason: Reason | None = Field(default=None, sa_column=Column(ReasonText))
    launched_from: str
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class SweepStoryRow(SQLModel, table=True):
    """A story that belongs to a sweep; `place` counts from 1 in the order of its plan."""

    __tablename__ = "sweep_story"
    __table_args__ = KEY_FIRST
    sweep: str = Field(primary_key=True, foreign_key="sweep.name")
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    place: int


class SweepFailureRow(SQLModel, table=True):
    """Why a task of a sweep could not be done when it was tried last: a judgement, or a story that was never stored."""

    __tablename__ = "sweep_failure"
    __table_args__ = KEY_FIRST
    sweep: str = Field(primary_key=True, foreign_key="sweep.name")
    story_id: str = Field(primary_key=True)
    judge: str = Field(primary_key=True)
    """The rater whose judgement it is; empty where it is the story itself."""
    reason: Reason = Field(sa_column=Column(ReasonText, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=moment())


class SourceRow(SQLModel, table=True):
    """A text that scenes were crafted from, whole; stored once."""

    __tablename__ = "source"
    digest: str = Field(primary_key=True)
    """SHA-256 of the text."""
    name: str
    text: str = Field(sa_column=Column(Text, nullable=False))


class CraftingRow(SQLModel, table=True):
    """Scenes that are crafted by models: what is wished for, and how far it has come. Replies are in its journal."""

    __tablename__ = "crafting"
    __table_args__ = KEY_FIRST
    id: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    source: str | None = Field(default=None, foreign_key="source.digest")
    status: str
    reason: Reason | None = Field(default=None, sa_column=Column(ReasonText))
    launched_from: str
    created_at: datetime = Field(default_factory=now, sa_column=moment())


def _of_craftings(name: str, like: type[SQLModel]) -> Table:
    """A table as one of stories, whose rows belong to craftings."""
    table = table_of(like)
    others = (column for column in table.columns if column.name != "story_id")
    columns = (Column(one.name, one.type, primary_key=one.primary_key, nullable=one.nullable) for one in others)
    owner = Column("crafting", String, ForeignKey("crafting.id"), primary_key=True)
    return Table(name, SQLModel.metadata, owner, *columns, sqlite_with_rowid=table.kwargs.get("sqlite_with_rowid"))


CRAFTING_CALL = _of_craftings("crafting_call", CallRow)
CRAFTING_REPLY = _of_craftings("crafting_reply", ReplyRow)
"""The journal of craftings: the same columns as that of stories."""
