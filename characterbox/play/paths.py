"""The places of a story: each step has one path, such as `r2/ron/reaction/hermione`, and so has the event it makes."""

from collections.abc import Mapping

from characterbox.play.events import CharacterUpdate, EnvironmentBelief, Event, Reaction, SelfBelief, StoryEnded
from characterbox.scenes.scene import slug_of

END = "end"
"""Where a story ends: no step, for nobody is asked."""

KINDS: Mapping[str, str] = {
    "action": "action",
    "dialogue": "dialogue",
    "influence": "action_influence",
    "reaction": "reaction",
    "result": "interaction_result",
    "update": "character_update",
    "environment": "environment_update",
    "self-belief": "self_belief",
    "environment-belief": "environment_belief",
}
"""The kind of event that a step makes, by its name in the path."""
_STEPS = {kind: step for step, kind in KINDS.items()}
NARRATED = ("influence", "result", "update", "environment")
"""The steps that the narrator takes; the others are those of a character."""


def path_of(round: int, name: str, step: str, other: str | None = None) -> str:
    """The path of a step: of whose turn it is or, between turns, who is asked; of its name; and of whom it is about."""
    return "/".join([f"r{round}", slug_of(name), step, *([] if other is None else [slug_of(other)])])


def asked_at(path: str) -> str | None:
    """The slug of the character who is asked at the path of a step; None for the narrator."""
    _, turn, step, *others = path.split("/")
    if step in NARRATED:
        return None
    return others[0] if step == "reaction" else turn


def place_of(event: Event) -> str:
    """The one path at which an event can stand. What happens on a turn has to say on whose."""
    match event:
        case StoryEnded():
            return END
        case SelfBelief() | EnvironmentBelief():
            return path_of(event.round, event.character, _STEPS[event.kind])
        case Reaction() | CharacterUpdate():
            return path_of(event.round, str(event.turn), _STEPS[event.kind], event.character)
        case _:
            return path_of(event.round, str(event.turn), _STEPS[event.kind])
