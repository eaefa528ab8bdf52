"""The story of the masked guest with all its events: who perceives what differs from step to step."""

import asyncio
from functools import cache

from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.world import Script
from characterbox.values import Language
from tests.play.masked_guest import ROUNDS, replies, scene


@cache
def masked_events(language: Language) -> tuple[Event, ...]:
    """The events of the story as it is written. Not to be called where an event loop runs."""
    events: list[Event] = []
    written = replies(language)

    async def ask(request: Request) -> str:
        return written[request.path]

    async def emit(event: Event) -> None:
        events.append(event)

    asyncio.run(play(Script(scene=scene(language), rounds=ROUNDS), ask, emit))
    return tuple(events)
