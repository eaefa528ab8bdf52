"""What is rated and judged of a story: a character's trajectory, and the narrator's work (paper, 3.3).

It is complete but for what only concerns characters: what they believe, which no narrator decides, is not in it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    Reaction,
)
from characterbox.play.limits import limits_of
from characterbox.play.observations import line
from characterbox.play.perception import perceives
from characterbox.play.record import heading_of
from characterbox.play.world import World, moments
from characterbox.prompts import Words, fill, words
from characterbox.scenes.scene import Scene
from characterbox.values import Language

RatedKind = Literal["observation", "action", "dialogue", "reaction", "deed", "influence", "result", "update"]
"""Those of a trajectory; then those of a narration: what a character does or says, and what the narrator decides."""
StepKind = Literal[RatedKind, "self_belief", "environment_belief"]
"""These, and those that a character alone knows of, which nobody rates."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happened, or was decided, in one event."""

    round: int
    kind: StepKind
    text: str
    degraded: bool
    """The model's reply could not be read: a neutral outcome stands here."""


def trajectory(events: Iterable[Event], name: str, scene: Scene) -> tuple[Step, ...]:
    """What the character called `name` observed and did, in order, in the names that it knew at the time."""
    return tuple(step for _, step in steps_of_trajectory(events, name, scene))


def steps_of_trajectory(events: Iterable[Event], name: str, scene: Scene) -> Iterator[tuple[Event, Step]]:
    """The same, each step with its event."""
    language = scene.language
    for event, then, now in moments(events, scene):
        own = getattr(event, "character", None) == name
        if own and isinstance(event, Action | Dialogue | Reaction):
            yield event, Step(event.round, event.kind, event.text or words(language).silence, event.degraded)
        elif perceives(name, event, now) and (observed := line(event, language, name, then)) is not None:
            yield event, Step(event.round, "observation", observed, event.degraded)


def narration(events: Iterable[Event], scene: Scene) -> tuple[Step, ...]:
    """What the characters did and the narrator decided, in order.

    Surroundings are told where they change: a narrator is to repeat what stays.
    """
    return tuple(step for _, step in steps_of_narration(events, scene))


def steps_of_narration(events: Iterable[Event], scene: Scene) -> Iterator[tuple[Event, Step]]:
    """The same, each step with its event."""
    before = World.opening(scene)
    for event, then, _ in moments(events, scene):
        if (told := _told(event, before, then, scene.language)) is not None:
            text = "\n".join([told, *_perceived(event, before, scene.language)])
            yield event, Step(event.round, _DECISIONS.get(type(event), "deed"), text, event.degraded)
        before = then


def as_text(steps: Iterable[Step], language: Language) -> str:
    """The steps as lines of text, under a heading for each round.

    What further lines a step has is moved in, and a step whose reply could not be read says so.
    """
    labels = words(language).trajectory
    return as_lines(((step, getattr(labels, step.kind)) for step in steps), language)


def as_lines(steps: Iterable[tuple[Step, str]], language: Language) -> str:
    """Steps as lines of text, each behind its label, under a heading for each round: as `as_text` has them."""
    phrases: Words = words(language)
    lines: list[str] = []
    round = None
    for step, label in steps:
        if step.round != round:
            round = step.round
            lines.append(heading_of(round, phrases.memory))
        text = fill(phrases.narration.unread, text=step.text) if step.degraded else step.text
        moved_in = "\n  ".join(text.splitlines())
        lines.append(fill(phrases.trajectory.step, kind=label, text=moved_in))
    return "\n".join(lines)


def _told(event: Event, before: World, after: World, language: Language) -> str | None:
    """What there is to tell of an event, with the world before and after it; None where it is neither for all to see
    nor the narrator's."""
    phrases = words(language)
    match event:
        case ActionInfluence(affected=None):
            return fill(phrases.narration.nobody, text=event.text)
        case CharacterUpdate():
            standing = fill(phrases.blocks.standing, name=event.character, position=event.position, state=event.state)
            return standing + (fill(phrases.blocks.shown, visible=event.visible) if event.visible else "")
        case EnvironmentUpdate():
            return "\n".join(_surroundings(event, before, phrases))
    told = line(event, language, None, after)
    if told is not None and isinstance(event, InteractionResult):
        return told.removeprefix(fill(phrases.memory.result, text=""))  # the kind of the step says it already
    return told


_DECISIONS: Mapping[type[Event], StepKind] = {
    ActionInfluence: "influence",
    InteractionResult: "result",
    CharacterUpdate: "update",
    EnvironmentUpdate: "update",
}


def _perceived(event: Event, before: World, language: Language) -> Iterator[str]:
    """What the narrator decided with an event of who perceives it, who is recognised and who gets out of sight."""
    limits, phrases = limits_of(event, before), words(language)
    names = phrases.narration
    for template, few in ((names.seen_by, limits.seen_by), (names.heard_by, limits.heard_by)):
        if few is not None:
            yield fill(template, names=_listed(few, phrases) or phrases.blocks.nobody_affected)
    for one in event.recognised if isinstance(event, InteractionResult) else ():
        yield fill(phrases.blocks.recognition, name=_listed(one.by, phrases), who=one.who)
    for one in limits.hidden:
        yield fill(names.hidden, who=one.who, by=_listed(one.by, phrases))
    if limits.back:
        yield fill(names.back, names=_listed(limits.back, phrases))


def _listed(names: Iterable[str], phrases: Words) -> str:
    return phrases.blocks.comma.join(names)


def _surroundings(event: EnvironmentUpdate, before: World, words: Words) -> Iterator[str]:
    known, blocks = before.environment, words.blocks
    changes = [
        fill(block, **{name: getattr(event, name)})
        for name, block in (
            ("time", blocks.time),
            ("location", blocks.location),
            ("description", blocks.surroundings),
        )
        if getattr(event, name) != getattr(known, name)
    ]
    yield from changes or [words.narration.unchanged]
    if event.concluded:
        yield words.narration.concluded
