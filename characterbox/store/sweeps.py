"""Sweeps: the plans that were run, the stories that belong to them, and what could not be done."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, delete, false, func, or_, select, true, update

from annotations.i18n.messages import cited
from characterbox.errors import StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason
from characterbox.play.paths import JUDGES
from characterbox.scenes.scene import slug_of
from characterbox.store.engine import portions
from characterbox.store.stories.call_costs import ASKED, CallCosts, call_costs, costs_query, total
from characterbox.store.stories.claims import SWEEP, Claims
from characterbox.store.stories.replies import REPLY, by_readers
from characterbox.store.stories.story import STORY
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.ratings import RatingRow
from characterbox.store.tables.stories import EventRow, SweepFailureRow, SweepRow, SweepStoryRow
from characterbox.store.writer import Writer

T = TypeVar("T")

_SWEEP, _STORY, _FAILURE = table_of(SweepRow), table_of(SweepStoryRow), table_of(SweepFailureRow)
_RATING, _EVENT = table_of(RatingRow), table_of(EventRow)
_JUDGED = (_RATING.c.rubric == "character") & (_RATING.c.kind == "judge")
"""Picks what judges gave to characters; what was tried of a judge is none."""

SweepStatus = Literal["running", "paused", "ended"]
"""Running: at work, or broken off by the end of its process. Paused: put aside by a person, or as its budget wants it.
Ended: all was tried; what failed is listed."""

_PORTION = 5000
"""Stories that are asked for at a time."""
Launched = Literal["app", "command line", "evaluation"]
"""From where something was launched: `evaluation` is a sweep that belongs to one, which goes on with it."""


class SweepHeading(NamedTuple):
    """A sweep without its plan."""

    name: str
    status: SweepStatus
    reason: Reason | None
    """Why it is paused, where no person wanted that."""
    launched_from: Launched
    created_at: datetime
    stories: int
    ended: int
    """Stories that have come to their end."""


class Task(NamedTuple):
    """What a sweep has to do: a story that is to be played, or a judgement of one."""

    story: str
    """Its id."""
    judge: str = ""
    """The rater whose judgement it is; empty where the story is to be played."""

    def __str__(self) -> str:
        return f"{self.story}/{self.judge}" if self.judge else self.story


class Failure(NamedTuple):
    """Something of a sweep that could not be done when it was tried last."""

    task: Task
    reason: Reason
    tried_at: datetime


class Missing(NamedTuple):
    """A score that a judge was asked for and has not given."""

    task: Task
    reason: Reason
    tried_at: datetime


class SweepStore:
    """Keeps sweeps by name. Who runs one holds its claim."""

    def __init__(self, engine: Engine, writer: Writer, claims: Claims) -> None:
        self._engine = engine
        self._writer = writer
        self._claims = claims

    @contextmanager
    def claimed(self, name: str) -> Iterator[None]:
        """Hold the claim on a sweep. Raises PlayedElsewhere if another process, or another part of this one, does."""
        with self._claims.on(f"{SWEEP}{name}"):
            yield

    def at_work(self, name: str) -> bool:
        """Whether some process runs a sweep of this name."""
        return not self._claims.free(f"{SWEEP}{name}")

    def put(self, name: str, content: Mapping[str, Any], launched_from: Launched) -> None:
        """Store the plan of a sweep, running from now on, in the place of the one that had this name.

        Its stories are to be added; those of the plan before belong to it no more, but stay.
        """

        def write(connection: Connection) -> None:
            values = {"content": content, "status": "running", "reason": None, "launched_from": launched_from}
            storing = insert_into(_SWEEP, self._engine.dialect.name).values(name=name, created_at=now(), **values)
            connection.execute(storing.on_conflict_do_update(index_elements=["name"], set_=values))
            connection.execute(delete(_STORY).where(_STORY.c.sweep == name))

        self._writer.submit(write).result()

    def add(self, name: str, stories: Mapping[str, int]) -> None:
        """Add stories to a sweep, by id, each with its place in the plan."""
        rows = [{"sweep": name, "story_id": id, "place": place} for id, place in stories.items()]
        if rows:
            adding = insert_into(_STORY, self._engine.dialect.name).on_conflict_do_nothing()
            self._writer.submit(lambda connection: connection.execute(adding, rows)).result()

    def rest(self, name: str, status: SweepStatus, reason: Reason | None = None) -> None:
        """Set how a sweep stands."""
        change = update(_SWEEP).where(_SWEEP.c.name == name).values(status=status, reason=reason)
        self._writer.submit(lambda connection: connection.execute(change)).result()

    def failed(self, name: str, task: Task, reason: Reason) -> None:
        """Keep why something could not be done, in place of what was known of it."""
        values = {"reason": reason, "created_at": now()}
        keeping = insert_into(_FAILURE, self._engine.dialect.name).values(
            sweep=name, story_id=task.story, judge=task.judge, **values
        )
        keeping = keeping.on_conflict_do_update(index_elements=["sweep", "story_id", "judge"], set_=values)
        self._writer.submit(lambda connection: connection.execute(keeping)).result()

    def done(self, name: str, task: Task) -> None:
        """Forget that something could not be done."""
        of_task = (_FAILURE.c.story_id == task.story) & (_FAILURE.c.judge == task.judge)
        forgetting = delete(_FAILURE).where(_FAILURE.c.sweep == name, of_task)
        self._writer.submit(lambda connection: connection.execute(forgetting)).result()

    def failures(self, name: str) -> list[Failure]:
        """What could not be done, by task."""
        query = select(_FAILURE.c.story_id, _FAILURE.c.judge, _FAILURE.c.reason, _FAILURE.c.created_at)
        query = query.where(_FAILURE.c.sweep == name).order_by(_FAILURE.c.story_id, _FAILURE.c.judge)
        with self._engine.connect() as connection:
            return [Failure(Task(story, judge), *row) for story, judge, *row in connection.execute(query)]

    def forget_failures(self, name: str, but: Collection[Task]) -> None:
        """Forget what could not be done, but these tasks: the others were done since, or belong to it no more."""
        gone = [one.task for one in self.failures(name) if one.task not in but]
        for task in gone:
            self.done(name, task)

    def content(self, name: str) -> Mapping[str, Any]:
        """The plan of a sweep. Raises StoryError if there is none of this name."""
        with self._engine.connect() as connection:
            content: Mapping[str, Any] | None = connection.scalar(select(_SWEEP.c.content).where(_SWEEP.c.name == name))
        if content is None:
            raise StoryError("there is no sweep named {name!r} in the database", name=cited(name))
        return content

    def all(self) -> list[SweepHeading]:
        """All sweeps, the newest first."""
        return self._headings(true())

    def find(self, name: str) -> SweepHeading | None:
        """The sweep of this name, if there is one."""
        return next(iter(self._headings(_SWEEP.c.name == name)), None)

    def statuses(self, ids: Sequence[str]) -> dict[str, str]:
        """The status of each of these stories that there is, by id."""
        return self._told(STORY.c.status, ids)

    def begun(self, ids: Sequence[str]) -> dict[str, datetime]:
        """When each of these stories that there is was begun, by id."""
        return self._told(STORY.c.created_at, ids)

    def _told(self, column: ColumnElement[T], ids: Sequence[str]) -> dict[str, T]:
        """What a column tells of each of these stories that there is, by id."""
        found: dict[str, T] = {}
        with self._engine.connect() as connection:
            for some in portions(ids, _PORTION):
                query = select(STORY.c.id, column).where(STORY.c.id.in_(some))
                found |= dict(iter(connection.execute(query)))
        return found

    def judged(self, ids: Sequence[str]) -> dict[Task, int]:
        """How many scores, or reasons for their absence, each judgement of these stories has."""
        query = select(_RATING.c.story_id, _RATING.c.rater, _RATING.c.item, _RATING.c.metric).distinct()
        found: dict[Task, int] = {}
        with self._engine.connect() as connection:
            for some in portions(ids, _PORTION):
                given = query.where(
                    _RATING.c.story_id.in_(some), _RATING.c.rubric == "character", _RATING.c.kind == "judge"
                ).subquery()
                counted = select(given.c.story_id, given.c.rater, func.count()).group_by(
                    given.c.story_id, given.c.rater
                )
                for story, rater, count in connection.execute(counted):
                    found[Task(story, rater)] = count
        return found

    def unread(self, ids: Sequence[str], raters: Sequence[str]) -> list[Missing]:
        """The scores that these judges have not given in these stories, as far as it was tried, in order."""
        missing, later = _RATING, _RATING.alias()
        replaced = select(later.c.id).where(
            *(later.c[name] == missing.c[name] for name in ("item", "metric", "rater", "kind")),
            later.c.id > missing.c.id,
        )
        wanted = _JUDGED & missing.c.rater.in_(raters) & missing.c.score.is_(None) & ~replaced.exists()
        columns = (missing.c[name] for name in ("story_id", "rater", "reason", "created_at"))
        query = select(*columns).where(wanted).order_by(missing.c.id)
        found: list[Missing] = []
        with self._engine.connect() as connection:
            for some in portions(ids, _PORTION):
                rows = connection.execute(query.where(missing.c.story_id.in_(some)))
                found += [Missing(Task(story, rater), *row) for story, rater, *row in rows]
        return found

    def ratings(self, name: str, raters: Sequence[str]) -> list[dict[str, Any]]:
        """What these judges have given in the stories of a sweep, and counts, in the order of its plan."""
        own = (_STORY.c.sweep == name) & (_STORY.c.story_id == _RATING.c.story_id)
        judged = _RATING.c.rater.in_(raters) & _JUDGED
        columns = _RATING.c.item, _RATING.c.metric, _RATING.c.rater
        last = select(func.max(_RATING.c.id)).where(judged).group_by(*columns)
        names = ("item", "scene", "language", "model", "rater", "rubric", "rubric_version", "metric", "score", "reason")
        query = select(
            _STORY.c.place, _STORY.c.story_id.label("story"), *(_RATING.c[column] for column in names)
        ).join_from(_STORY, _RATING, own)
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(_RATING.c.id.in_(last))).mappings().all()
        told = ({**row, "reason": row["reason"] and str(row["reason"])} for row in rows)
        return sorted(told, key=_in_plan)  # databases have orders of their own for texts

    def degraded(self, ids: Sequence[str]) -> dict[str, int]:
        """In how many events of each story a neutral outcome stands for a reply; stories without any are left out."""
        degraded = _EVENT.c.content["degraded"].as_boolean()
        counted = select(_EVENT.c.story_id, func.count()).where(degraded).group_by(_EVENT.c.story_id)
        found: dict[str, int] = {}
        with self._engine.connect() as connection:
            for some in portions(ids, _PORTION):
                found |= dict(iter(connection.execute(counted.where(_EVENT.c.story_id.in_(some)))))
        return found

    def costs(self, ids: Sequence[str], raters: Sequence[str]) -> dict[Endpoint, CallCosts]:
        """What these stories have cost, and these judges of them, by endpoint."""
        return self._costs(ids, _own(raters))

    def reading_costs(self, ids: Sequence[str], places: Sequence[str]) -> dict[Endpoint, CallCosts]:
        """What has been asked in these stories at paths that begin so, by endpoint: those of judges or narrators."""
        return self._costs(ids, _under(places))

    def _costs(self, ids: Sequence[str], which: ColumnElement[bool]) -> dict[Endpoint, CallCosts]:
        found: dict[Endpoint, list[CallCosts]] = defaultdict(list)
        with self._engine.connect() as connection:
            for some in portions(ids, _PORTION):
                query = costs_query(REPLY.c.url, REPLY.c.model, where=REPLY.c.story_id.in_(some) & which & ASKED)
                for (url, model), costs in call_costs(connection, query).items():
                    found[Endpoint(url=url, model=model)].append(costs)
        return {endpoint: total(costs) for endpoint, costs in found.items()}

    def spent(self, ids: Sequence[str], raters: Sequence[str]) -> float:
        """What these stories have cost, and these judges of them, in US dollars, as far as it is known."""
        return total(self.costs(ids, raters).values()).price

    def replies(self, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """How many replies each of these stories has: its own, and those of its judges."""
        judging = by_readers(REPLY.c.path)
        counted = select(REPLY.c.story_id, func.count().filter(~judging), func.count().filter(judging)).group_by(
            REPLY.c.story_id
        )
        found: dict[str, tuple[int, int]] = {}
        with self._engine.connect() as connection:
            for some in portions(ids, _PORTION):
                for id, own, judges in connection.execute(counted.where(REPLY.c.story_id.in_(some))):
                    found[id] = own, judges
        return found

    def _headings(self, condition: ColumnElement[bool]) -> list[SweepHeading]:
        stories = select(func.count()).where(_STORY.c.sweep == _SWEEP.c.name).scalar_subquery()
        ended = (
            select(func.count())
            .select_from(_STORY.join(STORY, STORY.c.id == _STORY.c.story_id))
            .where(_STORY.c.sweep == _SWEEP.c.name, STORY.c.status == "ended")
            .scalar_subquery()
        )
        names = ("name", "status", "reason", "launched_from", "created_at")
        query = select(*(_SWEEP.c[name] for name in names), stories.label("stories"), ended.label("ended"))
        query = query.where(condition).order_by(_SWEEP.c.created_at.desc(), _SWEEP.c.name)
        with self._engine.connect() as connection:
            return [SweepHeading(**row) for row in connection.execute(query).mappings()]


def _own(raters: Sequence[str]) -> ColumnElement[bool]:
    """Picks the replies that a story was made of, and those of its own judges."""
    return or_(~by_readers(REPLY.c.path), _under([f"{JUDGES}{slug_of(rater)}/" for rater in raters]))


def _under(places: Sequence[str]) -> ColumnElement[bool]:
    """Picks the replies at paths that begin with one of these."""
    return or_(false(), *(REPLY.c.path.startswith(place, autoescape=True) for place in places))


def _in_plan(rating: Mapping[str, Any]) -> tuple[int, str, str, str]:
    return rating["place"], rating["item"], rating["rater"], rating["metric"]
