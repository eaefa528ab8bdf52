"""What is played, and the world as the events so far leave it.

The world is a fold of the events over the scene: there is no second copy of it anywhere. Everything an agent is told
is a function of the chronicle, which only grows at its end.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import takewhile
from typing import Annotated

from pydantic import Field

from characterbox.play.events import CharacterUpdate, EnvironmentBelief, EnvironmentUpdate, Event, SelfBelief
from characterbox.play.settings import Settings
from characterbox.scenes.scene import Environment, Scene
from characterbox.values import Value


class Script(Value):
    """A scene with all that the events depend on besides the replies."""

    scene: Scene
    rounds: Annotated[int, Field(ge=1, le=100)] = 3
    seed: int = 1
    """Sent with each request, so that models that honour it repeat themselves."""
    may_conclude: bool = False
    """Whether the story ends early when the narrator holds it to be concluded."""
    settings: Settings = Settings()


@dataclass(frozen=True, slots=True)
class CharacterNow:
    """Where and how a character is, and what it believes."""

    position: str
    state: str
    self_belief: SelfBelief | None = None
    environment_belief: EnvironmentBelief | None = None


@dataclass(frozen=True, slots=True)
class World:
    """The environment and every character at one moment of a story."""

    environment: Environment
    characters: Mapping[str, CharacterNow]
    concluded: bool = False

    @classmethod
    def opening(cls, scene: Scene) -> "World":
        """The world as the scene finds it."""
        return cls(scene.environment, {who.name: CharacterNow(who.position, who.state) for who in scene.cast})

    def after(self, event: Event) -> "World":
        """The world after one more event."""
        match event:
            case CharacterUpdate():
                return self._with(event.character, position=event.position, state=event.state)
            case SelfBelief():
                return self._with(event.character, self_belief=event)
            case EnvironmentBelief():
                return self._with(event.character, environment_belief=event)
            case EnvironmentUpdate():
                environment = Environment(time=event.time, location=event.location, description=event.description)
                return replace(self, environment=environment, concluded=self.concluded or event.concluded)
            case _:
                return self

    def _with(self, name: str, **changes: object) -> "World":
        return replace(self, characters={**self.characters, name: replace(self.characters[name], **changes)})  # type: ignore[arg-type]


def world_after(scene: Scene, events: Iterable[Event]) -> World:
    """The world after all the events."""
    return reduce(World.after, events, World.opening(scene))


@dataclass(frozen=True, slots=True)
class Passage:
    """A character's turn, or the beliefs that follow the last turn of a round."""

    round: int
    clock: int
    """The turns of the story that have begun, this one included."""
    opening: World
    """The world as the passage begins."""
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Chronicle:
    """All passages of a story up to a moment; the last one is under way."""

    world: World
    """The world now."""
    passages: tuple[Passage, ...] = ()

    @classmethod
    def opening(cls, scene: Scene) -> "Chronicle":
        """The chronicle of a story in which nothing has happened yet."""
        return cls(World.opening(scene))

    @property
    def passage(self) -> Passage:
        """The passage under way. Raises IndexError before the first one."""
        return self.passages[-1]

    def turn(self, round: int) -> "Chronicle":
        """The chronicle as a turn of the round begins."""
        return self._with(Passage(round, self._clock + 1, self.world))

    def beliefs(self) -> "Chronicle":
        """The chronicle as the turns of a round are over and the beliefs are formed."""
        return self._with(Passage(self.passage.round, self._clock, self.world))

    def after(self, event: Event) -> "Chronicle":
        """The chronicle after one more event of the passage under way."""
        *before, last = self.passages
        passage = replace(last, events=(*last.events, event))
        return Chronicle(self.world.after(event), (*before, passage))

    def since(self, round: int) -> tuple[Passage, ...]:
        """The passages since the round began, the one under way included."""
        count = sum(1 for _ in takewhile(lambda one: one.round >= round, reversed(self.passages)))
        return self.passages[len(self.passages) - count :]

    @property
    def _clock(self) -> int:
        return self.passages[-1].clock if self.passages else 0

    def _with(self, passage: Passage) -> "Chronicle":
        return replace(self, passages=(*self.passages, passage))
