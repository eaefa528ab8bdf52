"""Craftings: scenes that models write, each with a journal of its own, kept as that of a story is.

All else that models write so, such as the questions and answers of a role, is kept here, too; what is wished for says
by its `way` what it is.
"""

import hashlib
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Engine, Update, delete, func, insert, select, update

from annotations.i18n.messages import cited
from characterbox.accounts.account import Account
from characterbox.errors import StoryError
from characterbox.llm.journal import Reply
from characterbox.pause_reasons import Reason
from characterbox.processes.concurrency import OnEachLoop
from characterbox.store.accounts.audit_log import record
from characterbox.store.stories.claimed_writes import ClaimedJournal, Sinks
from characterbox.store.stories.claims import CRAFTING, Claims
from characterbox.store.stories.replies import ReplySink, read_without_prompts
from characterbox.store.sweeps import Launched
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.stories import CRAFTING_CALL, CRAFTING_REPLY, CraftingRow, EventRow, SourceRow
from characterbox.store.writer import Rows, Writer

CraftingStatus = Literal["running", "paused", "ended"]
"""Running: at work, or broken off by the end of its process. Paused: put aside by a person, or as an endpoint failed.
Ended: of every scene it is known whether it is accepted."""

_CRAFTING, _SOURCE = table_of(CraftingRow), table_of(SourceRow)


class Standing(NamedTuple):
    """How far a crafting has come."""

    id: str
    content: Mapping[str, Any]
    """What was wished for."""
    source: str | None
    """The digest of the text that it is crafted from."""
    status: CraftingStatus
    reason: Reason | None
    """Why it is paused, where no person wanted that."""
    launched_from: Launched
    created_at: datetime


class Head(NamedTuple):
    """A crafting without what was wished for, which may be large: as long as it is the same, so is the crafting."""

    id: str
    status: CraftingStatus
    replies: int
    last: datetime | None
    """When the last reply came."""


class ClaimedCrafting(ClaimedJournal):
    """A crafting in the hands of the one who is at work on it."""

    async def move(self, status: CraftingStatus, reason: Reason | None = None) -> None:
        """Set its status."""
        change = _moving(self._story, status, reason)
        await self._submit(lambda connection: connection.execute(change))

    def put(self, reply: Reply) -> None:
        """Record what a person wrote; comes back when no crash can lose it. Not on an event loop."""
        self._writer.submit(
            lambda connection: self._sinks.replies.write(connection, [(self._story, reply)]), self.claim
        ).result()

    def wish_for(self, content: Mapping[str, Any]) -> None:
        """Set what is wished for, as to be gone on with. Not on an event loop."""
        change = _moving(self._story, "paused", None).values(content=dict(content))
        self._writer.submit(lambda connection: connection.execute(change), self.claim).result()

    def settle(self, status: CraftingStatus) -> None:
        """Set its status. Not on an event loop."""
        change = _moving(self._story, status, None)
        self._writer.submit(lambda connection: connection.execute(change), self.claim).result()


def _moving(id: str, status: CraftingStatus, reason: Reason | None) -> Update:
    return update(_CRAFTING).where(_CRAFTING.c.id == id).values(status=status, reason=reason)


