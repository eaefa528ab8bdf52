"""The story up to a moment: what happened, turn by turn, and how the world stood when each turn began.

Everything an agent is told is a function of the chronicle. It only grows at its end.
"""

from dataclasses import dataclass, replace
from itertools import takewhile

from characterbox.play.events import Event
from characterbox.play.world import World
from characterbox.scenes.scene import Scene


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
