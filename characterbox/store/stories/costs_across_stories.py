"""What many stories have cost: the sums of their journals by who was asked, and the calls behind them one by one."""

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, and_, case, func, or_, select

from annotations.rubrics.rubric import bundled_rubrics, load_rubric
from characterbox.llm.embeddings import EMBEDDINGS
from characterbox.llm.endpoint import is_modelless
from characterbox.llm.request import AGAIN
from characterbox.play.paths import CHECKS, JUDGES, NARRATED, REFLECTIONS, asked_at
from characterbox.scenes.scene import slug_of
from characterbox.store.engine import portions
from characterbox.store.stories.call_costs import CallCosts, call_costs, costs_query, total
from characterbox.store.stories.replies import REPLY, options_in
from characterbox.store.stories.story import STORY, Status, rounds_played
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.stories import SweepStoryRow

_SWEEP_STORY = table_of(SweepStoryRow)
OnProgress = Callable[[int, int], None]
"""Takes how many stories are summed, of how many."""
_PORTION = 500
"""Stories that are read at a time."""
_ONE_METRIC = "scores/"
"""What the step begins with at which a judge is asked for the score on one metric."""


class Model(NamedTuple):
    """Who replied."""

    name: str
    improvised: bool
    """Whether no language model is behind it."""


class Part(NamedTuple):
    """What was asked of one agent, or of all characters."""

    spent: CallCosts
    models: frozenset[Model]
    """Those that were asked for this story."""


class Judging(NamedTuple):
    """What one judge was asked about one part of a story."""

    judge: str
    """Its slug."""
    of: str
    """The slug of the character whose trajectory it is; a judge can be asked about something else, too."""
    scored: bool
    """Whether there are replies with scores on all metrics: a judging that was broken off lacks some."""
    part: Part


@dataclass(frozen=True, slots=True)
class StorySpent:
    """What a story has cost, judges and all."""

    id: str
    status: Status
    scene: str
    """As ratings name it."""
    language: str
    rounds: int
    """Those that were played, the last of them perhaps in part."""
    cast: tuple[str, ...]
    """The slugs of its characters."""
    narrator: Part
    characters: Part
    embeddings: Part
    """What the embedding model was asked, by whose vectors the characters recall."""
    checks: Part
    """What second narrators were asked, to be compared with the first."""
    reflections: Part
    """What models were asked that rewrite their own parts."""
    judgings: tuple[Judging, ...]


class Call(NamedTuple):
    """One recorded reply without its text."""

    story: str
    scene: str
    language: str
    rounds: int
    """Those that were played, the last of them perhaps in part."""
    planned_rounds: int
    """A story that may conclude can end earlier."""
    status: str
    path: str
    take: int
    role: str
    """narrator, second narrator, character, reflection, embedding model or judge."""
    agent: str
    """The character's name, or the slug of the judge or second narrator; empty for the others."""
    model: str
    improvised: bool
    refused: str
    """The options that shape a reply, and that the model does not take, with spaces between."""
    author: str
    origin: str | None
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    price: float | None
    attempts: int
    latency: float


_AS_THEY_ARE = Call._fields[Call._fields.index("author") :]
_Group = tuple[str, str, CallCosts]
"""The URL and the model of an endpoint, and what its replies took."""


class _State(NamedTuple):
    """What changes whenever the sums of a story do: replies are only ever added."""

    status: Status
    created_at: datetime
    """A story of a sweep that was deleted, and is played again, has the same id."""
    replies: int