class CraftingStore:
    """Keeps craftings by id. Who is at work on one holds its claim."""

    def __init__(self, engine: Engine, writer: Writer, claims: Claims) -> None:
        self._engine = engine
        self._writer = writer
        self._claims = claims
        dialect = engine.dialect.name
        replies = ReplySink(dialect, CRAFTING_REPLY, "crafting")
        self._sinks = Sinks(Rows(CRAFTING_CALL), Rows(table_of(EventRow)), replies, OnEachLoop(), "crafting")

    def create(self, content: Mapping[str, Any], launched_from: Launched, source: tuple[str, str] | None = None) -> str:
        """Store what is wished for, with the name and the text of what it is crafted from, and give its id."""
        id, digest = secrets.token_hex(6), None
        if source is not None:
            digest = hashlib.sha256(source[1].encode()).hexdigest()
        row = {"id": id, "content": dict(content), "status": "running", "launched_from": launched_from}
        storing = insert(_CRAFTING).values(**row, source=digest, created_at=now())

        def write(connection: Connection) -> None:
            if source is not None:
                keeping = insert_into(_SOURCE, self._engine.dialect.name).on_conflict_do_nothing()
                connection.execute(keeping.values(digest=digest, name=source[0], text=source[1]))
            connection.execute(storing)

        self._writer.submit(write).result()
        return id

    def text(self, digest: str) -> str:
        """The text that something is crafted from, by its digest. Raises StoryError if there is none."""
        with self._engine.connect() as connection:
            text = connection.scalar(select(_SOURCE.c.text).where(_SOURCE.c.digest == digest))
        if text is None:
            raise StoryError("there is no source text {digest}", digest=digest)
        return str(text)

    @contextmanager
    def claimed(self, id: str) -> Iterator["ClaimedCrafting"]:
        """Hold the claim on a crafting, and write in its journal.

        Raises PlayedElsewhere if another process, or another part of this one, holds it.
        """
        with self._claims.on(f"{CRAFTING}{id}") as claim:
            claimed = ClaimedCrafting(id, claim, self._writer, self._sinks)
            try:
                yield claimed
            finally:
                claimed.finish()

    def at_work(self, id: str) -> bool:
        """Whether some process is at work on a crafting."""
        return not self._claims.free(f"{CRAFTING}{id}")

    def standing(self, id: str) -> Standing:
        """How far a crafting has come. Raises StoryError if there is none with this id."""
        for one in self._standings(_CRAFTING.c.id == id):
            return one
        raise StoryError("there is no scene generation {id}", id=cited(id))

    def all(self, ways: Collection[str]) -> list[Standing]:
        """All that are wished for in one of these ways, the newest first."""
        return self._standings(_CRAFTING.c.content["way"].as_string().in_(ways))

    def heads(self, ways: Collection[str]) -> list[Head]:
        """All that are wished for in one of these ways, the newest first, without what was wished for."""
        at = CRAFTING_REPLY.c.created_at
        query = (
            select(_CRAFTING.c.id, _CRAFTING.c.status, func.count(at), func.max(at))
            .outerjoin(CRAFTING_REPLY, CRAFTING_REPLY.c.crafting == _CRAFTING.c.id)
            .where(_CRAFTING.c.content["way"].as_string().in_(ways))
            .group_by(_CRAFTING.c.id)
            .order_by(_CRAFTING.c.created_at.desc(), _CRAFTING.c.id)
        )
        with self._engine.connect() as connection:
            return [Head(*row) for row in connection.execute(query)]

    def journal(self, id: str, known: Iterable[Reply] = ()) -> list[Reply]:
        """The recorded replies of a crafting, without their prompts, in the order in which they came.

        Of the known ones, which were read before, it is only looked whether they are there.
        """
        found = {(reply.path, reply.take): reply for reply in known}
        key = (CRAFTING_REPLY.c.path, CRAFTING_REPLY.c.take)
        whose, at = CRAFTING_REPLY.c.crafting == id, CRAFTING_REPLY.c.created_at
        with self._engine.connect() as connection:
            places = [tuple(row) for row in connection.execute(select(*key, at).where(whose).order_by(at, *key))]
            news = [came_at for path, take, came_at in places if (path, take) not in found]
            if news:
                query = select(CRAFTING_REPLY).where(whose, at >= min(news))
                found |= {(reply.path, reply.take): reply for reply in read_without_prompts(connection, query)}
        there = ((path, take) for path, take, _ in places)
        return [found[place] for place in there if place in found]  # it may be deleted between the two questions

    def unanswered(self, id: str) -> int:
        """How many calls left, the judges' included, and have no reply: in flight at a crash, or failed."""
        replies = CRAFTING_REPLY.c
        asked = select(func.count()).where(CRAFTING_CALL.c.crafting == id).scalar_subquery()
        answered = select(func.count()).where(replies.crafting == id, replies.author == "model").scalar_subquery()
        with self._engine.connect() as connection:
            return connection.scalar(select(asked - answered)) or 0

    def delete(self, actor: Account, id: str) -> None:
        """Drop a crafting with its journal, and its source if nobody else's; scenes that were accepted stay.

        Raises PlayedElsewhere if somebody is at work on it.
        """
        with self._claims.on(f"{CRAFTING}{id}"):

            def write(connection: Connection) -> None:
                for table in (CRAFTING_CALL, CRAFTING_REPLY):
                    connection.execute(delete(table).where(table.c.crafting == id))
                connection.execute(delete(_CRAFTING).where(_CRAFTING.c.id == id))
                used = select(_CRAFTING.c.source).where(_CRAFTING.c.source.is_not(None))
                connection.execute(delete(_SOURCE).where(_SOURCE.c.digest.not_in(used)))
                record(connection, actor, "crafting.deleted", id, {})

            self._writer.submit(write).result()

    def _standings(self, *which: Any) -> list[Standing]:
        query = select(_CRAFTING).where(*which).order_by(_CRAFTING.c.created_at.desc(), _CRAFTING.c.id)
        with self._engine.connect() as connection:
            return [Standing(**row._asdict()) for row in connection.execute(query)]
