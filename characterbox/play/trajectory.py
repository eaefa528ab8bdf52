"""A trajectory: one character's slice of a story, as it is rated and judged (paper, 3.3: {E, c, o1, a1, ...})."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from characterbox.play.events import Action, Dialogue, Event, Reaction
from characterbox.play.perception import line, perceives
from characterbox.prompts import Words, fill, words
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
