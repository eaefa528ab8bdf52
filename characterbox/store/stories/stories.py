"""Stories, their events and their journal, in the database."""

import logging
import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError
from sqlalchemy import Connection, Engine, Row, Select, func, insert, select, update

from annotations.i18n.messages import cited
from characterbox.errors import StoryError
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.journal import Reply
from characterbox.pause_reasons import Reason
from characterbox.play.events import Event, event_adapter
from characterbox.play.paths import JUDGES
from characterbox.play.world import Script
from characterbox.store.engine import portions
from characterbox.store.stories.branch_tree import check_descent
from characterbox.store.stories.call_costs import (
    ASKED,
    Of,
    StoryCosts,
    Usual,
    call_costs,
    costs_query,
    story_costs,
    total,
)
from characterbox.store.stories.claimed_writes import ClaimedJournal, ClaimedStory, Sinks, event_row
from characterbox.store.stories.claims import SCENE, Claims
from characterbox.store.stories.replies import (
    REPLY,
    ReplyMark,
    by_rehearsal,
    read_marks,
    read_replies,
    refused_options,
    replies_of,
    without_model,
)
from characterbox.store.stories.story import STORY, Branch, Status, Story, moving, story_of, story_row, unreadable
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.stories import CallRow, EventRow
from characterbox.store.writer import Writer
from characterbox.values import Language

__all__ = ["Branch", "Heading", "Status", "Story", "StoryStore"]

_CALL = table_of(CallRow)
_EVENT = table_of(EventRow)
_PATHS = 500
"""Paths that a query names."""
_LATELY = 50
"""Stories, among the newest, in which it is seen what replies usually take."""
log = logging.getLogger(__name__)


class Asked(NamedTuple):
    """The mark that a call was about to leave."""

    path: str
    take: int
    asked_at: datetime


class Heading(NamedTuple):
    """Under what a story is listed."""

    title: str
    work: str
    language: Language


