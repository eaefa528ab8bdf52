"""What is rated and judged of a story: a character's trajectory, and the narrator's work (paper, 3.3).

It is complete but for what only concerns characters: what they believe, which no narrator decides, is not in it.
"""

from collections.abc import Iterable, Iterator
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
from characterbox.play.perception import line, perceives
from characterbox.play.world import World, moments
from characterbox.prompts import Words, fill, words
from characterbox.scenes.scene import Scene
from characterbox.values import Language

StepKind = Literal["observation", "action", "dialogue", "reaction"]


@dataclass(frozen=True, slots=True)
class Step:
    """What the character observed, or what it did or said."""

    round: int
    kind: StepKind
    text: str
    degraded: bool
    """The model's reply could not be read: a neutral outcome stands here."""


def trajectory(events: Iterable[Event], name: str, scene: Scene) -> tuple[Step, ...]:
    """What the character called `name` observed and did, in order, in the names that it knew at the time."""
    language, steps = scene.language, []
    for event, then, now in moments(events, scene):
        own = getattr(event, "character", None) == name
        if own and isinstance(event, Action | Dialogue | Reaction):
            steps.append(Step(event.round, event.kind, event.text or words(language).silence, event.degraded))
        elif perceives(name, event, now) and (observed := line(event, language, name, then)) is not None:
            steps.append(Step(event.round, "observation", observed, event.degraded))
    return tuple(steps)


def as_text(steps: Iterable[Step], language: Language) -> str:
    """The trajectory as lines of text, under a heading for each round."""
    phrases: Words = words(language)
    lines: list[str] = []
    round = 0
    for step in steps:
        if step.round != round:
            round = step.round
            lines.append(fill(phrases.memory.round, round=str(round)))
        lines.append(f"- {getattr(phrases.trajectory, step.kind)}: {step.text}")
    return "\n".join(lines)


_DECISIONS = ActionInfluence | InteractionResult | CharacterUpdate | EnvironmentUpdate


def narration(events: Iterable[Event], scene: Scene) -> str:
    """What the characters did and the narrator decided, as lines of text under a heading for each round.

    A step whose reply could not be read is told as such. Surroundings are told where they change: a narrator is to
    repeat what stays.
    """
    phrases, world, round = words(scene.language), World.opening(scene), 0
    lines: list[str] = []
    for event, then, _ in moments(events, scene):
        told = list(_told(event, world, then, scene))
        if told and event.round != round:
            round = event.round
            lines.append(fill(phrases.memory.round, round=str(round)))
        lines += [_marked(text, event, phrases) for text in told]
        world = then
    return "\n".join(lines)


def _told(event: Event, before: World, after: World, scene: Scene) -> Iterator[str]:
    """What there is to tell of an event, with the world before and after it; nothing where it is neither for all to see
    nor the narrator's."""
    phrases = words(scene.language)
    match event:
        case ActionInfluence(affected=None):
            yield fill(phrases.narration.nobody, text=event.text)
        case CharacterUpdate():
            standing = fill(phrases.blocks.standing, name=event.character, position=event.position, state=event.state)
            yield standing + (fill(phrases.blocks.shown, visible=event.visible) if event.visible else "")
        case EnvironmentUpdate():
            yield from _surroundings(event, before, phrases)
        case _ if (told := line(event, scene.language, None, after)) is not None:
            yield told
    yield from told_of_perception(event, before, scene.language)


def told_of_perception(event: Event, before: World, language: Language) -> Iterator[str]:
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


def _marked(text: str, event: Event, words: Words) -> str:
    """One line, or several that are moved in, with whose it is and whether it stands for a reply nobody could read."""
    if event.degraded:
        text = fill(words.narration.unread, text=text)
    if isinstance(event, _DECISIONS):
        text = fill(words.narration.decision, text=text)
    return "- " + "\n  ".join(text.splitlines())
