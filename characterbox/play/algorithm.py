"""Autonomous story play: Algorithm 1 of the paper, with only its true dependencies.

Per turn: action -> {dialogue || influence} -> reaction -> result -> {both characters || environment}; with nobody
affected: action -> {dialogue || influence} -> {actor || environment}. After the turns of a round, all beliefs at once.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar, cast

from characterbox.errors import Interlude
from characterbox.llm.request import Ask
from characterbox.play.events import Event, StoryEnded
from characterbox.play.paths import END
from characterbox.play.steps import Agents, Beliefs, Turn
from characterbox.play.world import Chronicle, Script

E = TypeVar("E", bound=Event)
Emit = Callable[[Event], Awaitable[None]]
"""Takes the events of a story, one after another, in the order that does not depend on which call finished first."""


async def play(script: Script, ask: Ask, emit: Emit, played: Sequence[Event] = ()) -> None:
    """Play the story to its end: every character of the cast takes its own turn, in every round.

    `played` are its first events, as far as they are known: they happen as they are, and nothing is asked for them.
    Raises EndpointError or RecordMismatch from `ask`; played again, the story goes on where it stopped.
    """
    await _Performance(script, ask, emit, played).run()


class _Performance:
    def __init__(self, script: Script, ask: Ask, emit: Emit, played: Sequence[Event]) -> None:
        self._script = script
        self._emit = emit
        self._played = deque(played)
        """The known events that are still to happen."""
        self._now = Chronicle.opening(script.scene)
        self._agents = Agents(script, ask)

    async def run(self) -> None:
        because = "rounds"
        for number in range(1, self._script.rounds + 1):
            for actor in self._script.scene.names:
                await self._turn(number, actor)
                if self._concluded:
                    because = "concluded"
                    break
            await self._beliefs()
            if self._concluded:
                break
        await self._show(StoryEnded.model_validate({"path": END, "round": number, "because": because}))

    @property
    def _concluded(self) -> bool:
        return self._script.may_conclude and self._now.world.concluded

    async def _turn(self, round: int, actor: str) -> None:
        self._now = self._now.turn(round)
        step = Turn(self._agents, round, actor)
        await self._show(await self._known(step.action(self._now)))
        _, influence = await self._together(step.dialogue(self._now), step.influence(self._now))
        changed = [actor]
        if influence.affected is not None:
            await self._show(await self._known(step.reaction(self._now, influence.affected)))
            await self._show(await self._known(step.result(self._now, influence.affected)))
            changed.append(influence.affected)
        now = self._now
        await self._together(*[step.update(now, who) for who in changed], step.environment(now))

    async def _beliefs(self) -> None:
        now = self._now = self._now.beliefs()
        step = Beliefs(self._agents)
        names = self._script.scene.names
        await self._together(
            *[belief for name in names for belief in (step.of_self(now, name), step.of_environment(now, name))]
        )

    def _known(self, step: Coroutine[Any, Any, E]) -> Coroutine[Any, Any, E]:
        """The step; where its event is known, one that makes that event and asks nothing."""
        if not self._played:
            return step
        step.close()
        return _made(cast(E, self._played.popleft()))

    async def _show(self, event: E) -> E:
        self._now = self._now.after(event)
        await self._emit(event)
        return event

    async def _together(self, *steps: Coroutine[Any, Any, Event]) -> list[Any]:
        """Take the steps side by side and show their events in the order given, up to the first that failed.

        When one fails, the others still come to their end, so that no reply that is under way is lost. A failure is
        raised rather than an interlude, as it has to be heard of.
        """
        events: list[Event] = []
        failures: list[Exception] = []
        taken = [self._known(step) for step in steps]
        try:
            async with asyncio.TaskGroup() as group:
                for task in [group.create_task(_outcome(step)) for step in taken]:
                    outcome = await task
                    if not isinstance(outcome, Exception) and not failures:
                        outcome = await _outcome(self._show(outcome))
                    if isinstance(outcome, Exception):
                        failures.append(outcome)
                    else:
                        events.append(outcome)
        finally:
            for step in taken:
                step.close()  # one that was cancelled before it began would complain that nobody awaited it
        if failures:
            raise next((one for one in failures if not isinstance(one, Interlude)), failures[0])
        return events


async def _made(event: E) -> E:
    return event


async def _outcome(step: Coroutine[Any, Any, Event]) -> Event | Exception:
    try:
        return await step
    except Exception as error:
        return error
