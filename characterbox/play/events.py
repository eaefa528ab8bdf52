"""What a reader sees of a story: an append-only sequence of frozen values.

The sequence is a pure function of the scene, the settings and the replies: its order never depends on which call
finished first (paper, Algorithm 1).
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from characterbox.legacy_reasons import AnyReason
from characterbox.values import Value

Importance = Annotated[int, Field(ge=1, le=10)]


class _Event(Value):
    path: str
    """The place in the story: `r2/ron/reaction/hermione`. Unique within a story."""
    round: Annotated[int, Field(ge=1)]
    turn: str | None = None
    """The name of the character whose turn it is; None for what happens between turns."""
    degraded: bool = False
    """True when the reply could not be read and a neutral outcome stands in its place. The journal keeps the reply."""
    reason: AnyReason | None = None
    """Why the event is degraded."""


class Action(_Event):
    """What the character on turn does, for all to see."""

    kind: Literal["action"] = "action"
    character: str
    text: str


class Dialogue(_Event):
    """What the character on turn says along with its action."""

    kind: Literal["dialogue"] = "dialogue"
    character: str
    text: str
    """The words spoken; empty when the character stays silent."""


class ActionInfluence(_Event):
    """The narrator's answer to: whom does the action touch most, and how?"""

    kind: Literal["action_influence"] = "action_influence"
    character: str
    """The actor."""
    affected: str | None
    """The other character that is touched; None when nobody is."""
    text: str
    importance: Importance | None
    """How memorable the action is, 1 to 10; None when the narrator gave no usable one."""


class Reaction(_Event):
    """What the affected character does in return."""

    kind: Literal["reaction"] = "reaction"
    character: str
    to: str
    """The actor."""
    text: str


class InteractionResult(_Event):
    """The narrator's verdict on what comes of action and reaction."""

    kind: Literal["interaction_result"] = "interaction_result"
    character: str
    """The actor."""
    affected: str
    text: str
    importance: Importance | None


class CharacterUpdate(_Event):
    """Where and how a character is, once the turn has run its course."""

    kind: Literal["character_update"] = "character_update"
    character: str
    position: str
    state: str


class EnvironmentUpdate(_Event):
    """The environment, once the turn has run its course."""

    kind: Literal["environment_update"] = "environment_update"
    time: str
    location: str
    description: str
    concluded: bool = False
    """The narrator holds that the story has come to its end."""


class SelfBelief(_Event):
    """What a character believes of itself, wants and means to do (BDI; paper, appendix D.2)."""

    kind: Literal["self_belief"] = "self_belief"
    character: str
    belief: str
    desire: str
    intention: str


class EnvironmentBelief(_Event):
    """What a character believes of the others and the scene, and how that bears on what it does."""

    kind: Literal["environment_belief"] = "environment_belief"
    character: str
    others: str
    scene: str
    bearing: str


class StoryEnded(_Event):
    """The last event."""

    kind: Literal["story_ended"] = "story_ended"
    because: Literal["rounds", "concluded"]
    """All rounds were played, or the narrator held the story to be concluded."""


Event = Annotated[
    Action
    | Dialogue
    | ActionInfluence
    | Reaction
    | InteractionResult
    | CharacterUpdate
    | EnvironmentUpdate
    | SelfBelief
    | EnvironmentBelief
    | StoryEnded,
    Field(discriminator="kind"),
]

event_adapter: TypeAdapter[Event] = TypeAdapter(Event)