class SpendingStore:
    """Sums journals. A story is summed again only when its journal has grown: to sum 2,000 stories, of 176,000 replies,
    takes two seconds, and a page does at each click."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, tuple[_State, StorySpent]] = {}
        self._lock = threading.Lock()

    def spending(
        self, sweep: str | None = None, language: str | None = None, on_progress: OnProgress | None = None
    ) -> list[StorySpent]:
        """What the stories of a sweep, or of one language, or all of them have cost, in the order of the sweep.

        `on_progress` is told how far it is where many have to be summed; what it raises ends the summing.
        """
        with self._lock, self._engine.connect() as connection:
            stories = connection.execute(_scope(sweep, language)).all()
            counted = select(REPLY.c.story_id, func.count()).group_by(REPLY.c.story_id)
            counts: dict[str, int] = dict(connection.execute(counted).all())
            state = {one.id: _State(one.status, one.created_at, counts.get(one.id, 0)) for one in stories}
            self._sum(connection, state, on_progress)
            return [self._known[id][1] for id in state if id in self._known]

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
        changed = [id for id, now in state.items() if id not in self._known or self._known[id][0] != now]
        for done, portion in enumerate(portions(changed, _PORTION)):
            if on_progress is not None:
                on_progress(done * _PORTION, len(changed))
            groups: dict[str, dict[str, list[_Group]]] = defaultdict(lambda: defaultdict(list))
            for (story, who, *endpoint), costs in call_costs(connection, _by_who(portion)).items():
                groups[story][who].append((*endpoint, costs))
            for row in connection.execute(_told(portion)):
                self._known[row.id] = state[row.id], _spent(row, groups[row.id])


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


def _by_who(ids: Collection[str]) -> Select[Any]:
    """The costs by story and by who was asked: the narrator, second narrators, the characters, models that rewrite
    their parts, the embedding model, a judge at each path."""
    who = case(
        (REPLY.c.path.startswith(JUDGES), REPLY.c.path),
        (REPLY.c.path.startswith(CHECKS), "checks"),
        (REPLY.c.path.startswith(REFLECTIONS), "reflections"),
        (REPLY.c.path.startswith(EMBEDDINGS), "embeddings"),
        (_by_narrator(), "narrator"),
        else_="characters",
    ).label("who")
    return costs_query(REPLY.c.story_id, who, REPLY.c.url, REPLY.c.model, where=REPLY.c.story_id.in_(ids))


def _replies(ids: Collection[str]) -> Select[Any]:
    columns = (REPLY.c[name] for name in ("story_id", "path", "take", "url", "model", "dropped", *_AS_THEY_ARE))
    return select(*columns).where(REPLY.c.story_id.in_(ids))


def _spent(story: Row[Any], of: dict[str, list[_Group]]) -> StorySpent:
    whole = ("narrator", "characters", "embeddings", "checks", "reflections")
    narrator, characters, embeddings, checks, reflections = (_part(of.pop(who, ())) for who in whole)
    return StorySpent(
        id=story.id,
        status=story.status,
        scene=_scene(story),
        language=story.language,
        rounds=story.rounds,
        cast=tuple(_cast(story)),
        narrator=narrator,
        characters=characters,
        embeddings=embeddings,
        checks=checks,
        reflections=reflections,
        judgings=tuple(_judgings(of)),
    )


def _judgings(of: Mapping[str, Sequence[_Group]]) -> Iterator[Judging]:
    """What was asked at the paths of judges, `judge/<judge>/<character>/<step>`, together by judge and character."""
    groups: dict[tuple[str, str], list[_Group]] = defaultdict(list)
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


def _part(groups: Sequence[_Group]) -> Part:
    models = frozenset(Model(model, is_modelless(url, model)) for url, model, costs in groups if costs.calls)
    return Part(total(costs for *_, costs in groups), models)


def _calls(story: Row[Any], replies: Sequence[Row[Any]]) -> Iterator[Call]:
    cast = _cast(story)
    told = (story.id, _scene(story), story.language, story.rounds, story.planned_rounds, story.status)
    for _, *reply in sorted(map(tuple, replies)):
        path, take, url, model, left_out, *rest = reply
        refused = " ".join(options_in(left_out))
        yield Call(*told, path, take, *_whose(path, cast), model, is_modelless(url, model), refused, *rest)


def _whose(path: str, cast: Mapping[str, str]) -> tuple[str, str]:
    """The role and the name of the one who is asked at a path."""
    if path.startswith(JUDGES):
        return "judge", path.split("/")[1]
    if path.startswith(CHECKS):
        return "second narrator", path.split("/")[1]
    if path.startswith(REFLECTIONS):
        return "reflection", path.split("/")[1]
    if path.startswith(EMBEDDINGS):
        return "embedding model", ""
    slug = asked_at(path)
    return ("narrator", "") if slug is None else ("character", cast.get(slug, slug))


def _cast(story: Row[Any]) -> dict[str, str]:
    """The names of the characters by their slugs."""
    return {slug_of(name): name for name in story.casting["characters"]}


def _scene(story: Row[Any]) -> str:
    return f"{story.work}: {story.scene}"
