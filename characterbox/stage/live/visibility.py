"""A story as the player takes it, and as it is exported; and what may be shown of it while people play in it.

While people play characters, only what each of those characters perceives is shown. Events that are not perceived keep
their place in the sequence, veiled, so that their numbers stay the same for all.
"""

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import quote

from characterbox.llm.request import Request
from characterbox.pause_reasons import Reason, seen, stored
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
from characterbox.play.paths import KINDS, parse_path, step_path
from characterbox.play.perception import KNOWERS, perceives
from characterbox.scenes.scene import Scene, slug_of
from characterbox.stage.live.hub import Notice
from characterbox.stage.step_details import behind_steps
from characterbox.store.stories.stories import Story, StoryStore
from characterbox.store.stories.story import OVER

Perspective = frozenset[str]
"""The characters who all have to perceive what is shown; nobody, when everything may be shown."""

EVERYTHING: Perspective = frozenset()

_OPEN_STEPS = frozenset({"action", "dialogue", "reaction", "interaction_result"})
"""The kinds of steps whose making everybody may watch."""


def perspective_of(agents: Iterable[str | None]) -> Perspective:
    """The eyes of these agents; the narrator, None, perceives all, and takes nothing away from the others."""
    return frozenset(agent for agent in agents if agent is not None)


def redact_event(event: Event, eyes: Perspective) -> dict[str, Any]:
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


def redact_scene(scene: Scene, eyes: Perspective) -> dict[str, Any]:
    """The scene as JSON-ready values; profiles and states only of the character whose eyes they are."""
    content = scene.model_dump(mode="json")
    if not eyes:
        return content
    cast = [_own(profile) if eyes == {profile["name"]} else _outside(profile) for profile in content["cast"]]
    return {**content, "cast": cast, "plot": None}


def _own(profile: dict[str, Any]) -> dict[str, Any]:
    """A profile as the character itself may read it."""
    return {name: value for name, value in profile.items() if name not in ("unaware", "known_as", "unseen_by")}


def _outside(profile: dict[str, Any]) -> dict[str, Any]:
    """A profile as others may read it."""
    shown = {name: value for name, value in profile.items() if name in ("name", "gender", "position", "public_face")}
    return {**shown, "description": "", "state": None}


def notice_as_seen(notice: Notice, eyes: Perspective) -> Notice | None:
    """The notice without what the eyes do not perceive; None if nothing of it is left."""
    if not eyes or notice.kind in ("status", "costs"):
        return notice
    if notice.kind == "event":
        event = event_adapter.validate_python(notice.content)
        return Notice("event", redact_event(event, eyes), notice.seq)
    own = eyes == {notice.content["character"]} and notice.content["kind"] in ("self_belief", "environment_belief")
    return notice if own or notice.content["kind"] in _OPEN_STEPS else None


def _seen(event: Event, eyes: Perspective) -> bool:
    match event:
        case Action() | Dialogue() | Reaction() | ActionInfluence() | InteractionResult():
            return all(perceives(one, event) for one in eyes)
        case SelfBelief() | EnvironmentBelief():
            return eyes == {event.character}
        case _:
            return True


def player_data(
    stories: StoryStore, story: Story, mode: Literal["stage", "playback"], eyes: Perspective = EVERYTHING
) -> dict[str, Any]:
    """Everything that the player shows of a story, as JSON-ready values, and nothing that the eyes do not perceive.

    What is behind the steps is not among it: see `asked_journal` and `packed_journal`.
    """
    casting = story.casting
    seen = "&".join(f"eyes={quote(slug_of(name))}" for name in sorted(eyes))
    address = f"/stories/{story.id}/live" + (f"?{seen}" if seen else "")
    return {
        "story": {
            "id": story.id,
            "title": story.title,
            **_state(story),
            "rounds": story.script.rounds,
            "seed": story.script.seed,
            "narrator": casting.narrator.label,
            "models": {name: endpoint.label for name, endpoint in casting.characters.items()},
            "rehearsal": "hand" if casting.handwritten else casting.improvised,
            "branch": None if story.branch is None else story.branch.model_dump(),
        },
        "scene": redact_scene(story.script.scene, eyes),
        "events": events_to_show(stories, story.id, eyes),
        "live": None if story.status in OVER else address,
        "mode": mode,
        "eyes": sorted(eyes),
        "at": None,
        "show_models": True,
        "knowers": KNOWERS,
        "journal": None,
    }


def asked_journal(story: Story) -> dict[str, str]:
    """Where the player asks what is behind a step of a story of this app."""
    return {"address": f"/stories/{story.id}/behind"}


def packed_journal(stories: StoryStore, story: Story) -> dict[str, str]:
    """What is behind all steps of a story, for a player that can't ask. Not to be called where an event loop runs."""
    content = json.dumps(behind_steps(stories, story), ensure_ascii=False, separators=(",", ":"))
    return {"packed": b64encode(zlib.compress(content.encode("utf-8", "replace"), 9)).decode("ascii")}


def event_notices(stories: StoryStore, id: str, after: int) -> list[Notice]:
    """The stored events of a story behind number `after`, as notices."""
    events = stories.events(id, after)
    return [Notice("event", event.model_dump(mode="json"), seq) for seq, event in enumerate(events, after + 1)]


def status_notice(stories: StoryStore, id: str) -> Notice:
    """How the story stands, and who is played by people, as a notice."""
    return Notice("status", stories.standing(id))


def costs_notice(stories: StoryStore, id: str) -> Notice:
    """What the story has cost so far, as a notice. What is under way has no reply yet: it is not told as unanswered."""
    return Notice("costs", {"costs": replace(stories.costs(id), unanswered=0)})


def events_to_show(stories: StoryStore, id: str, eyes: Perspective = EVERYTHING) -> list[dict[str, Any]]:
    """The events of a story as JSON-ready values, with their reasons as the words of the player name them."""
    events = [(event, redact_event(event, eyes)) for event in stories.events(id)]
    return [{**content, "reason": content["reason"] and _to_tell(event.reason)} for event, content in events]


def _to_tell(reason: Reason | None) -> str | None:
    """A reason as the player gets it, whose words have the sentence for it."""
    return None if reason is None else stored(seen(reason))


def _state(story: Story) -> dict[str, Any]:
    return {"status": story.status, "reason": _to_tell(story.reason), "people": list(story.people)}


def asking_notice(scene: Scene, request: Request) -> Notice:
    """That a step is being worked on."""
    return Notice("asking", _step(scene, request))


def token_notice(scene: Scene, request: Request, piece: str) -> Notice:
    """A piece of the text of a step that is being worked on."""
    return Notice("token", {**_step(scene, request), "text": piece})


def _step(scene: Scene, request: Request) -> dict[str, str]:
    place, _ = parse_path(request.path)
    names = {slug_of(name): name for name in scene.names}
    return {"path": step_path(request.path), "kind": KINDS[place.step], "character": names[place.character]}
