"""The story that is measured: three rounds of four characters in which every action touches somebody."""

import asyncio
from functools import cache

from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.rehearsal.brief import Turn
from characterbox.llm.rehearsal.improvise import improvise
from characterbox.llm.request import Request
from characterbox.play.events import ActionInfluence, Event
from characterbox.play.performance import play
from characterbox.play.script import Script
from characterbox.scenes.library import bundled

SCENE = "holmes-study"
ROUNDS = 3
MODEL = "rehearsal"
MOST_SEEDS = 2000


async def played(script: Script) -> tuple[list[Request], list[Event]]:
    """The requests and the events of a story that the rehearsal improvises at once."""
    requests: list[Request] = []
    events: list[Event] = []

    async def ask(request: Request) -> str:
        requests.append(request)
        turns = [Turn(message.role, message.content) for message in request.messages]
        return improvise(MODEL, turns, script.seed, request.form.name if request.form else None)

    async def emit(event: Event) -> None:
        events.append(event)

    await play(script, ask, emit)
    return requests, events


@cache
def script(rounds: int = ROUNDS) -> Script:
    """The scene with the first seed at which all actions of the first three rounds touch somebody."""
    scene = next(scene for scene in bundled() if scene.id == SCENE)
    for seed in range(1, MOST_SEEDS):
        found = Script(scene=scene, rounds=ROUNDS, seed=seed)
        _, events = asyncio.run(played(found))
        influences = [event for event in events if isinstance(event, ActionInfluence)]
        if all(influence.affected for influence in influences):
            return found.model_copy(update={"rounds": rounds})
    raise LookupError(f"no seed below {MOST_SEEDS} at which every action touches somebody")


def casting(url: str) -> Casting:
    """The same model for everybody."""
    endpoint = Endpoint(url=url, model=MODEL)
    return Casting(narrator=endpoint, characters=dict.fromkeys(script().scene.names, endpoint))
