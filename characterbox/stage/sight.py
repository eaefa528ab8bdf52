"""What may be shown of a story while people play characters in it: what each of those characters perceives.

Events that are not perceived keep their place in the sequence, veiled, so that their numbers stay the same for all.
"""

from collections.abc import Iterable
from typing import Any

from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentBelief,
    Event,
    InteractionResult,
    Reaction,
    SelfBelief,
    event_adapter,
)
from characterbox.play.perception import perceives
from characterbox.scenes.scene import Scene
from characterbox.stage.hub import Notice

Eyes = frozenset[str]
"""The characters who all have to perceive what is shown; nobody, when everything may be shown."""

EVERYTHING: Eyes = frozenset()

_OPEN_STEPS = frozenset({"action", "dialogue", "reaction", "interaction_result"})
"""The kinds of steps whose making everybody may watch."""


def eyes_of(agents: Iterable[str | None]) -> Eyes:
    """The eyes of these agents; the narrator, None, perceives all, and takes nothing away from the others."""
    return frozenset(agent for agent in agents if agent is not None)


def event_as_seen(event: Event, eyes: Eyes) -> dict[str, Any]:
    """The event as JSON-ready values, without what the eyes do not perceive; of the kind `veiled` if that is all."""
    content = event.model_dump(mode="json")
    if not eyes:
        return content
    if not _seen(event, eyes):
        kept = {name: content[name] for name in ("path", "round", "turn")}
        return {"kind": "veiled", **kept, "degraded": False, "reason": None}
    hidden: dict[str, Any] = {"reason": None, "importance": None, "concluded": False}
    if isinstance(event, CharacterUpdate) and eyes != {event.character}:
        hidden["state"] = None
    return content | {name: value for name, value in hidden.items() if name in content}


def scene_as_seen(scene: Scene, eyes: Eyes) -> dict[str, Any]:
    """The scene as JSON-ready values; profiles and states only of the character whose eyes they are."""
    content = scene.model_dump(mode="json")
    if not eyes:
        return content
    private = {"description": "", "state": None}
    cast = [profile if eyes == {profile["name"]} else {**profile, **private} for profile in content["cast"]]
    return {**content, "cast": cast, "plot": None}


def notice_as_seen(notice: Notice, eyes: Eyes) -> Notice | None:
    """The notice without what the eyes do not perceive; None if nothing of it is left."""
    if not eyes or notice.kind in ("status", "costs"):
        return notice
    if notice.kind == "event":
        event = event_adapter.validate_python(notice.content)
        return Notice("event", event_as_seen(event, eyes), notice.seq)
    own = eyes == {notice.content["character"]} and notice.content["kind"] in ("self_belief", "environment_belief")
    return notice if own or notice.content["kind"] in _OPEN_STEPS else None


def _seen(event: Event, eyes: Eyes) -> bool:
    match event:
        case Action() | Dialogue() | Reaction() | ActionInfluence() | InteractionResult():
            return all(perceives(one, event) for one in eyes)
        case SelfBelief() | EnvironmentBelief():
            return eyes == {event.character}
        case _:
            return True
