"""How far a sweep is by what is stored, and what it would take from there before anything is asked."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from annotations.rubrics.rubric import load_rubric
from characterbox.judging.judge import Judge, as_known
from characterbox.judging.subject import JudgeRubric, Questions, works_of
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.llm.usage import estimate
from characterbox.pause_reasons import Reason, several
from characterbox.play.events import Event
from characterbox.scenes.scene import Scene
from characterbox.stage.forecast import REHEARSED, Load, loads, rehearsed_events, reply_tokens, waiting
from characterbox.store import Store
from characterbox.store.sweeps import Failure, Task
from characterbox.sweeps.sweep import Cell, Sweep, cells_of

AT_ONCE = 64
"""Stories that are played or judged side by side; how many calls are is said by servers and the sweep."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sweep is."""

    stories: int
    played: int
    """Stories that have ended."""
    judgements: int
    """Stories times judges."""
    judged: int
    """Those with a score on every metric."""
    unread: int
    """Judgements that came to their end with scores missing; they are asked for again on purpose only."""
    failed: int
    """Stories and judgements that could not be done, those with scores missing among them: this time while it runs,
    else when they were tried last."""
    calls: int
    """Replies that came since it was started or resumed."""
    spent: float
    """US dollars in all, as far as prices are known."""

    @property
    def made(self) -> int:
        """Judgements that came to their end."""
        return self.judged + self.unread

    @property
    def done(self) -> bool:
        """Whether all of it is played, and judged as far as the judges could be read."""
        return self.played == self.stories and self.made == self.judgements


@dataclass(frozen=True, slots=True)
class Plan:
    """What is there of a sweep, and what is missing."""

    progress: Progress
    calls: int
    """Those that are still to be made; so with what follows."""
    prompt_tokens: int
    completion_tokens: int
    price: float | None
    """US dollars; None when the price of a model is not known."""
    unpriced: Sequence[Endpoint]
    """What is to be asked at a price that is not known."""
    seconds: float | None
    """Where each address is asked as much side by side as it may be; None where it is not known how long it takes."""


def standing(store: Store, sweep: Sweep, cells: Sequence[Cell]) -> Progress:
    """How far a sweep with these cells is; no calls are counted."""
    ids = [cell.id for cell in cells]
    there = store.sweeps.statuses(ids)
    judges = known_of(store, sweep)
    judged, failures = judged_by(store, cells, judges, there), failures_of(store, sweep, cells)
    unread = judged & unread_by(store, judges, there).keys()
    return Progress(
        stories=len(cells),
        played=sum(status == "ended" for status in there.values()),
        judgements=len(cells) * len(sweep.judges),
        judged=len(judged) - len(unread),
        unread=len(unread),
        failed=len(failures),
        calls=0,
        spent=store.sweeps.spent(ids, [judge.rater for judge in judges]),
    )


def plan(store: Store, client: Client, sweep: Sweep, on_story: Callable[[int], None] = lambda _: None) -> Plan:
    """What a sweep would take. Not to be called where an event loop runs: scenes are rehearsed for it.

    That takes a while with many scenes; `on_story` is told how many stories are looked at.
    """
    missing = Missing(store, sweep.endpoints, sweep.parallel)
    add_missing(missing, store, sweep, on_story)
    return missing.plan(client, standing(store, sweep, [*cells_of(sweep)]))


def add_missing(
    missing: "Missing", store: Store, sweep: Sweep, on_story: Callable[[int], None] = lambda _: None
) -> None:
    """Add all that is missing of a sweep; see `plan`."""
    cells, judges = [*cells_of(sweep)], known_of(store, sweep)
    ids = [cell.id for cell in cells]
    there, replies = store.sweeps.statuses(ids), store.sweeps.replies(ids)
    judged, raters = judged_by(store, cells, judges, there), {judge.name: judge.rater for judge in judges}
    for cell in cells:
        if there.get(cell.id) != "ended":
            missing.add_story(cell, replies.get(cell.id, (0, 0))[0])
        for judge in sweep.judges:
            if judge.name not in raters or Task(cell.id, raters[judge.name]) not in judged:
                missing.add_judgement(judge, cell.scene, sweep.rounds)
        on_story(cell.place)


