"""How many calls deep a story is: the length of its longest chain of calls that wait for one another."""

import asyncio

from bench.story import improvised
from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.world import Script

IDLE = 50
"""How often everything that can run gets its turn, until all that can be asked has been asked."""


async def depth(script: Script) -> int:
    """Play the story in waves: all calls that wait are answered at once, then the next ones; counts the waves."""
    waiting: list[tuple[Request, asyncio.Future[str]]] = []

    async def ask(request: Request) -> str:
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        waiting.append((request, future))
        return await future

    story = asyncio.create_task(play(script, ask, _nowhere))
    waves = 0
    while not story.done():
        for _ in range(IDLE):
            await asyncio.sleep(0)
        wave, waiting[:] = list(waiting), []
        for request, future in wave:
            future.set_result(improvised(request, script.seed))
        waves += bool(wave)
    await story
    return waves


async def _nowhere(_: Event) -> None:
    """Events are not looked at here."""
