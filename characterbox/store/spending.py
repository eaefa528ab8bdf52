"""What many stories have cost: the sums of their journals by who was asked, and the calls behind them one by one."""

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, and_, case, func, or_, select

from annotations.rubric import bundled_rubrics, load_rubric
from characterbox.llm.endpoint import is_modelless
from characterbox.llm.request import AGAIN
from characterbox.play.paths import NARRATED, asked_at
from characterbox.scenes.scene import slug_of
from characterbox.store.costs import CHECKS, JUDGES
from characterbox.store.portions import portions
from characterbox.store.replies import REPLY
from characterbox.store.spent import NOTHING, Call, Judging, Model, Part, Spending, Spent, StorySpent, total
from characterbox.store.story import STORY, Status, rounds_played
from characterbox.store.tables import SweepStoryRow, table_of

_SWEEP_STORY = table_of(SweepStoryRow)
OnProgress = Callable[[int, int], None]
"""Takes how many stories are summed, of how many."""
_PORTION = 500
"""Stories that are read at a time."""
_ONE_METRIC = "scores/"
"""What the step begins with at which a judge is asked for the score on one metric."""
_SCOPES = 8
"""Scopes that are kept at hand."""
_AS_THEY_ARE = Call._fields[Call._fields.index("author") :]


class _State(NamedTuple):
    """What changes whenever the sums of a story do: replies are only ever added."""

    status: Status
    created_at: datetime
    """A story of a sweep that was deleted, and is played again, has the same id."""
    replies: int


@dataclass(frozen=True, slots=True)
class _Known:
    state: _State
    """In which the story was summed."""
    spent: StorySpent


class SpendingStore:
    """Sums journals. What it has summed it keeps, and sums a story again only when its journal has grown."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, _Known] = {}
        self._kept: dict[tuple[str | None, str | None], tuple[object, Spending]] = {}
        self._lock = threading.Lock()

    def spending(
        self, sweep: str | None = None, language: str | None = None, on_progress: OnProgress | None = None
    ) -> Spending:
        """What the stories of a sweep, or of one language, or all of them have cost, in the order of the sweep.

        `on_progress` is told how far it is where many have to be summed; what it raises ends the summing.
        """
        with self._lock, self._engine.connect() as connection:
            stories = connection.execute(_scope(sweep, language)).all()
            counted = select(REPLY.c.story_id, func.count()).group_by(REPLY.c.story_id)
            counts: dict[str, int] = dict(connection.execute(counted).all())
            state = {one.id: _State(one.status, one.created_at, counts.get(one.id, 0)) for one in stories}
            in_order = [*state.items()]
            state_before, spending = self._kept.pop((sweep, language), (None, Spending(())))
            if in_order != state_before:
                self._sum(connection, state, on_progress)
                spending = Spending(tuple(self._known[id].spent for id in state if id in self._known))
            self._kept[sweep, language] = in_order, spending
            while len(self._kept) > _SCOPES:
                del self._kept[next(iter(self._kept))]
            return spending

    def calls(self, sweep: str | None = None, language: str | None = None) -> Iterator[Call]:
        """Every reply of these stories, by story, path and take; read in portions, and no transaction is held open."""
        with self._engine.connect() as connection:
            ids = [story.id for story in connection.execute(_scope(sweep, language))]
        for portion in portions(ids, _PORTION):
            replies: dict[str, list[Row[Any]]] = defaultdict(list)
            with self._engine.connect() as connection:
                stories = {row.id: row for row in connection.execute(_told(portion))}
                for row in connection.execute(_replies(portion)):
                    replies[row.story_id].append(row)
            for id in portion:
                if (story := stories.get(id)) is not None:
                    yield from _calls(story, replies[id])

    def _sum(self, connection: Connection, state: Mapping[str, _State], on_progress: OnProgress | None) -> None:
        changed = {id: now for id, now in state.items() if not self._is_known(id, now)}
        for done, portion in enumerate(portions([*changed], _PORTION)):
            if on_progress is not None:
                on_progress(done * _PORTION, len(changed))
            groups: dict[str, list[Row[Any]]] = defaultdict(list)
            for group in connection.execute(_sums(portion)):
                groups[group.story_id].append(group)
            for story in connection.execute(_told(portion)):
                self._known[story.id] = _Known(changed[story.id], _spent(story, groups[story.id]))

    def _is_known(self, id: str, state: _State) -> bool:
        known = self._known.get(id)
        return known is not None and known.state == state


def _scope(sweep: str | None, language: str | None) -> Select[Any]:
    query = select(STORY.c.id, STORY.c.status, STORY.c.created_at)
    if sweep is None:
        query = query.order_by(STORY.c.created_at, STORY.c.id)
    else:
        of_it = and_(_SWEEP_STORY.c.story_id == STORY.c.id, _SWEEP_STORY.c.sweep == sweep)
        query = query.join(_SWEEP_STORY, of_it).order_by(_SWEEP_STORY.c.place, STORY.c.id)
    return query if language is None else query.where(STORY.c.language == language)


def _told(ids: Collection[str]) -> Select[Any]:
    """What is told of stories besides their costs; of the script, which can be long, no more than is needed."""
    rounds = rounds_played().label("rounds"), STORY.c.script["rounds"].as_integer().label("planned_rounds")
    names = ("id", "status", "language", "work", "scene", "casting")
    return select(*(STORY.c[name] for name in names), *rounds).where(STORY.c.id.in_(ids))


def _by_narrator() -> ColumnElement[bool]:
    """Whether a reply is the narrator's: as `asked_at` tells, whatever the characters are called."""
    steps = [REPLY.c.path.like(f"r%/%/{step}") for step in NARRATED]
    about = [REPLY.c.path.like(f"r%/%/{step}/%") for step in NARRATED]
    reaction = and_(REPLY.c.path.like("r%/%/reaction/%"), REPLY.c.path.not_like(f"r%/%/update/reaction{AGAIN}"))
    return and_(or_(*steps, *about), ~reaction)


