"""What is written on behalf of a story by the one who holds the claim on it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete

from characterbox.llm.journal import Reply
from characterbox.play.events import Event
from characterbox.store.drafts import drop_draft
from characterbox.store.replies import ReplySink
from characterbox.store.story import Status, moving
from characterbox.store.tables import CallRow, EventRow, now, table_of
from characterbox.store.writer import Claim, Rows, Sink, Writer

_EVENT = table_of(EventRow)


@dataclass(frozen=True)
class Sinks:
    """Where the writes of all stories go together."""

    calls: Sink[Mapping[str, Any]]
    events: Sink[Mapping[str, Any]]
    replies: ReplySink

    @classmethod
    def of(cls, dialect: str) -> "Sinks":
        """The sinks of a database."""
        return cls(Rows(CallRow), Rows(EventRow), ReplySink(dialect))


class ClaimedJournal:
    """The `Journal` of a story, for the holder of a claim. Every write raises Superseded once the claim is lost.

    A write whose await is cancelled is done all the same.
    """

    def __init__(self, story: str, claim: Claim, writer: Writer, sinks: Sinks) -> None:
        self.claim = claim
        self._story = story
        self._writer = writer
        self._sinks = sinks

    async def asked(self, path: str, take: int) -> None:
        """Mark that a call is about to leave."""
        await self._put(self._sinks.calls, {"story_id": self._story, "path": path, "take": take, "asked_at": now()})

    async def answered(self, reply: Reply) -> None:
        """Record a reply; once this returns, no crash can lose it. What a person has answered is no draft any more."""
        if reply.author == "model":
            await self._put(self._sinks.replies, (self._story, reply))
            return

        def write(connection: Connection) -> None:
            self._sinks.replies.write(connection, [(self._story, reply)])
            drop_draft(connection, self._story, reply.path)

        await self._submit(write)

    async def _put(self, sink: Sink[Any], thing: Any) -> None:
        await asyncio.wrap_future(self._writer.put(sink, thing, self.claim))

    async def _submit(self, write: Callable[[Connection], object]) -> None:
        await asyncio.wrap_future(self._writer.submit(write, self.claim))


class ClaimedStory(ClaimedJournal):
    """A story in the hands of the one who plays it."""

    async def record(self, seq: int, event: Event) -> None:
        """Store the event as number `seq` of the story; once this returns, no crash can lose it."""
        content = event.model_dump(mode="json", exclude={"path", "kind"}, exclude_defaults=True)
        row = {"story_id": self._story, "seq": seq, "path": event.path, "kind": event.kind, "content": content}
        await self._put(self._sinks.events, row)

    async def forget_events(self, since: int) -> None:
        """Drop the events from number `since` on: their replies were asked for again. The journal keeps all takes."""
        drop = delete(_EVENT).where(_EVENT.c.story_id == self._story, _EVENT.c.seq >= since)
        await self._submit(lambda connection: connection.execute(drop))

    async def move(self, status: Status, reason: str | None = None) -> None:
        """Set the status of the story."""
        change = moving(self._story, status, reason)
        await self._submit(lambda connection: connection.execute(change))
