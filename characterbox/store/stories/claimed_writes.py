"""What is written on behalf of a story, or of a crafting, by the one who holds the claim on it."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete

from characterbox.llm.journal import Reply
from characterbox.pause_reasons import Reason
from characterbox.play.events import Event
from characterbox.processes.concurrency import OnEachLoop
from characterbox.store.stories.answer_drafts import drop_draft
from characterbox.store.stories.replies import ReplySink
from characterbox.store.stories.story import Status, moving
from characterbox.store.tables.columns import now, table_of
from characterbox.store.tables.stories import CallRow, EventRow
from characterbox.store.writer import Claim, Rows, Sink, Writer

_EVENT = table_of(EventRow)
_LINGER = 0.01
"""Seconds that a write for which nobody waits is held back, so that it is committed together with the next one."""


@dataclass(frozen=True)
class Sinks:
    """Where the writes of all stories go together, and how it is told that they are done."""

    calls: Sink[Mapping[str, Any]]
    events: Sink[Mapping[str, Any]]
    replies: ReplySink
    told: OnEachLoop
    owner: str = "story_id"
    """The column of calls that tells whose they are."""

    @classmethod
    def of(cls, dialect: str) -> "Sinks":
        """The sinks of a database."""
        return cls(Rows(table_of(CallRow)), Rows(_EVENT), ReplySink(dialect), OnEachLoop())


class Writing(Awaitable[None]):
    """A write that was queued. Awaited, it says when no crash can lose it, or raises what it failed with."""

    def __init__(self, future: "Future[Any]", told: OnEachLoop) -> None:
        self._future = future
        self._told = told
        self._waited_for = False

    def __await__(self) -> Generator[Any, None, None]:
        self._waited_for = True
        written, here = asyncio.get_running_loop().create_future(), self._told.here()

        def tell() -> None:
            if not written.done():
                written.set_result(None)

        self._future.add_done_callback(lambda _: here.do(tell))
        yield from written
        self._future.result()

    def then(self, tell: Callable[[], None]) -> None:
        """Call `tell` on the running event loop once no crash can lose what was written; never if the write fails."""
        here = self._told.here()

        def done(future: "Future[Any]") -> None:
            if future.exception() is None:
                here.do(tell)

        self._future.add_done_callback(done)

    @property
    def done(self) -> bool:
        """Whether it was written, or has failed."""
        return self._future.done()

    def check(self) -> None:
        """Wait, not on an event loop, until it is done. Raises what it failed with if nobody else has waited for it."""
        if not self._waited_for:
            self._future.result()


class ClaimedJournal:
    """The `Journal` of a story or a crafting, for the holder of a claim.

    Every write raises Superseded once the claim is lost.

    Writes are done in the order in which they are asked for, also those that nobody waits for: what one of them failed
    with is raised by the next that somebody waits for, and at last by `finish`. A write whose await is cancelled is
    done all the same.
    """

    def __init__(self, story: str, claim: Claim, writer: Writer, sinks: Sinks) -> None:
        self.claim = claim
        self._story = story
        self._writer = writer
        self._sinks = sinks
        self._behind: deque[Writing] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def asked(self, path: str, take: int) -> None:
        """Mark that a call is about to leave. All that was written before is safe by then."""
        row = {self._sinks.owner: self._story, "path": path, "take": take, "asked_at": now()}
        writing = self._writing(self._writer.put(self._sinks.calls, row, self.claim))
        if self._timer is not None:  # what lingers goes along
            self._timer.cancel()
            self._timer = None
        await writing
        self._check()

    def answered(self, reply: Reply) -> Writing:
        """Record a reply. What a person has answered is no draft any more."""
        if reply.author == "model":
            return self._put(self._sinks.replies, (self._story, reply))

        def write(connection: Connection) -> None:
            self._sinks.replies.write(connection, [(self._story, reply)])
            drop_draft(connection, self._story, reply.path)

        return self._writing(self._writer.submit(write, self.claim))

    def finish(self) -> None:
        """Wait, not on an event loop, until all is written. Raises what a write failed with that nobody waited for."""
        self._writer.hurry()
        while self._behind:
            self._behind.popleft().check()

    def _put(self, sink: Sink[Any], thing: Any) -> Writing:
        self._behind.append(writing := self._writing(self._writer.put(sink, thing, self.claim, lingers=True)))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_LINGER, self._hurry)
        return writing

    def _hurry(self) -> None:
        self._timer = None
        self._writer.hurry()

    async def _submit(self, write: Callable[[Connection], object]) -> None:
        await self._writing(self._writer.submit(write, self.claim))
        self._check()

    def _writing(self, future: "Future[Any]") -> Writing:
        return Writing(future, self._sinks.told)

    def _check(self) -> None:
        while self._behind and self._behind[0].done:
            self._behind.popleft().check()


class ClaimedStory(ClaimedJournal):
    """A story in the hands of the one who plays it."""

    def record(self, seq: int, event: Event) -> Writing:
        """Store the event as number `seq` of the story."""
        return self._put(self._sinks.events, event_row(self._story, seq, event))

    async def forget_events(self, since: int) -> None:
        """Drop the events from number `since` on: their replies were asked for again. The journal keeps all takes."""
        drop = delete(_EVENT).where(_EVENT.c.story_id == self._story, _EVENT.c.seq >= since)
        await self._submit(lambda connection: connection.execute(drop))

    async def move(self, status: Status, reason: Reason | None = None) -> None:
        """Set the status of the story."""
        change = moving(self._story, status, reason)
        await self._submit(lambda connection: connection.execute(change))


def event_row(story: str, seq: int, event: Event) -> dict[str, Any]:
    """An event as number `seq` of a story, as a row."""
    content = event.model_dump(mode="json", exclude={"path", "kind"}, exclude_defaults=True)
    return {"story_id": story, "seq": seq, "path": event.path, "kind": event.kind, "content": content}