class Missing:
    """What is to be asked of each endpoint, and how long that takes."""

    def __init__(
        self, store: Store, endpoints: Iterable[Endpoint], parallel: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        """`endpoints` are all that may be asked; `parallel` tells how many calls may be under way at an address."""
        self._asked: dict[Endpoint, Load] = {}
        self._store = store
        self._parallel = parallel
        self._usual = {endpoint: store.stories.usual(endpoint) for endpoint in {*endpoints}}
        self._judging: dict[tuple[str, str, int, JudgeRubric], Load] = {}
        """What a judge is asked about a story of a scene, by the judge's name, the scene, the rounds and the rubric."""
        self._longest: float | None = 0.0

    def plan(self, client: Client, progress: Progress) -> Plan:
        """All of it with its price, beside what is there."""
        prices = {
            one: client.price(one, load.prompt_tokens, load.completion_tokens) for one, load in self._asked.items()
        }
        whole = sum(self._asked.values(), Load())
        return Plan(
            progress=progress,
            calls=whole.calls,
            prompt_tokens=whole.prompt_tokens,
            completion_tokens=whole.completion_tokens,
            price=None if None in prices.values() else sum(price for price in prices.values() if price is not None),
            unpriced=[one for one, price in prices.items() if price is None],
            seconds=self._seconds(),
        )

    def add_story(self, cell: Cell, replies: int) -> None:
        """Of a story that was begun, what is left, as much of each kind as was done."""
        whole = loads(cell.script, cell.casting, self._usual)
        left = max(0.0, 1 - replies / sum(load.calls for load in whole.values()))
        for endpoint, load in whole.items():
            tokens = round(load.prompt_tokens * left), round(load.completion_tokens * left)
            self.add(endpoint, Load(round(load.calls * left), *tokens))
        takes = waiting(cell.script, cell.casting, self._usual)
        self._longest = None if takes is None or self._longest is None else max(self._longest, takes * left)

    def add_judgement(self, judge: Judge, scene: Scene, rounds: int, of: JudgeRubric = "character") -> None:
        """What a judge is asked about a story of a scene, as if the rehearsal had played it."""
        key = (judge.name, scene.model_dump_json(), rounds, of)
        if key not in self._judging:
            rehearsed = min(rounds, REHEARSED)
            found = self.judging(judge, scene, rehearsed_events(scene, rehearsed), of)
            self._judging[key] = replace(found, prompt_tokens=round(found.prompt_tokens * rounds / rehearsed))
        self.add(judge.endpoint, self._judging[key])

    def judging(self, judge: Judge, scene: Scene, events: Sequence[Event], of: JudgeRubric = "character") -> Load:
        """What a judge is asked about a story of a scene in which this happens."""
        tokens, rubric = self.reply_tokens(judge.endpoint), load_rubric(of)
        found = Load()
        for work in works_of(scene, events, of):
            questions = Questions(work, judge.protocol, rubric, rubric.keys)
            critique = None
            if judge.protocol.manner == "critique":
                critique = "x" * 4 * tokens
                found += Load(1, estimate(questions.critique()), tokens)
            for keys in judge.protocol.asked_together(rubric.keys):
                found += Load(1, estimate(questions.scores(keys, critique)), tokens)
        return found

    def reply_tokens(self, endpoint: Endpoint) -> int:
        """Tokens of a reply of an endpoint, as they usually are."""
        return round(reply_tokens(self._usual[endpoint]))

    def add(self, endpoint: Endpoint, load: Load) -> None:
        """What an endpoint is asked besides."""
        if load.calls:
            self._asked[endpoint] = self._asked.get(endpoint, Load()) + load

    def _seconds(self) -> float | None:
        """How long all of it takes."""
        spans: dict[str, float] = defaultdict(float)
        for endpoint, load in self._asked.items():
            if (usual := self._usual[endpoint]) is None:
                return None
            server = self._store.servers.find(endpoint.url) or Server.unregistered(endpoint.url)
            at_once = min(AT_ONCE, server.parallel, self._parallel.get(endpoint.url, AT_ONCE))
            spans[endpoint.url] += load.calls * usual.latency / at_once
        return None if self._longest is None else max([self._longest, *spans.values()])


def known_of(store: Store, sweep: Sweep) -> list[Judge]:
    """The judges of a sweep that have judged anything yet, each with its version."""
    found = (as_known(store, judge) for judge in sweep.judges)
    return [judge for judge in found if judge is not None]


def judged_by(store: Store, cells: Iterable[Cell], judges: Sequence[Judge], there: Collection[str]) -> set[Task]:
    """The judgements, of stories that are there, that have every score, or the reason why there is none."""
    given, metrics = store.sweeps.judged([*there]), len(load_rubric().keys)
    return {
        task
        for cell in cells
        for task in (Task(cell.id, judge.rater) for judge in judges)
        if given.get(task, 0) >= len(cell.scene.names) * metrics
    }


def unread_by(store: Store, judges: Iterable[Judge], there: Collection[str]) -> dict[Task, Failure]:
    """The judgements, of stories that are there, in which scores are missing, and why."""
    reasons: dict[Task, dict[Reason, None]] = {}
    tried = {}
    for one in store.sweeps.unread([*there], [judge.rater for judge in judges]):
        reasons.setdefault(one.task, {})[one.reason] = None
        tried[one.task] = one.tried_at
    return {
        task: Failure(task, Reason("scores_unread", detail=several(why)), tried[task]) for task, why in reasons.items()
    }


def failures_of(store: Store, sweep: Sweep, cells: Iterable[Cell]) -> list[Failure]:
    """What could not be done of a sweep with these cells, and the judgements with scores missing, by task."""
    unread = unread_by(store, known_of(store, sweep), [cell.id for cell in cells]).values()
    found = {one.task: one for one in (*unread, *store.sweeps.failures(sweep.name))}
    return [found[task] for task in sorted(found)]
