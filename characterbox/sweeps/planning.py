"""What a sweep would take from where it stands: stories, calls, tokens, price and time, before anything is asked."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotations.rubric import load_rubric
from characterbox.judging.judge import Judge
from characterbox.judging.questions import Questions
from characterbox.judging.registry import as_known
from characterbox.judging.work import Part
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.llm.usage import estimate
from characterbox.scenes.scene import Scene
from characterbox.stage.forecast import REHEARSED, Load, loads, rehearsed_events, reply_tokens, waiting
from characterbox.store import Store
from characterbox.sweeps.cells import Cell, cells_of
from characterbox.sweeps.running import AT_ONCE
from characterbox.sweeps.sweep import Sweep


@dataclass(frozen=True, slots=True)
class Plan:
    """What is there of a sweep, and what is missing."""

    stories: int
    played: int
    judgements: int
    """Stories times judges."""
    judged: int
    spent: float
    """US dollars that it has cost, as far as it is known."""
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


def plan(store: Store, client: Client, sweep: Sweep, on_story: Callable[[int], None] = lambda _: None) -> Plan:
    """What a sweep would take. Not to be called where an event loop runs: scenes are rehearsed for it.

    That takes a while with many scenes; `on_story` is told how many stories are reckoned.
    """
    reckoning = _Reckoning(store, sweep)
    for cell in reckoning.cells:
        reckoning.add(cell)
        on_story(cell.place)
    asked = reckoning.asked
    prices = {one: client.price(one, load.prompt_tokens, load.completion_tokens) for one, load in asked.items()}
    known = [price for price in prices.values() if price is not None]
    return Plan(
        stories=sweep.size,
        played=reckoning.played,
        judgements=sweep.size * len(sweep.judges),
        judged=reckoning.judged,
        spent=store.sweeps.spent([cell.id for cell in reckoning.cells], [*reckoning.raters.values()]),
        calls=sum(load.calls for load in asked.values()),
        prompt_tokens=sum(load.prompt_tokens for load in asked.values()),
        completion_tokens=sum(load.completion_tokens for load in asked.values()),
        price=sum(known) if len(known) == len(prices) else None,
        unpriced=[one for one, price in prices.items() if price is None],
        seconds=reckoning.seconds(),
    )


class _Reckoning:
    """Adds up what is missing."""

    def __init__(self, store: Store, sweep: Sweep) -> None:
        self.cells = [*cells_of(sweep)]
        self.asked: dict[Endpoint, Load] = {}
        self.played = self.judged = 0
        self._store = store
        self._sweep = sweep
        self._usual = {endpoint: store.stories.usual(endpoint) for endpoint in {*sweep.endpoints}}
        ids = [cell.id for cell in self.cells]
        self._statuses, self._replies = store.sweeps.statuses(ids), store.sweeps.replies(ids)
        self._given = store.sweeps.judged(ids)
        self.raters = {judge.name: known.rater for judge in sweep.judges if (known := as_known(store, judge))}
        self._judging: dict[tuple[str, str], Load] = {}
        self._longest: float | None = 0.0

    def add(self, cell: Cell) -> None:
        """Add what is missing of a story and its judgements."""
        if self._statuses.get(cell.id) == "ended":
            self.played += 1
        else:
            self._add_story(cell)
        scores = len(cell.scene.names) * len(load_rubric().keys)
        for judge in self._sweep.judges:
            if self._given.get((cell.id, self.raters.get(judge.name, "")), 0) >= scores:
                self.judged += 1
            else:
                self._add(judge.endpoint, self._load_of(judge, cell.scene))

    def seconds(self) -> float | None:
        """How long all of it takes."""
        spans: dict[str, float] = defaultdict(float)
        for endpoint, load in self.asked.items():
            if (usual := self._usual[endpoint]) is None:
                return None
            spans[endpoint.url] = spans.get(endpoint.url, 0.0) + load.calls * usual.latency / self._at_once(
                endpoint.url
            )
        return None if self._longest is None else max([self._longest, *spans.values()])

    def _add_story(self, cell: Cell) -> None:
        """Of a story that was begun, what is left, as much of each kind as was done."""
        whole = loads(cell.script, cell.casting, self._usual)
        calls = sum(load.calls for load in whole.values())
        left = max(0.0, 1 - self._replies.get(cell.id, (0, 0))[0] / calls)
        for endpoint, load in whole.items():
            tokens = round(load.prompt_tokens * left), round(load.completion_tokens * left)
            self._add(endpoint, Load(round(load.calls * left), *tokens))
        takes = waiting(cell.script, cell.casting, self._usual)
        self._longest = None if takes is None or self._longest is None else max(self._longest, takes * left)

    def _load_of(self, judge: Judge, scene: Scene) -> Load:
        """What a judge is asked about a story of a scene, as if the rehearsal had played it."""
        key = (judge.name, scene.model_dump_json())
        if key not in self._judging:
            self._judging[key] = _judging(judge, scene, self._sweep.rounds, reply_tokens(self._usual[judge.endpoint]))
        return self._judging[key]

    def _add(self, endpoint: Endpoint, load: Load) -> None:
        if load.calls:
            self.asked[endpoint] = self.asked.get(endpoint, Load()) + load

    def _at_once(self, url: str) -> int:
        server = self._store.servers.find(url) or Server.unregistered(url)
        return min(AT_ONCE, server.parallel, self._sweep.parallel.get(url, AT_ONCE))


def _judging(judge: Judge, scene: Scene, rounds: int, tokens: float) -> Load:
    rehearsed = min(rounds, REHEARSED)
    events, rubric = rehearsed_events(scene, rehearsed), load_rubric()
    found = Load()
    for name in scene.names:
        questions = Questions(Part(scene, name, events), judge.protocol, rubric, rubric.keys)
        critique = None
        if judge.protocol.manner == "critique":
            critique = "x" * round(4 * tokens)
            found += Load(1, estimate(questions.critique()), round(tokens))
        for keys in judge.protocol.asked_together(rubric.keys):
            found += Load(1, estimate(questions.scores(keys, critique)), round(tokens))
    return Load(found.calls, round(found.prompt_tokens * rounds / rehearsed), found.completion_tokens)
