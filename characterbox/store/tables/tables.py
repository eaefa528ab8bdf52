"""The tables. Calls, replies, parts and ratings are only ever added to; events follow from the replies."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Field, SQLModel

from characterbox.legacy_reasons import reread
from characterbox.pause_reasons import Reason, stored
from characterbox.store.tables.items import label_column


def now() -> datetime:
    """The time now, in UTC. For records and people; the story has a clock of its own."""
    return datetime.now(UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC. SQLite forgets the time zone; this puts it back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment as it is stored, wherever its clock stood."""
        return value.astimezone(UTC) if value is not None and value.tzinfo is not None else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment as it was stored."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class ReasonText(TypeDecorator[Reason]):
    """A reason, as JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Reason | str | None, dialect: Dialect) -> str | None:
        """The reason as it is stored; a text is one already."""
        return stored(value) if isinstance(value, Reason) else value

    def process_result_value(self, value: str | None, dialect: Dialect) -> Reason | None:
        """The reason as it was stored."""
        return None if value is None else reread(value)


def _moment() -> Any:
    return Column(UtcDateTime, nullable=False)


def _optional_json() -> Any:
    return Column(JSON(none_as_null=True))


def _index_of(name: str, column: str, where: str) -> Index:
    """An index of some rows alone; what looks for them has to say the condition in the same words."""
    return Index(name, column, sqlite_where=text(where), postgresql_where=text(where))


_KEY_FIRST = {"sqlite_with_rowid": False}
"""Rows are stored with their key, not with a number of their own: takes half the space where rows are small."""


class SceneRow(SQLModel, table=True):
    """A scene that users brought in or wrote: the chain of its versions. The bundled ones are files."""

    __tablename__ = "scene_chain"
    __table_args__ = _KEY_FIRST
    id: str = Field(primary_key=True)
    newest: int
    """Number of its newest version."""
    away_since: datetime | None = Field(default=None, sa_column=Column(UtcDateTime))
    """When it was put away; None while it is in use."""
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


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
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


class StoryRow(SQLModel, table=True):
    """A story: its script and models, which never change, where the models are reached, and how far it is.

    `people` are the agents that a person plays, null being the narrator; `branch` tells what it was branched from.
    `scene`, `work` and `models` repeat what stories are looked for by.
    """

    __tablename__ = "story"
    __table_args__ = (_index_of("ix_story_with_people", "id", "CAST(people AS TEXT) != '[]'"),)
    id: str = Field(primary_key=True)
    title: str
    language: str
    script: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    casting: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    status: str = Field(index=True)
    reason: Reason | None = Field(default=None, sa_column=Column(ReasonText))
    launched_from: str
    created_at: datetime = Field(default_factory=now, sa_column=Column(UtcDateTime, nullable=False, index=True))
    branch: dict[str, Any] | None = Field(default=None, sa_column=_optional_json())
    people: list[str | None] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    scene: str
    work: str
    models: list[str] = Field(sa_column=Column(JSON, nullable=False))
    label: str | None = Field(default=None, sa_column=Column(Text))


class TagRow(SQLModel, table=True):
    """A word that people have put on a story."""

    __tablename__ = "tag"
    __table_args__ = _KEY_FIRST
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    tag: str = Field(primary_key=True)


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
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


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
    __table_args__ = _KEY_FIRST
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    path: str = Field(primary_key=True)
    take: int = Field(primary_key=True)
    asked_at: datetime = Field(default_factory=now, sa_column=Column(UtcDateTime, primary_key=True))


class ReplyRow(SQLModel, table=True):
    """One reply in the journal. `prompt` names the parts of its messages (see `prompts`)."""

    __tablename__ = "reply"
    __table_args__ = (_index_of("ix_reply_by_person", "story_id", "author != 'model'"),)
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
    troubles: list[str] | None = Field(default=None, sa_column=_optional_json())
    price: float | None
    dropped: list[str] | None = Field(default=None, sa_column=_optional_json())
    origin: str | None
    created_at: datetime = Field(default_factory=now, sa_column=_moment())
    memory: str | None = Field(default=None, sa_column=Column(Text))


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
    __table_args__ = {**_KEY_FIRST, "info": {"travels": False}}
    key: str = Field(primary_key=True)
    fence: int = Field(sa_column=Column(BigInteger, nullable=False))
    holder: str
    """Host and process, for people who look for it."""
    taken_at: datetime = Field(default_factory=now, sa_column=_moment())


class DraftRow(SQLModel, table=True):
    """What a person who plays has written of an answer that is not given yet."""

    __tablename__ = "draft"
    __table_args__ = _KEY_FIRST
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    path: str = Field(primary_key=True)
    text: str = Field(sa_column=Column(Text, nullable=False))
    saved_at: datetime = Field(default_factory=now, sa_column=_moment())


class PreferenceRow(SQLModel, table=True):
    """What somebody prefers; the owner is an account, or empty where nobody signs in."""

    __tablename__ = "preference"
    __table_args__ = _KEY_FIRST
    owner: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class ServerRow(SQLModel, table=True):
    """An address at which models are reached."""

    __tablename__ = "server"
    __table_args__ = _KEY_FIRST
    url: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class KeyBindingRow(SQLModel, table=True):
    """That an admin has entered the key of a name for an origin: it is sent nowhere else.

    No archive has it: what is restored from a file says nothing of who may get which key.
    """

    __tablename__ = "key_binding"
    __table_args__ = {**_KEY_FIRST, "info": {"travels": False}}
    origin: str = Field(primary_key=True)
    """Scheme, host and port."""
    key: str = Field(primary_key=True)
    """The name of the key, never the key."""
    bound_at: datetime = Field(default_factory=now, sa_column=_moment())
    bound_by: str | None
    """The account; None is the command line, or an app without accounts."""
    bound_by_name: str


class ServerProposalRow(SQLModel, table=True):
    """A server that somebody proposes, until an admin accepts or declines it.

    No archive has it: what is restored from a file asks no admin for a click.
    """

    __tablename__ = "server_proposal"
    __table_args__ = {**_KEY_FIRST, "info": {"travels": False}}
    id: str = Field(primary_key=True)
    """Sixteen hexadecimal digits, drawn at random."""
    url: str
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    proposed_at: datetime = Field(default_factory=now, sa_column=_moment())
    proposed_by: str | None = Field(index=True)
    """The account; None is an app without accounts."""
    proposed_by_name: str


class JudgeRow(SQLModel, table=True):
    """One version of a judge: what has judged under a name. Versions are only added to."""

    __tablename__ = "judge"
    __table_args__ = (UniqueConstraint("name", "subject", "digest"), _KEY_FIRST)
    name: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    """What it judges: characters, narrators or scenes, each of which is counted by itself."""
    version: int = Field(primary_key=True)
    digest: str
    """Fingerprint of all that the scores depend on, so that one version is stored once."""
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


class SweepRow(SQLModel, table=True):
    """A sweep: the plan by which scenes are played and judged, as it was run last under its name."""

    __tablename__ = "sweep"
    __table_args__ = _KEY_FIRST
    name: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    status: str
    reason: Reason | None = Field(default=None, sa_column=Column(ReasonText))
    launched_from: str
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


class SweepStoryRow(SQLModel, table=True):
    """A story that belongs to a sweep; `place` counts from 1 in the order of its plan."""

    __tablename__ = "sweep_story"
    __table_args__ = _KEY_FIRST
    sweep: str = Field(primary_key=True, foreign_key="sweep.name")
    story_id: str = Field(primary_key=True, foreign_key="story.id")
    place: int


class SweepFailureRow(SQLModel, table=True):
    """Why a task of a sweep could not be done when it was tried last: a judgement, or a story that was never stored."""

    __tablename__ = "sweep_failure"
    __table_args__ = _KEY_FIRST
    sweep: str = Field(primary_key=True, foreign_key="sweep.name")
    task: str = Field(primary_key=True)
    reason: Reason = Field(sa_column=Column(ReasonText, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


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
    __table_args__ = _KEY_FIRST
    id: str = Field(primary_key=True)
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    source: str | None = Field(default=None, foreign_key="source.digest")
    status: str
    reason: Reason | None = Field(default=None, sa_column=Column(ReasonText))
    launched_from: str
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


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
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


class RatedSceneRow(SQLModel, table=True):
    """A scene of the library as it was when a campaign was to have it rated; stored once."""

    __tablename__ = "rated_scene"
    __table_args__ = _KEY_FIRST
    key: str = Field(primary_key=True)
    """See `SceneRatingRow.scene`."""
    title: str
    work: str
    language: str
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


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
    created_at: datetime = Field(default_factory=now, sa_column=_moment())


def _of_craftings(name: str, like: type[SQLModel]) -> Table:
    """A table as one of stories, whose rows belong to craftings."""
    table = table_of(like)
    others = (column for column in table.columns if column.name != "story_id")
    columns = (Column(one.name, one.type, primary_key=one.primary_key, nullable=one.nullable) for one in others)
    owner = Column("crafting", String, ForeignKey("crafting.id"), primary_key=True)
    return Table(name, SQLModel.metadata, owner, *columns, sqlite_with_rowid=table.kwargs.get("sqlite_with_rowid"))


def table_of(rows: type[SQLModel]) -> Table:
    """The table behind a class of rows, for statements that take or give plain rows."""
    return SQLModel.metadata.tables[str(rows.__tablename__)]


CRAFTING_CALL = _of_craftings("crafting_call", CallRow)
CRAFTING_REPLY = _of_craftings("crafting_reply", ReplyRow)
"""The journal of craftings: the same columns as that of stories."""

_INSERTS: Mapping[str, Callable[[Table], sqlite.Insert | postgresql.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


def insert_into(table: Table, dialect: str) -> sqlite.Insert | postgresql.Insert:
    """An insert that can say what to do about what is there already."""
    return _INSERTS[dialect](table)