class StoryStore:
    """Reads stories on the caller's thread, and writes through one writer.

    A story that can't be read is left out of what is told of many, and the log tells of it once. What belongs to the
    playing of a story is written by the holder of its claim: see `claimed`.
    """

    def __init__(self, engine: Engine, writer: Writer, claims: Claims) -> None:
        self._engine = engine
        self._writer = writer
        self._claims = claims
        self._sinks = Sinks.of(engine.dialect.name)
        self._told: set[str] = set()
        """What the log was told of stories that can't be read."""

    def create(
        self,
        script: Script,
        casting: Casting,
        launched_from: Literal["app", "command line", "sweep"],
        *,
        people: Collection[str | None] = (),
        branch: Branch | None = None,
        reply: Reply | None = None,
        id: str | None = None,
    ) -> Story:
        """Store a new story, running from now on, together with the reply that it begins with, if any.

        Without an `id` it gets one that no other story has; where there is a story with it, that one stays as it is.
        """
        story = Story(
            id=id or self.new_id(),
            title=script.scene.title,
            script=script,
            casting=casting,
            status="running",
            reason=None,
            launched_from=launched_from,
            created_at=now(),
            branch=branch,
            people=tuple(people),
        )

        def write(connection: Connection) -> None:
            storing = insert_into(STORY, self._engine.dialect.name).values(story_row(story))
            connection.execute(storing if id is None else storing.on_conflict_do_nothing(index_elements=["id"]))
            if reply is not None:
                self._sinks.replies.write(connection, [(story.id, reply)])

        self._writer.submit(write).result()
        return story

    def new_id(self) -> str:
        """An id that no story has."""
        return secrets.token_hex(6)

    def bring(self, story: Story, events: Sequence[Event], replies: Sequence[Reply], asked: Sequence[Asked]) -> None:
        """Store a story that was played elsewhere, all of it or nothing.

        Raises StoryError if one that is there was branched off it, and it off that one.
        """

        def write(connection: Connection) -> None:
            check_descent(connection, story)
            connection.execute(insert(STORY), story_row(story))
            if asked:
                connection.execute(insert(_CALL), [{"story_id": story.id, **one._asdict()} for one in asked])
            if replies:
                self._sinks.replies.write(connection, [(story.id, reply) for reply in replies])
            if events:
                connection.execute(insert(_EVENT), [event_row(story.id, seq, one) for seq, one in enumerate(events, 1)])

        self._writer.submit(write).result()

    @contextmanager
    def claimed(self, id: str) -> Iterator[ClaimedStory]:
        """Hold the claim on a story, and write on its behalf.

        Raises StoryError if another process, or another part of this one, holds it.
        """
        with self._claims.on(id) as claim:
            claimed = ClaimedStory(id, claim, self._writer, self._sinks)
            try:
                yield claimed
            finally:
                claimed.finish()

    @contextmanager
    def writing_replies(self, id: str, judge: str, under: str = JUDGES) -> Iterator[ClaimedJournal]:
        """Hold the claim on what a judge, named by its slug, is told about a story, whoever plays or judges it besides.

        `under` tells where it is filed: among the judges, or others who read stories (see `play.paths.READERS`).
        Raises StoryError if another process, or another part of this one, holds it.
        """
        with self._claims.on(f"{id}/{under}{judge}") as claim:
            claimed = ClaimedJournal(id, claim, self._writer, self._sinks)
            try:
                yield claimed
            finally:
                claimed.finish()

    @contextmanager
    def judging_scene(self, scene: str, judge: str) -> Iterator[None]:
        """Hold the claim on what a judge is asked about a scene, whatever story or crafting it is asked for.

        `scene` tells it from all that say something else (see `scene_ratings.title_of`).
        Raises StoryError if another process, or another part of this one, holds it.
        """
        with self._claims.on(f"{SCENE}{scene}, {judge}"):
            yield

    def move(
        self, id: str, status: Status, reason: Reason | None = None, *, out_of: Collection[Status] | None = None
    ) -> None:
        """Set the status of a story that nobody plays; where `out_of` is given, only if it still has one of those.

        Raises PlayedElsewhere if somebody plays it.
        """
        with self._claims.on(id) as claim:
            change = moving(id, status, reason, out_of)
            self._writer.submit(lambda connection: connection.execute(change), claim).result()

    def recast(self, id: str, casting: Casting) -> None:
        """Set by which models a story is played, and where they are reached, from the next time it is played on."""
        self._update(id, casting=casting.model_dump(mode="json"), models=casting.models)

    def set_people(self, id: str, people: Collection[str | None]) -> None:
        """Set which agents of a story a person plays; None is the narrator."""
        self._update(id, people=list(people))

    def story(self, id: str) -> Story:
        """The story with this id. Raises StoryError if there is none, or it can't be read."""
        return story_of(self._row(id, select(STORY)))

    def standing(self, id: str) -> dict[str, Any]:
        """The status of a story, its reason, and the people who play: JSON-ready, and read much quicker than the story.

        Raises StoryError if there is no such story.
        """
        return self._row(id, select(STORY.c.status, STORY.c.reason, STORY.c.people))._asdict()

    def stories(self, *statuses: Status, limit: int | None = None, but: Collection[str] = ()) -> list[Story]:
        """The stories, the newest first: all, or those with one of these statuses, or the first few.

        Those with the ids in `but` are passed over.
        """
        query = select(STORY).where(STORY.c.id.not_in(but)).order_by(STORY.c.created_at.desc()).limit(limit)
        return self._readable(query.where(STORY.c.status.in_(statuses)) if statuses else query)

    def ended(self) -> list[str]:
        """The ids of all stories that have ended, in order."""
        with self._engine.connect() as connection:
            return [*connection.scalars(select(STORY.c.id).where(STORY.c.status == "ended").order_by(STORY.c.id))]

    def branches(self, id: str) -> list[Story]:
        """The stories that were branched from this one, the oldest first."""
        of_it = STORY.c.branch["parent"].as_string() == id
        return self._readable(select(STORY).where(of_it).order_by(STORY.c.created_at))

    def count(self) -> int:
        """How many stories there are."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(STORY)) or 0

    def castings(self, ids: Collection[str]) -> dict[str, Casting]:
        """The castings of these stories, by id; what is no story's id is passed over."""
        query = select(STORY.c.id, STORY.c.casting).where(STORY.c.id.in_(ids))
        castings = {}
        with self._engine.connect() as connection:
            for id, casting in connection.execute(query):
                try:
                    castings[id] = Casting.model_validate(casting)
                except ValidationError as error:
                    self._warn(unreadable(id, error))
        return castings

    def headings(self, ids: Collection[str]) -> dict[str, Heading]:
        """Under what these stories are listed, by id."""
        query = select(STORY.c.id, STORY.c.title, STORY.c.work, STORY.c.language).where(STORY.c.id.in_(ids))
        with self._engine.connect() as connection:
            return {id: Heading(*told) for id, *told in connection.execute(query)}

    def events(self, id: str, after: int = 0) -> list[Event]:
        """The events of a story in order, from the one behind number `after`."""
        query = select(_EVENT).where(_EVENT.c.story_id == id, _EVENT.c.seq > after).order_by(_EVENT.c.seq)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [event_adapter.validate_python({**row.content, "path": row.path, "kind": row.kind}) for row in rows]

    def extent(self, id: str) -> tuple[int, int]:
        """How many events and how many replies a story has. As long as it has no more, it is the same story."""
        events = select(func.count()).where(_EVENT.c.story_id == id).scalar_subquery()
        replies = select(func.count()).where(REPLY.c.story_id == id).scalar_subquery()
        with self._engine.connect() as connection:
            return tuple(connection.execute(select(events, replies)).one())

    def replies(self, id: str, under: str = "") -> dict[str, Reply]:
        """The last take of every recorded reply whose path begins with `under`, by path."""
        return {reply.path: reply for reply in self.journal(id, under)}

    def journal(self, id: str, under: str = "") -> list[Reply]:
        """The recorded replies of a story whose path begins with `under`, the takes of a path in order."""
        with self._engine.connect() as connection:
            return read_replies(connection, replies_of(id).where(REPLY.c.path.startswith(under, autoescape=True)))

    def with_replies(self, under: str) -> list[str]:
        """The ids of all stories that have a reply whose path begins with `under`, the newest first."""
        having = select(REPLY.c.story_id).where(REPLY.c.path.startswith(under, autoescape=True))
        query = select(STORY.c.id).where(STORY.c.id.in_(having)).order_by(STORY.c.created_at.desc(), STORY.c.id)
        with self._engine.connect() as connection:
            return [*connection.scalars(query)]

    def reply_marks(self, id: str, under: str = "") -> list[ReplyMark]:
        """What is told of the same replies without their texts."""
        with self._engine.connect() as connection:
            return read_marks(connection, id, under)

    def improvised(self, samples: Collection[str]) -> frozenset[str]:
        """The ids of the stories in which no language model wrote some reply, branches of these samples included."""
        with self._engine.connect() as connection:
            return frozenset(connection.scalars(select(REPLY.c.story_id).distinct().where(without_model(samples))))

    def replies_at(self, id: str, paths: Collection[str]) -> dict[str, Reply]:
        """The last take at each of these paths, by path."""
        with self._engine.connect() as connection:
            return {
                reply.path: reply
                for portion in portions([*paths], _PATHS)
                for reply in read_replies(connection, replies_of(id).where(REPLY.c.path.in_(portion)))
            }

    def takes(self, id: str, path: str) -> list[Reply]:
        """All replies at one path, the first take first."""
        with self._engine.connect() as connection:
            return read_replies(connection, replies_of(id).where(REPLY.c.path == path))

    def reply_paths(self, ids: Collection[str], prefix: str, *, rehearsed: bool = False) -> set[tuple[str, str]]:
        """Story and path of each reply in these stories, of the paths that start so; only of those that the rehearsal
        gave if so wanted."""
        query = select(REPLY.c.story_id, REPLY.c.path).where(
            REPLY.c.story_id.in_(ids), REPLY.c.path.startswith(prefix, autoescape=True)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(by_rehearsal()) if rehearsed else query)
            return {(row.story_id, row.path) for row in rows}

    def costs(self, id: str, of: Of = "story") -> StoryCosts:
        """What a story has cost so far, without its judges, or what its judges have."""
        with self._engine.connect() as connection:
            return story_costs(connection, id, of)

    def refused(self, id: str, under: str) -> dict[str, tuple[str, ...]]:
        """The options that models do not take, by model, in the replies of a story whose paths begin with `under`."""
        where = (REPLY.c.story_id == id) & REPLY.c.path.startswith(under, autoescape=True)
        with self._engine.connect() as connection:
            return refused_options(connection, where)

    def usual(self, endpoint: Endpoint) -> Usual | None:
        """What the replies of an endpoint took in the newest stories; None if it gave none there."""
        newest = select(STORY.c.id).order_by(STORY.c.created_at.desc()).limit(_LATELY)
        theirs = (REPLY.c.url == endpoint.url) & (REPLY.c.model == endpoint.model) & ASKED
        tells = REPLY.c.completion_tokens.is_not(None)
        with self._engine.connect() as connection:
            query = costs_query(tells, where=theirs & REPLY.c.story_id.in_(newest))
            by_telling = {bool(told): costs for (told,), costs in call_costs(connection, query).items()}
        if not by_telling:
            return None
        costs, counted = total(by_telling.values()), by_telling.get(True)
        return Usual(costs.seconds / costs.calls, counted and counted.completion_tokens / counted.calls)

    def asked(self, id: str) -> list[Asked]:
        """The marks of all calls that left for a story, in order."""
        query = select(_CALL.c.path, _CALL.c.take, _CALL.c.asked_at).where(_CALL.c.story_id == id)
        with self._engine.connect() as connection:
            return [Asked(*row) for row in connection.execute(query.order_by(_CALL.c.asked_at, _CALL.c.path))]

    def unanswered(self, id: str) -> int:
        """How many calls left, the judges' included, and have no reply: in flight at a crash, or failed."""
        return self.costs(id, "all").unanswered

    def _row(self, id: str, query: Select[Any]) -> Row[Any]:
        row = None
        if id.isascii() and id.isalnum():
            with self._engine.connect() as connection:
                row = connection.execute(query.where(STORY.c.id == id)).one_or_none()
        if row is None:
            raise StoryError("there is no story {id!r} in the database", id=cited(id))
        return row

    def _readable(self, query: Select[Any]) -> list[Story]:
        """The stories of a query that can be read."""
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [story for row in rows if (story := self._read(row)) is not None]

    def _read(self, row: Row[Any]) -> Story | None:
        try:
            return story_of(row)
        except StoryError as error:
            self._warn(error)
            return None

    def _warn(self, error: StoryError) -> None:
        """Tell the log of a story that can't be read, once in the life of the store."""
        if str(error) not in self._told:
            self._told.add(str(error))
            log.warning("%s; it is left out", error)

    def _update(self, id: str, **values: object) -> None:
        change = update(STORY).where(STORY.c.id == id).values(**values)
        self._writer.submit(lambda connection: connection.execute(change)).result()
