"""What is played, and the world as the events so far leave it.

The world is a fold of the events over the scene: there is no second copy of it anywhere. What each character knows of
it is part of it: where others are, how they look, what the environment is like, as it has perceived them. Everything an
agent is told is a function of the chronicle, which only grows at its end.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby, takewhile
from typing import Annotated

from pydantic import Field

from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentBelief,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    SelfBelief,
)
from characterbox.play.names import Known, Names
from characterbox.play.settings import Settings
from characterbox.roles.dialogue import Conversation
from characterbox.scenes.scene import Environment, Scene
from characterbox.values import Value

Cast = frozenset[str]
"""Names of characters."""


class Script(Value):
    """A scene with all that the events depend on besides the replies."""

    scene: Scene
    rounds: Annotated[int, Field(ge=1, le=100)] = 3
    seed: int = 1
    """Sent with each request, so that models that honour it repeat themselves."""
    may_conclude: bool = False
    """Whether the story ends early when the narrator holds it to be concluded."""
    settings: Settings = Settings()
    conversation: Conversation | None = Field(default=None, exclude_if=lambda conversation: conversation is None)
    """Where the story is a dialogue with roles: there, each says one thing in a round, and nothing else happens."""

    @property
    def rated(self) -> tuple[str, ...]:
        """Whose part can be rated and judged: of all; in a dialogue of the roles, and not of the person."""
        talk = self.conversation
        return tuple(name for name in self.scene.names if talk is None or talk.role(name) is not None)


@dataclass(frozen=True, slots=True)
class Appearance:
    """Where a character is seen, and how it looks there."""

    position: str
    visible: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What a character knows of the world."""

    environment: Environment
    """As it has last perceived it, be it still so or not."""
    others: Mapping[str, Appearance]
    """Those whom it perceives, by their true names."""
    met: Cast
    """Those whom it has perceived: it can call them also where it does not see them now."""
    recognised: Known = frozenset()
    """Those whose true name it has learnt since the scene began."""


