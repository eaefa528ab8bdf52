"""The world now: a fold of the events over the scene. There is no second copy of it anywhere."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from characterbox.play.events import CharacterUpdate, EnvironmentBelief, EnvironmentUpdate, Event, SelfBelief
from characterbox.scenes.scene import Environment, Scene


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
