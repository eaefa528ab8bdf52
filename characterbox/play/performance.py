"""Autonomous story play: Algorithm 1 of the paper, with only its true dependencies.

Per turn: action -> {dialogue || influence} -> reaction -> result -> {both characters || environment}; with nobody
affected: action -> {dialogue || influence} -> {actor || environment}. After the turns of a round, all beliefs at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from characterbox.llm.request import Ask
from characterbox.play.events import Event, StoryEnded
from characterbox.play.perception import memories
from characterbox.play.script import Script
from characterbox.play.steps import Agents, Beliefs, Moment, Turn
from characterbox.play.world import World

E = TypeVar("E", bound=Event)
Emit = Callable[[Event], Awaitable[None]]
"""Takes the events of a story, one after another, in the order that does not depend on which call finished first."""


async def play(script: Script, ask: Ask, emit: Emit) -> None:
    """Play the story to its end: every character of the cast takes its own turn, in every round.

    Raises EndpointError or RecordMismatch from `ask`; played again, the story goes on where it stopped.
    """
    await _Performance(script, ask, emit).run()


class _Performance:
    def __init__(self, script: Script, ask: Ask, emit: Emit) -> None:
        self._script = script
        self._emit = emit
        self._world = World.opening(script.scene)
        self._round: list[Event] = []
        self._agents = Agents(script.scene, ask)
        self._clock = 0

    async def run(self) -> None:
        because = "rounds"
        for number in range(1, self._script.rounds + 1):
            self._round = []
            for actor in self._script.scene.names:
                await self._turn(number, actor)
                if self._concluded:
                    because = "concluded"
                    break
            await self._beliefs(number)
            if self._concluded:
                break
        await self._show(StoryEnded.model_validate({"path": "end", "round": number, "because": because}))

    @property
    def _concluded(self) -> bool:
        return self._script.may_conclude and self._world.concluded

    async def _turn(self, round: int, actor: str) -> None:
        self._clock += 1
        start = len(self._round)
        step = Turn(self._agents, self._moment(round), actor)
        action = await self._show(await step.action())
        dialogue, influence = await self._together(step.dialogue(action), step.influence(action))
        changed = [actor]
        if influence.affected is not None:
            reaction = await self._show(await step.reaction(action, dialogue, influence))
            await self._show(await step.result(action, dialogue, influence, reaction))
            changed.append(influence.affected)
        happened = self._round[start:]
        await self._together(*[step.update(who, happened) for who in changed], step.environment(happened))
        self._remember(happened)

    async def _beliefs(self, round: int) -> None:
        step = Beliefs(self._agents, self._moment(round))
        names = self._script.scene.names
        await self._together(*[belief for name in names for belief in (step.of_self(name), step.of_environment(name))])

    def _moment(self, round: int) -> Moment:
        return Moment(round, self._clock, self._world, tuple(self._round))

    def _remember(self, turn: list[Event]) -> None:
        language = self._script.scene.language
        for name, character in self._agents.characters.items():
            for memory in memories(name, turn, clock=self._clock, language=language):
                character.memory.remember(memory)

    async def _show(self, event: E) -> E:
        self._world = self._world.after(event)
        self._round.append(event)
        await self._emit(event)
        return event

    async def _together(self, *steps: Coroutine[Any, Any, Any]) -> list[Any]:
        """Take the steps side by side and show their events in the order given.

        When one fails, the others still come to their end, so that no reply that is under way is lost.
        """
        events: list[Any] = []
        failure: Exception | None = None
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(_outcome(step)) for step in steps]
                try:
                    for task in tasks:
                        events.append(await self._show(_event(await task)))
                except Exception as error:
                    failure = error
        finally:
            for step in steps:
                step.close()  # one that was cancelled before it began would complain that nobody awaited it
        if failure is not None:
            raise failure
        return events


async def _outcome(step: Coroutine[Any, Any, Event]) -> Event | Exception:
    try:
        return await step
    except Exception as error:
        return error


def _event(outcome: Event | Exception) -> Event:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
