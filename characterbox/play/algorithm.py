"""Autonomous story play: Algorithm 1 of the paper, with only its true dependencies.

Per turn: action with words -> influence -> reaction -> result -> {both characters || environment}; with nobody
affected: action with words -> influence -> {actor || environment}. Before the first round, and after the turns of each,
all beliefs at once.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar, cast

from characterbox.errors import Interlude
from characterbox.llm.embeddings import Embedder
from characterbox.llm.request import Ask
from characterbox.play.conversation import converse
from characterbox.play.events import Event, StoryEnded
from characterbox.play.paths import END
from characterbox.play.steps import Agents, Beliefs, Turn
from characterbox.play.world import Chronicle, Script

E = TypeVar("E", bound=Event)
Emit = Callable[[Event], Awaitable[None]]
"""Takes the events of a story, one after another, in the order that does not depend on which call finished first."""


async def play(
    script: Script, ask: Ask, emit: Emit, played: Sequence[Event] = (), embedder: Embedder | None = None
) -> None:
    """Play the story to its end: every character of the cast takes its own turn, in every round.

    `played` are its first events, as far as they are known: they happen as they are, and nothing is asked for them.
    `embedder` measures what characters recall, by meaning; without one, letters do.

    Raises EndpointError or RecordMismatch from `ask`; played again, the story goes on where it stopped.
    """
    if script.conversation is not None:
        await converse(script, ask, emit, played)
        return
    await _Performance(script, ask, emit, played, embedder).run()


class _Performance:
    def __init__(
        self, script: Script, ask: Ask, emit: Emit, played: Sequence[Event], embedder: Embedder | None
    ) -> None:
        self._script = script
        self._emit = emit
        self._played = deque(played)
        """The known events that are still to happen."""
        self._now = Chronicle.opening(script.scene)
        self._agents = Agents(script.scene, ask, script.settings, embedder)

    async def run(self) -> None:
        because = "rounds"
        if self._script.settings.prompts > 1:
            await self._beliefs(0)
        for number in range(1, self._script.rounds + 1):
            for actor in self._script.scene.names:
                await self._turn(number, actor)
                if self._concluded:
                    because = "concluded"
                    break
            last = self._concluded or number == self._script.rounds
            if self._script.settings.last_beliefs or not last:
                await self._beliefs(number)
            if self._concluded:
                break
        await self._show(StoryEnded.model_validate({"path": END, "round": number, "because": because}))

    @property
    def _concluded(self) -> bool:
        return self._script.may_conclude and self._now.world.concluded

    async def _turn(self, round: int, actor: str) -> None:
        self._now = self._now.turn(round)
        step = Turn(self._agents, round, actor)
        await self._action(step)
        influence = await self._show(await self._known(step.influence(self._now)))
        affected = influence.affected
        if affected is not None:
            await self._show(await self._known(step.reaction(self._now, affected)))
            await self._show(await self._known(step.result(self._now, affected)))
        await self._updates(step, affected)

    async def _action(self, step: Turn) -> None:
        """What the actor does and says: one reply, or two in the first stories and where the first gives no words."""
        now = self._now
        if self._script.settings.prompts == 1:
            await self._show(await self._known(step.action_alone(now)))
        else:
            for event in await self._of_one_reply(2, lambda: step.action(now)):
                await self._show(event)
        if self._now.passage.events[-1].kind == "action":
            await self._show(await self._known(step.dialogue(self._now)))

    async def _updates(self, step: Turn, affected: str | None) -> None:
        """Actor, the one affected and the environment after the turn: one reply, or one each in the first stories."""
        now, changed = self._now, [step.actor, *([] if affected is None else [affected])]
        if self._script.settings.prompts == 1:
            await self._together(*[step.update(now, who) for who in changed], step.environment(now))
            return
        for event in await self._of_one_reply(len(changed) + 1, lambda: step.updates(now, affected)):
            await self._show(event)

    async def _of_one_reply(self, count: int, ask: Callable[[], Awaitable[Sequence[Event]]]) -> Sequence[Event]:
        """The events of a reply, those that are known as they are; nothing is asked where all are."""
        known = [self._played.popleft() for _ in range(min(count, len(self._played)))]
        return known if len(known) == count else [*known, *(await ask())[len(known) :]]

    async def _beliefs(self, round: int) -> None:
        now = self._now = self._now.beliefs(round)
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