@dataclass(frozen=True, slots=True)
class CharacterNow:
    """Where and how a character is, what it believes, and what it knows."""

    position: str
    state: str
    view: View
    visible: str = ""
    """What others can see of how it is."""
    unseen_by: Cast = frozenset()
    """Those who neither see nor hear it."""
    self_belief: SelfBelief | None = None
    environment_belief: EnvironmentBelief | None = None

    @property
    def appearance(self) -> Appearance:
        """What others see of it."""
        return Appearance(self.position, self.visible)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Who perceives what happens on a turn, as far as it has come; the actor perceives what it does itself."""

    seen: Cast
    """The action."""
    heard: Cast
    """The words."""
    outcome: Cast | None = None
    """Reaction and result, where the narrator has said it."""
    beside: Cast = frozenset()
    """Those who were with the one affected before it reacted: it may leave by that."""


@dataclass(frozen=True, slots=True)
class World:
    """The environment and every character at one moment of a story."""

    environment: Environment
    characters: Mapping[str, CharacterNow]
    names: Names = field(compare=False)
    concluded: bool = False
    witnesses: Witnesses | None = None
    """Of the turn that was last begun."""

    @classmethod
    def opening(cls, scene: Scene) -> "World":
        """The world as the scene finds it."""
        seen = {who.name: Appearance(who.position) for who in scene.cast}
        hidden = {who.name: frozenset(who.unseen_by) for who in scene.cast}

        def view(onlooker: str) -> View:
            others = {name: one for name, one in seen.items() if onlooker not in {name, *hidden[name]}}
            return View(scene.environment, others, frozenset(others))

        characters = {
            who.name: CharacterNow(who.position, who.state, view(who.name), unseen_by=hidden[who.name])
            for who in scene.cast
        }
        return cls(scene.environment, characters, Names(scene))

    def present(self, name: str) -> Cast:
        """The others who can see or hear a character."""
        return frozenset(self.characters) - {name} - self.characters[name].unseen_by

    def known(self, onlooker: str | None) -> Known:
        """Those whom the onlooker has recognised; the narrator, None, needs none."""
        return frozenset() if onlooker is None else self.characters[onlooker].view.recognised

    def after(self, event: Event) -> "World":
        """The world after one more event."""
        match event:
            case Action() | Dialogue() | ActionInfluence():
                return replace(self, witnesses=_witnesses(self, event))
            case InteractionResult():
                return self._after_result(event)
            case CharacterUpdate():
                return self._after_update(event)
            case SelfBelief() | EnvironmentBelief():
                return self._with(event.character, **{event.kind: event})
            case EnvironmentUpdate():
                return self._after_environment(event)
            case _:
                return self

    def _after_result(self, event: InteractionResult) -> "World":
        world = self
        if event.seen_by is not None and self.witnesses is not None:
            world = replace(self, witnesses=replace(self.witnesses, outcome=frozenset(event.seen_by)))
        for one in event.recognised:
            for name in one.by:
                view = world.characters[name].view
                world = world._with(name, view=replace(view, recognised=view.recognised | {one.who}))
        return world

    def _after_update(self, event: CharacterUpdate) -> "World":
        """The character where it is now; whoever perceives it sees that."""
        name = event.character
        now = self._with(name, position=event.position, state=event.state, visible=event.visible)
        for one in now.present(name):
            view = now.characters[one].view
            now = now._with(one, view=replace(view, others={**view.others, name: now.characters[name].appearance}))
        return now

    def _after_environment(self, event: EnvironmentUpdate) -> "World":
        """The environment as it is now, which whoever is with the one on turn perceives; and who perceives whom."""
        environment = Environment(time=event.time, location=event.location, description=event.description)
        now = replace(self, environment=environment, concluded=self.concluded or event.concluded)
        if event.hidden is not None:
            now = now._hiding({one.who: frozenset(one.by) for one in event.hidden})
        actor = event.turn
        there = set[str]() if actor is None else {actor, *now.present(actor)}
        # who finds somebody who is there has come to where they are, or they to it
        came = {name for name in self.characters if there & (now._sight(name) - self._sight(name))}
        for name in there | came:
            now = now._with(name, view=replace(now.characters[name].view, environment=environment))
        return now

    def _hiding(self, hidden: Mapping[str, Cast]) -> "World":
        """The world in which these are not perceived by those, and everybody sees whom it perceives."""
        now = self
        for name in self.characters:
            now = now._with(name, unseen_by=hidden.get(name, frozenset()))
        for name in self.characters:
            seen = {one: now.characters[one].appearance for one in self.characters if one in now._sight(name)}
            view = now.characters[name].view
            now = now._with(name, view=replace(view, others=seen, met=view.met | seen.keys()))
        return now

    def _sight(self, onlooker: str) -> Cast:
        """Those whom somebody perceives."""
        return frozenset(name for name in self.characters if onlooker in self.present(name))

    def _with(self, name: str, **changes: object) -> "World":
        return replace(self, characters={**self.characters, name: replace(self.characters[name], **changes)})  # type: ignore[arg-type]


def _witnesses(world: World, event: Action | Dialogue | ActionInfluence) -> Witnesses:
    """Who perceives the turn once this has happened on it."""
    there = world.present(event.character)
    now = world.witnesses or Witnesses(there, there)
    match event:
        case Action():
            return Witnesses(frozenset() if event.unseen else there, there)
        case Dialogue():
            whispered = frozenset() if event.to is None else there & {event.to}
            return replace(now, heard=whispered if event.whispered else there)
        case ActionInfluence():
            seen = now.seen if event.seen_by is None else frozenset(event.seen_by)
            heard = now.heard if event.heard_by is None else frozenset(event.heard_by)
            beside = frozenset[str]() if event.affected is None else world.present(event.affected)
            return replace(now, seen=seen, heard=heard, beside=beside)


def world_after(scene: Scene, events: Iterable[Event]) -> World:
    """The world after all the events."""
    return reduce(World.after, events, World.opening(scene))


def moments(events: Iterable[Event], scene: Scene) -> Iterator[tuple[Event, World, World]]:
    """Each event with the world after it, and with the world as its turn has left it: in that one it is known who
    perceived it."""
    world = World.opening(scene)
    for _, turn in groupby(events, key=lambda event: (event.round, event.turn)):
        told, worlds = list(turn), list[World]()
        for event in told:
            world = world.after(event)
            worlds.append(world)
        yield from ((event, then, world) for event, then in zip(told, worlds, strict=True))


@dataclass(frozen=True, slots=True)
class Passage:
    """A character's turn, or the beliefs that follow the last turn of a round."""

    round: int
    clock: int
    """The turns of the story that have begun, this one included."""
    opening: World
    """The world as the passage begins."""
    events: tuple[Event, ...] = ()
    worlds: tuple[World, ...] = ()
    """The world after each of the events: it is told of many times, and followed once."""

    @property
    def now(self) -> World:
        """The world as its events have left it."""
        return self.worlds[-1] if self.worlds else self.opening

    def after(self, event: Event) -> "Passage":
        """The passage after one more event."""
        return replace(self, events=(*self.events, event), worlds=(*self.worlds, self.now.after(event)))


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

    def beliefs(self, round: int) -> "Chronicle":
        """The chronicle as the turns of a round are over and the beliefs are formed; round 0 is before the first."""
        return self._with(Passage(round, self._clock, self.world))

    def after(self, event: Event) -> "Chronicle":
        """The chronicle after one more event of the passage under way."""
        *before, last = self.passages
        now = last.after(event)
        return Chronicle(now.now, (*before, now))

    def first_of(self, round: int) -> int:
        """The number of the passage with which a round begins, from 0."""
        return len(self.passages) - sum(1 for _ in takewhile(lambda one: one.round >= round, reversed(self.passages)))

    @property
    def _clock(self) -> int:
        return self.passages[-1].clock if self.passages else 0

    def _with(self, passage: Passage) -> "Chronicle":
        return replace(self, passages=(*self.passages, passage))
