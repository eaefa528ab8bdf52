"""Asks that answer without a model, at once or when they are let."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.world import Script
from tests.fakes.replies import Affects, reply_to

Choose = Callable[[int], Sequence[int]]
"""Tells which of so many waiting calls finish next, by their numbers."""


@dataclass
class AnsweredAtOnce:
    """Answers every request; `instead` replaces the reply at a path."""

    script: Script
    affects: Affects
    instead: Mapping[str, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    async def __call__(self, request: Request) -> str:
        self.requests.append(request)
        return self.instead.get(request.path) or reply_to(request, self.script.scene, self.affects)

    def prompt(self, path: str) -> str:
        """All that was said to the agent at a path."""
        [request] = [one for one in self.requests if one.path == path]
        return "\n".join(message.content for message in request.messages)


@dataclass
class HeldBack:
    """Answers nothing until all that can be asked has been asked; then lets the chosen calls finish."""

    script: Script
    affects: Affects
    choose: Choose
    waves: list[set[str]] = field(default_factory=list)
    """The paths that were answered together."""
    _waiting: list[tuple[Request, asyncio.Future[str]]] = field(default_factory=list)

    async def __call__(self, request: Request) -> str:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        return await future

    async def release_until(self, done: asyncio.Task[None]) -> None:
        """Let calls finish, again and again, until the story is over."""
        while True:
            await _idle()
            if done.done():
                return
            numbers = self.choose(len(self._waiting))
            chosen = [self._waiting[number] for number in numbers]
            self._waiting = [one for one in self._waiting if one not in chosen]
            self.waves.append({request.path for request, _ in chosen})
            for request, future in chosen:
                future.set_result(reply_to(request, self.script.scene, self.affects))


async def played(script: Script, ask: AnsweredAtOnce, known: Sequence[Event] = ()) -> list[Event]:
    """The events of a story, of which the first may be known."""
    events: list[Event] = []

    async def emit(event: Event) -> None:
        events.append(event)

    await play(script, ask, emit, known)
    return events


async def played_held_back(script: Script, ask: HeldBack) -> list[Event]:
    """The events of a story whose calls finish as `ask` lets them."""
    events: list[Event] = []

    async def emit(event: Event) -> None:
        events.append(event)

    story = asyncio.create_task(play(script, ask, emit))
    await ask.release_until(story)
    await story
    return events


async def _idle() -> None:
    """Give everything that can run now the time to run."""
    for _ in range(12):
        await asyncio.sleep(0)