def _sums(ids: Collection[str]) -> Select[Any]:
    """The sums by story and by who was asked: the narrator, second narrators, the characters, a judge at each path."""
    who = case(
        (REPLY.c.path.startswith(JUDGES), REPLY.c.path),
        (REPLY.c.path.startswith(CHECKS), "checks"),
        (_by_narrator(), "narrator"),
        else_="characters",
    ).label("who")
    reused = REPLY.c.origin.is_not(None).label("reused")
    by = (REPLY.c.story_id, who, REPLY.c.url, REPLY.c.model, REPLY.c.author, reused)
    uncounted = case((REPLY.c.prompt_tokens.is_(None) | REPLY.c.completion_tokens.is_(None), 1), else_=0)
    return (
        select(
            *by,
            func.count().label("replies"),
            *(
                func.coalesce(func.sum(REPLY.c[name]), 0).label(name)
                for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "price", "latency")
            ),
            func.sum(uncounted).label("uncounted"),
            func.count(REPLY.c.cached_tokens).label("cache_told"),
            func.count(REPLY.c.price).label("priced"),
            func.sum(REPLY.c.attempts - 1).label("retries"),
        )
        .where(REPLY.c.story_id.in_(ids))
        .group_by(*by)
    )


def _replies(ids: Collection[str]) -> Select[Any]:
    columns = (REPLY.c[name] for name in ("story_id", "path", "take", "url", "model", *_AS_THEY_ARE))
    return select(*columns).where(REPLY.c.story_id.in_(ids))


def _spent(story: Row[Any], groups: Iterable[Row[Any]]) -> StorySpent:
    of: dict[str, list[Row[Any]]] = defaultdict(list)
    for group in groups:
        of[group.who].append(group)
    narrator, characters, checks = (_part(of.pop(who, ())) for who in ("narrator", "characters", "checks"))
    return StorySpent(
        id=story.id,
        status=story.status,
        scene=_scene(story),
        language=story.language,
        rounds=story.rounds,
        cast=tuple(_cast(story)),
        narrator=narrator,
        characters=characters,
        checks=checks,
        judgings=tuple(_judgings(of)),
    )


def _judgings(of: Mapping[str, Iterable[Row[Any]]]) -> Iterator[Judging]:
    """What was asked at the paths of judges, `judge/<judge>/<character>/<step>`, together by judge and character."""
    groups: dict[tuple[str, str], list[Row[Any]]] = defaultdict(list)
    steps: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in sorted(of):
        _, judge, character, step = f"{path}///".split("/", 3)
        groups[judge, character] += of[path]
        steps[judge, character].add(step.strip("/"))
    for key, found in groups.items():
        yield Judging(*key, _is_scored(steps[key]), _part(found))


def _is_scored(steps: Collection[str]) -> bool:
    """Whether there are scores on all metrics of a rubric: in one reply, or in one for each metric."""
    keys = {step.split("/")[1] for step in steps if step.startswith(_ONE_METRIC)}  # not what was asked again
    return "scores" in steps or keys in _metrics()


@cache
def _metrics() -> Collection[set[str]]:
    """The metrics of each bundled rubric."""
    return [{*load_rubric(name).keys} for name in bundled_rubrics()]


def _part(groups: Iterable[Row[Any]]) -> Part:
    """The sums of the groups, of which each has one model, one kind of author, and is reused or not."""
    parts, models = [], set()
    for group in groups:
        if group.reused or group.author != "model":
            kind = "reused" if group.reused else "by_people"
            parts.append(NOTHING._replace(**{kind: group.replies}))
            continue
        improvised = is_modelless(group.url, group.model)
        models.add(Model(group.model, improvised))
        parts.append(
            Spent(
                calls=group.replies,
                prompt_tokens=group.prompt_tokens,
                completion_tokens=group.completion_tokens,
                uncounted=group.uncounted,
                cached_tokens=group.cached_tokens,
                cache_told=group.cache_told,
                price=group.price,
                unpriced=group.replies - group.priced,
                seconds=group.latency,
                retries=group.retries,
                reused=0,
                by_people=0,
                improvised=group.replies if improvised else 0,
            )
        )
    return Part(parts[0] if len(parts) == 1 else total(parts), frozenset(models))


def _calls(story: Row[Any], replies: Iterable[Row[Any]]) -> Iterator[Call]:
    cast = _cast(story)
    told = (story.id, _scene(story), story.language, story.rounds, story.planned_rounds, story.status)
    for _, *reply in sorted(map(tuple, replies)):
        path, take, url, model, *rest = reply
        yield Call(*told, path, take, *_whose(path, cast), model, is_modelless(url, model), *rest)


def _whose(path: str, cast: Mapping[str, str]) -> tuple[str, str]:
    """The role and the name of the one who is asked at a path."""
    if path.startswith(JUDGES):
        return "judge", path.split("/")[1]
    if path.startswith(CHECKS):
        return "second narrator", path.split("/")[1]
    slug = asked_at(path)
    return ("narrator", "") if slug is None else ("character", cast.get(slug, slug))


def _cast(story: Row[Any]) -> dict[str, str]:
    """The names of the characters by their slugs."""
    return {slug_of(name): name for name in story.casting["characters"]}


def _scene(story: Row[Any]) -> str:
    return f"{story.work}: {story.scene}"
