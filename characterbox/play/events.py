"""What a reader sees of a story: an append-only sequence of frozen values.

The sequence is a pure function of the scene, the settings and the replies: its order never depends on which call
finished first (paper, Algorithm 1).
"""

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, TypeAdapter, model_serializer

from characterbox.reason_sentences import AnyReason
from characterbox.values import Value

Importance = Annotated[int, Field(ge=1, le=10)]


class _Event(Value):
    path: str
    """The place in the story: `r2/ron/reaction/hermione`. Unique within a story."""
    round: Annotated[int, Field(ge=0)]
    """From 1; 0 for the beliefs that are formed before the first round."""
    turn: str | None = None
    """The name of the character whose turn it is; None for what happens between turns."""
    degraded: bool = False
    """True when the reply could not be read and a neutral outcome stands in its place. The journal keeps the reply."""
    reason: AnyReason | None = None
    """Why the event is degraded."""


Names = tuple[str, ...]


class _Sparse(_Event):
    """An event whose later fields are not written down while they are empty: what was stored before them stays as it
    was."""

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        return {
            name: value
            for name, value in handler(self).items()
            if name not in _LATER or getattr(self, name) != fields[name].default
        }


_LATER = {"unseen", "to", "whispered", "seen_by", "heard_by", "felt", "recognised", "visible", "hidden"}


class Action(_Sparse):
    """What the character on turn does."""

    kind: Literal["action"] = "action"
    character: str
    text: str
    unseen: bool = False
    """The character means nobody to notice it."""


class Dialogue(_Sparse):
    """What the character on turn says along with its action."""

    kind: Literal["dialogue"] = "dialogue"
    character: str
    text: str
    """The words spoken; empty when the character stays silent."""
    to: str | None = None
    """The name of the character whom the words are for; None when they are for all, or nobody in particular."""
    whispered: bool = False
    """Only the one whom they are for is to hear them."""


class ActionInfluence(_Sparse):
    """The narrator's answer to: whom does the action touch most, and how?"""

    kind: Literal["action_influence"] = "action_influence"
    character: str
    """The actor."""
    affected: str | None
    """The other character that is touched; None when nobody is."""
    text: str
    importance: Importance | None
    """How memorable the action is, 1 to 10; None when the narrator gave no usable one."""
    seen_by: Names | None = None
    """Who sees the action, besides the actor; None when all do who are there, or nobody if it is meant to be unseen."""
    heard_by: Names | None = None
    """Who hears the words; None when all do who are there, or only the one they are whispered to."""


class Reaction(_Event):
    """What the affected character does in return."""

    kind: Literal["reaction"] = "reaction"
    character: str
    to: str
    """The actor."""
    text: str


class ByWhom(Value):
    """One character, and those others to whom something of it holds."""

    who: str
    by: Names


class InteractionResult(_Sparse):
    """The narrator's verdict on what comes of action and reaction."""

    kind: Literal["interaction_result"] = "interaction_result"
    character: str
    """The actor."""
    affected: str
    text: str
    """What everybody there can see of it."""
    importance: Importance | None
    felt: str = ""
    """What only the affected one feels of it."""
    seen_by: Names | None = None
    """Who perceives reaction and result, besides those two; None when those do who are there, or saw the action."""
    recognised: tuple[ByWhom, ...] = ()
    """Who was recognised by it, by whom: they know who it is from now on."""


class CharacterUpdate(_Sparse):
    """Where and how a character is, once the turn has run its course."""

    kind: Literal["character_update"] = "character_update"
    character: str
    position: str
    state: str
    """How it is, as it knows itself, and the narrator."""
    visible: str = ""
    """What others can see of how it is."""


class EnvironmentUpdate(_Sparse):
    """The environment, once the turn has run its course."""

    kind: Literal["environment_update"] = "environment_update"
    time: str
    location: str
    description: str
    concluded: bool = False
    """The narrator holds that the story has come to its end."""
    hidden: tuple[ByWhom, ...] | None = None
    """All who are neither seen nor heard from now on, and by whom; None where that is as before."""


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
