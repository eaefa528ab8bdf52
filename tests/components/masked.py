"""The story of the masked guest with all its events: who perceives what differs from step to step."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.world import Script
from characterbox.values import Language
from tests.play.masked_guest import ROUNDS, replies, scene


@cache
def masked_events(language: Language) -> tuple[Event, ...]:
    """The events of the story as it is written."""
    with ThreadPoolExecutor(1) as elsewhere:  # where a browser is driven, an event loop runs
        return elsewhere.submit(asyncio.run, _played(language)).result()


async def _played(language: Language) -> tuple[Event, ...]:
    events: list[Event] = []
    written = replies(language)

    async def ask(request: Request) -> str:
        return written[request.path]

    async def emit(event: Event) -> None:
        events.append(event)

    await play(Script(scene=scene(language), rounds=ROUNDS), ask, emit)
    return tuple(events)
