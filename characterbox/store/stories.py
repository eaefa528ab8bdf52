"""Stories, their events and their journal, in the database."""

import asyncio
import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Engine, Row, delete, func, insert, select, update
from sqlmodel import SQLModel

from characterbox.errors import StoryError
from characterbox.llm.endpoint import REHEARSAL, Casting, Endpoint
from characterbox.llm.journal import Reply
from characterbox.llm.request import Message
from characterbox.play.events import Event, event_adapter
from characterbox.play.script import Script
from characterbox.store.claims import Claims
from characterbox.store.tables import CallRow, EventRow, ReplyRow, StoryRow, now, table_of
from characterbox.store.writer import Write, Writer
from characterbox.values import Value

Status = Literal["running", "paused", "failed", "mismatched", "ended"]
"""Running: being played. Paused: stopped by a person. Failed: stopped by an error, which `reason` tells. Mismatched:
stopped because a record belongs to another prompt, so that a person has to choose. Ended: complete."""


class Story(Value):
    """A stored story without its events."""

    id: str
    title: str
    script: Script
    casting: Casting
    status: Status
    reason: str | None
    launched_from: Literal["app", "command line"]
    created_at: datetime


class StoryStore:
    """Reads stories on the caller's thread, and writes through one writer. It is the `Journal` of all stories."""

    def __init__(self, engine: Engine, writer: Writer, claims: Claims) -> None:
        self._engine = engine
        self._writer = writer
        self.claims = claims

    def create(self, script: Script, casting: Casting, launched_from: Literal["app", "command line"]) -> Story:
        """Store a new story, running from now on."""
        story = Story(
            id=secrets.token_hex(6),
            title=script.scene.title,
            script=script,
            casting=casting,
            status="running",
            reason=None,
            launched_from=launched_from,
            created_at=now(),
        )
        row = story.model_dump(mode="json", include={"script", "casting"})
        values = {**story.model_dump(exclude={"script", "casting"}), **row, "language": script.scene.language}
        self._writer.submit(_insert(StoryRow, values)).result()
        return story

    def story(self, id: str) -> Story:
        """The story with this id. Raises StoryError if there is none."""
        row = None
        if id.isascii() and id.isalnum():
            with self._engine.connect() as connection:
                row = connection.execute(select(_STORY).where(_STORY.c.id == id)).one_or_none()
        if row is None:
            raise StoryError(f"story {id!r}: there is none with this id in the database")
        return _story(row)

    def stories(self, status: Status | None = None, limit: int | None = None) -> list[Story]:
        """The stories, the newest first: all, or those with one status, or the first few."""
        query = select(_STORY).order_by(_STORY.c.created_at.desc()).limit(limit)
        if status is not None:
            query = query.where(_STORY.c.status == status)
        with self._engine.connect() as connection:
            return [_story(row) for row in connection.execute(query)]

    def events(self, story: str, after: int = 0) -> list[Event]:
        """The events of a story in order, from the one behind number `after`."""
        table = table_of(EventRow)
        query = select(table.c.content).where(table.c.story_id == story, table.c.seq > after).order_by(table.c.seq)
        with self._engine.connect() as connection:
            return [event_adapter.validate_python(content) for content in connection.scalars(query)]

    def count_events(self) -> dict[str, int]:
        """How many events each story has."""
        table = table_of(EventRow)
        query = select(table.c.story_id, func.max(table.c.seq)).group_by(table.c.story_id)
        with self._engine.connect() as connection:
            return dict(connection.execute(query).all())

    def move(self, story: str, status: Status, reason: str | None = None) -> None:
        """Set the status of a story."""
        change = update(_STORY).where(_STORY.c.id == story).values(status=status, reason=reason)
        self._writer.submit(lambda connection: connection.execute(change)).result()

    def recast(self, story: str, casting: Casting) -> None:
        """Set where the models of a story are reached."""
        change = update(_STORY).where(_STORY.c.id == story).values(casting=casting.model_dump(mode="json"))
        self._writer.submit(lambda connection: connection.execute(change)).result()

    async def record(self, story: str, seq: int, event: Event) -> None:
        """Store the event as number `seq` of the story; once this returns, no crash can lose it."""
        content = event.model_dump(mode="json")
        values = {"story_id": story, "seq": seq, "path": event.path, "kind": event.kind, "content": content}
        await self._write(_insert(EventRow, values))

    def forget_events(self, story: str, since: int) -> None:
        """Drop the events from number `since` on: their replies were asked for again. The journal keeps all takes."""
        table = table_of(EventRow)
        drop = delete(table).where(table.c.story_id == story, table.c.seq >= since)
        self._writer.submit(lambda connection: connection.execute(drop)).result()

    async def replies(self, story: str) -> Mapping[str, Reply]:
        """The last take of every recorded reply, by path."""
        return {reply.path: reply for reply in await asyncio.to_thread(self.journal, story)}

    def count(self) -> int:
        """How many stories there are."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(_STORY)) or 0

    def journal(self, story: str, under: str = "") -> Sequence[Reply]:
        """The recorded replies of a story whose path begins with `under`, the takes of a path in order."""
        table = table_of(ReplyRow)
        query = (
            select(table)
            .where(table.c.story_id == story, table.c.path.startswith(under, autoescape=True))
            .order_by(table.c.created_at, table.c.path, table.c.take)
        )
        with self._engine.connect() as connection:
            return [_reply(row) for row in connection.execute(query)]

    def castings(self, ids: Collection[str]) -> dict[str, Casting]:
        """The castings of these stories, by id; what is no story's id is passed over."""
        query = select(_STORY.c.id, _STORY.c.casting).where(_STORY.c.id.in_(ids))
        with self._engine.connect() as connection:
            return {id: Casting.model_validate(casting) for id, casting in connection.execute(query)}

    def rehearsed_paths(self, ids: Collection[str], prefix: str) -> set[tuple[str, str]]:
        """Story and path of each reply in these stories that the rehearsal gave, of the paths that start so."""
        table = table_of(ReplyRow)
        query = select(table.c.story_id, table.c.path).where(
            table.c.story_id.in_(ids), table.c.path.startswith(prefix, autoescape=True), table.c.url == REHEARSAL
        )
        with self._engine.connect() as connection:
            return {(row.story_id, row.path) for row in connection.execute(query)}

    async def asked(self, story: str, path: str, take: int) -> None:
        """Mark that a call is about to leave."""
        await self._write(_insert(CallRow, {"story_id": story, "path": path, "take": take, "asked_at": now()}))

    def unanswered(self, story: str) -> int:
        """How many calls left and have no reply: each was in flight at a crash, or failed, and may have been paid."""
        calls = table_of(CallRow)
        replies = table_of(ReplyRow)
        with self._engine.connect() as connection:
            asked = connection.scalar(select(func.count()).where(calls.c.story_id == story)) or 0
            answered = connection.scalar(select(func.count()).where(replies.c.story_id == story)) or 0
        return asked - answered

    async def answered(self, story: str, reply: Reply) -> None:
        """Record a reply; once this returns, no crash can lose it."""
        values = {
            "story_id": story,
            **{name: getattr(reply, name) for name in _REPLY_FIELDS},
            "url": reply.endpoint.url,
            "model": reply.endpoint.model,
            "messages": [{"role": message.role, "content": message.content} for message in reply.messages],
            "created_at": now(),
        }
        await self._write(_insert(ReplyRow, values))

    async def _write(self, write: Write) -> None:
        await asyncio.wrap_future(self._writer.submit(write))


_STORY = table_of(StoryRow)
_REPLY_FIELDS = (
    "path",
    "take",
    "digest",
    "text",
    "author",
    "attempts",
    "latency",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "finish_reason",
)


def _insert(table: type[SQLModel], values: dict[str, Any]) -> Write:
    statement = insert(table_of(table)).values(**values)
    return lambda connection: connection.execute(statement)


def _story(row: Row[Any]) -> Story:
    fields = {name: getattr(row, name) for name in Story.model_fields}
    return Story.model_validate(fields)


def _reply(row: Row[Any]) -> Reply:
    return Reply(
        **{name: getattr(row, name) for name in _REPLY_FIELDS},
        messages=tuple(Message(**message) for message in row.messages),
        endpoint=Endpoint(url=row.url, model=row.model),
    )
