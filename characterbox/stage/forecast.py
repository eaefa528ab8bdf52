"""What a story will take before it is played: calls, tokens, time and price, found out by rehearsing it.

The rehearsal is asked the very prompts of this project, so that calls and prompt tokens are those of a story of this
scene; how much a model writes and how long it takes is what it usually did.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from characterbox.llm.endpoint import REHEARSAL, Casting, Endpoint
from characterbox.llm.rehearsal.brief import Turn
from characterbox.llm.rehearsal.improvise import improvise
from characterbox.llm.request import Request
from characterbox.llm.tokens import estimate
from characterbox.play.events import Event
from characterbox.play.performance import play
from characterbox.play.script import Script
from characterbox.scenes.scene import Scene
from characterbox.store.costs import Usual

REHEARSED = 4
"""Rounds that are rehearsed; each further one takes what the last of them did."""
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
class _Call:
    agent: str | None
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class _Round:
    """What one round takes."""

    calls: Sequence[_Call]
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
    played, rounds = frozenset(people), _rounds(script.scene, min(script.rounds, REHEARSED))
    whole = [*rounds, *[rounds[-1]] * (script.rounds - len(rounds))]
    calls = [call for one in whole for call in one.calls if call.agent not in played]
    prompts: Counter[Endpoint] = Counter()
    replies: Counter[Endpoint] = Counter()
    known = {endpoint: usual(endpoint) for endpoint in {casting.narrator, *casting.characters.values()}}
    for call in calls:
        endpoint = casting.endpoint(call.agent)
        prompts[endpoint] += call.prompt_tokens
        replies[endpoint] += round(_reply_tokens(known[endpoint]))
    prices = [price(endpoint, prompts[endpoint], replies[endpoint]) for endpoint in prompts]
    return Forecast(
        calls=len(calls),
        by_people=sum(len(one.calls) for one in whole) - len(calls),
        prompt_tokens=prompts.total(),
        completion_tokens=replies.total(),
        price=None if None in prices else sum(one for one in prices if one is not None),
        seconds=None if played else _seconds(whole, casting, known),
    )


def _reply_tokens(usual: Usual | None) -> float:
    return REPLY_TOKENS if usual is None or usual.completion_tokens is None else usual.completion_tokens


def _seconds(rounds: Iterable[_Round], casting: Casting, known: dict[Endpoint, Usual | None]) -> float | None:
    latencies = {endpoint: usual.latency for endpoint, usual in known.items() if usual is not None}
    if len(latencies) < len(known):
        return None
    return sum(max(latencies[casting.endpoint(agent)] for agent in wait) for one in rounds for wait in one.waits)


@lru_cache(maxsize=64)
def _rehearsed(scene: str, rounds: int) -> Sequence[_Round]:
    return asyncio.run(_rehearse(Scene.model_validate_json(scene), rounds))


def _rounds(scene: Scene, rounds: int) -> Sequence[_Round]:
    return _rehearsed(scene.model_dump_json(), rounds)


async def _rehearse(scene: Scene, rounds: int) -> Sequence[_Round]:
    asked: list[tuple[str, _Call]] = []
    waits: list[list[set[str | None]]] = [[] for _ in range(rounds)]
    together: set[str | None] = set()

    async def ask(request: Request) -> str:
        nonlocal together
        number = int(request.path.split("/")[0].removeprefix("r")) - 1
        if not together:
            waits[number].append(together)
        together.add(request.agent)
        asked.append((request.path, _Call(request.agent, estimate(request.messages))))
        await asyncio.sleep(0)
        together = set()
        form = None if request.form is None else request.form.name
        return improvise(REHEARSAL, [Turn(one.role, one.content) for one in request.messages], 1, form)

    async def emit(event: Event) -> None:
        pass

    await play(Script(scene=scene, rounds=rounds), ask, emit)
    return [
        _Round(
            calls=[call for path, call in asked if path.startswith(f"r{number}/")],
            waits=[frozenset(wait) for wait in waits[number - 1]],
        )
        for number in range(1, rounds + 1)
    ]
