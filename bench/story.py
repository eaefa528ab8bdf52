"""The story that is measured: three rounds of four characters in which every action touches somebody."""

from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.rehearsal import improvise
from characterbox.llm.rehearsal.brief import Turn
from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.world import Script
from characterbox.scenes.library import bundled

SCENE = "holmes-study"
ROUNDS = 3
MODEL = "rehearsal"
NEVER = 10**12
"""One in so many."""


def touch_always() -> None:
    """Have the rehearsal of this process influence somebody with every action: stories are as deep as they can be."""
    improvise._NOBODY_IN = NEVER


def improvised(request: Request, seed: int) -> str:
    """The rehearsal's reply, at once."""
    turns = [Turn(message.role, message.content) for message in request.messages]
    return improvise.improvise(MODEL, turns, seed, request.form.name if request.form else None)


async def played(script: Script) -> tuple[list[Request], list[Event]]:
    """The requests and the events of a story that the rehearsal improvises at once."""
    requests: list[Request] = []
    events: list[Event] = []

    async def ask(request: Request) -> str:
        requests.append(request)
        return improvised(request, script.seed)

    async def emit(event: Event) -> None:
        events.append(event)

    await play(script, ask, emit)
    return requests, events


def script(rounds: int = ROUNDS, seed: int = 1) -> Script:
    """The scene; with another seed it becomes another story."""
    scene = next(scene for scene in bundled() if scene.id == SCENE)
    return Script(scene=scene, rounds=rounds, seed=seed)


def casting(url: str, model: str = MODEL) -> Casting:
    """The same model for everybody."""
    endpoint = Endpoint(url=url, model=model)
    return Casting(narrator=endpoint, characters=dict.fromkeys(script().scene.names, endpoint))
