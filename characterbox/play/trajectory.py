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
from characterbox.play.perception import line, perceives
from characterbox.play.world import World
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


def trajectory(events: Iterable[Event], name: str, language: Language) -> tuple[Step, ...]:
    """What the character called `name` observed and did, in order."""
    steps = []
    for event in events:
        own = getattr(event, "character", None) == name
        if own and isinstance(event, Action | Dialogue | Reaction):
            steps.append(Step(event.round, event.kind, event.text or words(language).silence, event.degraded))
        elif (observed := line(event, language)) is not None and perceives(name, event):
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
    for event in events:
        told = list(_told(event, world, phrases, scene))
        if told and event.round != round:
            round = event.round
            lines.append(fill(phrases.memory.round, round=str(round)))
        lines += [_marked(text, event, phrases) for text in told]
        world = world.after(event)
    return "\n".join(lines)


def _told(event: Event, before: World, words: Words, scene: Scene) -> Iterator[str]:
    """What there is to tell of an event; nothing where it is neither for all to see nor the narrator's."""
    match event:
        case ActionInfluence(affected=None):
            yield fill(words.narration.nobody, text=event.text)
        case CharacterUpdate():
            yield fill(words.blocks.standing, name=event.character, position=event.position, state=event.state)
        case EnvironmentUpdate():
            yield from _surroundings(event, before, words)
        case _ if (told := line(event, scene.language)) is not None:
            yield told


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
