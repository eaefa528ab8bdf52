"""What a story will take before it is played: calls, tokens, time and price, found out by rehearsing it.

The rehearsal is asked the very prompts of this project, so that calls and prompt tokens are those of a story of this
scene; how much a model writes and how long it takes is what it usually did.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from characterbox.llm.embeddings import embedding_request
from characterbox.llm.endpoint import EMBEDDER, REHEARSAL, Casting, Endpoint
from characterbox.llm.rehearsal.brief import Turn
from characterbox.llm.rehearsal.improvise import improvise
from characterbox.llm.request import Request
from characterbox.llm.usage import estimate
from characterbox.llm.vectors import Vector
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.memory import embedding
from characterbox.play.paths import parse_path
from characterbox.play.world import Script
from characterbox.scenes.scene import Scene
from characterbox.store.stories.call_costs import Usual
from characterbox.values import Language

REHEARSED = 4
"""Rounds that are rehearsed; each further one takes what the last of them did, beliefs included."""
REPLY_TOKENS = 120
"""Tokens of a reply of a model that has not replied here yet."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a story will take, roughly."""

    calls: int
    by_people: int
    """Replies that people who play will have to write; they are not among the calls."""
    prompt_tokens: int
    completion_tokens: int
    price: float | None
    """US dollars; None when the price of a model is not known."""
    seconds: float | None
    """None where people play, and where it is not known how long a model takes."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is to be asked of an endpoint, roughly."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Load") -> "Load":
        return Load(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class _Round:
    """What one round takes."""

    calls: Sequence[tuple[str | None, int]]
    """Of each call, whom it asks and the tokens of its prompt."""
    waits: Sequence[frozenset[str | None]]
    """The agents that are asked side by side, one such step after another."""


def forecast(
    script: Script,
    casting: Casting,
    people: Iterable[str | None],
    *,
    usual: Callable[[Endpoint], Usual | None],
    price: Callable[[Endpoint, int, int], float | None],
) -> Forecast:
    """What a story will take. Not to be called where an event loop runs.

    `usual` tells what replies of an endpoint take, None where that is not known; `price` what prompt and reply tokens
    of it cost, in US dollars.
    """
    played = frozenset(people)
    known = {endpoint: usual(endpoint) for endpoint in {*casting.endpoints}}
    asked = loads(script, casting, known, played)
    total = sum(asked.values(), Load())
    prices = [price(endpoint, load.prompt_tokens, load.completion_tokens) for endpoint, load in asked.items()]
    return Forecast(
        calls=total.calls,
        by_people=sum(len(one.calls) for one in _whole(script, casting)) - total.calls,
        prompt_tokens=total.prompt_tokens,
        completion_tokens=total.completion_tokens,
        price=None if None in prices else sum(one for one in prices if one is not None),
        seconds=None if played else waiting(script, casting, known),
    )


def loads(
    script: Script,
    casting: Casting,
    usual: Mapping[Endpoint, Usual | None],
    played: frozenset[str | None] = frozenset(),
) -> Mapping[Endpoint, Load]:
    """What a story will ask of each endpoint, where people play some of its agents. Not to be called where an event
    loop runs."""
    found: dict[Endpoint, Load] = {}
    for agent, tokens in (call for one in _whole(script, casting) for call in one.calls):
        if agent not in played:
            endpoint = casting.endpoint(agent)
            asked = Load(1, tokens, 0 if agent == EMBEDDER else round(reply_tokens(usual[endpoint])))
            found[endpoint] = found.get(endpoint, Load()) + asked
    return found


def waiting(script: Script, casting: Casting, usual: Mapping[Endpoint, Usual | None]) -> float | None:
    """The seconds that a story takes; None where it is not known how long a model takes."""
    latencies = {endpoint: known.latency for endpoint, known in usual.items() if known is not None}
    if not usual.keys() <= latencies.keys():
        return None
    return sum(
        max(latencies[casting.endpoint(agent)] for agent in wait)
        for one in _whole(script, casting)
        for wait in one.waits
    )


def rehearsed_events(scene: Scene, rounds: int) -> Sequence[Event]:
    """What happens in a scene as the rehearsal plays it. Not to be called where an event loop runs."""
    return _rehearsed(Script(scene=scene, rounds=rounds).model_dump_json(), embeds=False)[1]


def reply_tokens(usual: Usual | None) -> float:
    """How long the replies of an endpoint are, as far as it is known."""
    return REPLY_TOKENS if usual is None or usual.completion_tokens is None else usual.completion_tokens


def _whole(script: Script, casting: Casting) -> Sequence[_Round]:
    shorter = script.model_copy(update={"rounds": min(script.rounds, REHEARSED), "may_conclude": False, "seed": 1})
    rounds, _ = _rehearsed(shorter.model_dump_json(), embeds=casting.memory is not None)
    *before, last = rounds
    further = last if script.settings.last_beliefs or not before else before[-1]
    return [*before, *[further] * (script.rounds - len(rounds)), last]


@lru_cache(maxsize=256)
def _rehearsed(script: str, *, embeds: bool) -> tuple[Sequence[_Round], Sequence[Event]]:
    """A story as the rehearsal plays it; where it `embeds`, what would be asked for vectors is told too."""
    return asyncio.run(_rehearse(Script.model_validate_json(script), embeds=embeds))


@dataclass(frozen=True, slots=True)
class _Letters:
    """Gives the vectors of letters, and tells of each request for vectors."""

    tell: Callable[[Request], Awaitable[None]]
    language: Language
    model: str = "letters"

    async def __call__(self, texts: Sequence[str], path: str) -> Mapping[str, Vector]:
        await self.tell(embedding_request(texts, path, self.language))
        return {text: embedding(text) for text in texts}


async def _rehearse(script: Script, *, embeds: bool) -> tuple[Sequence[_Round], Sequence[Event]]:
    events: list[Event] = []
    rounds = script.rounds
    calls: list[list[tuple[str | None, int]]] = [[] for _ in range(rounds)]
    waits: list[list[set[str | None]]] = [[] for _ in range(rounds)]
    together: set[str | None] = set()

    async def told(request: Request) -> None:
        nonlocal together
        number = max(parse_path(request.path)[0].round, 1) - 1  # what comes before the first round belongs to it
        if not together:
            waits[number].append(together)
        together.add(request.agent)
        calls[number].append((request.agent, estimate(request.messages)))
        await asyncio.sleep(0)
        together = set()

    async def ask(request: Request) -> str:
        await told(request)
        form = None if request.form is None else request.form.name
        return improvise(REHEARSAL, [Turn(one.role, one.content) for one in request.messages], 1, form)

    async def emit(event: Event) -> None:
        events.append(event)

    await play(script, ask, emit, embedder=_Letters(told, script.scene.language) if embeds else None)
    taken = [_Round(asked, [*map(frozenset, steps)]) for asked, steps in zip(calls, waits, strict=True)]
    return taken, events
