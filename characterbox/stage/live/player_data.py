"""A story as the player takes it, and as it is exported."""

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

from characterbox.llm.endpoint import label_of
from characterbox.scenes.scene import slug_of
from characterbox.stage.live.visibility import (
    EVERYTHING,
    Perspective,
    as_shown,
    called_by,
    known_cast,
    readable_by,
    reason_to_tell,
    redact_scene,
)
from characterbox.stage.step_details import behind_steps
from characterbox.store.stories.stories import Story, StoryStore
from characterbox.store.stories.story import OVER


def player_data(
    stories: StoryStore, story: Story, mode: Literal["stage", "playback"], eyes: Perspective = EVERYTHING
) -> dict[str, Any]:
    """Everything that the player shows of a story, as JSON-ready values, and nothing that the eyes do not perceive.

    What is behind the steps is not among it: see `asked_journal` and `packed_journal`.
    """
    scene, casting = story.script.scene, story.casting
    called = known_cast(scene, eyes)
    seen = "&".join(f"eyes={quote(slug_of(name))}" for name in sorted(eyes))
    address = f"/stories/{story.id}/live" + (f"?{seen}" if seen else "")
    return {
        "story": {
            "id": story.id,
            "title": story.title,
            **_state(story, called, eyes),
            "rounds": story.script.rounds,
            "seed": story.script.seed,
            "narrator": casting.narrator.label,
            "models": {called[name]: one.label for name, one in casting.characters.items() if name in called},
            "embedder": label_of(casting.memory),
            "rehearsal": "hand" if casting.handwritten else casting.improvised,
            "settings": story.script.settings.model_dump(mode="json"),
            "refused": stories.refused(story.id, under="r"),
            "branch": None if story.branch is None else story.branch.model_dump(),
        },
        "scene": redact_scene(scene, eyes),
        "events": events_to_show(stories, story, eyes),
        "live": None if story.status in OVER else address,
        "mode": mode,
        "eyes": sorted(called[name] for name in eyes if name in called),
        "at": None,
        "show_models": True,
        "journal": None,
    }


def asked_journal(story: Story) -> dict[str, str]:
    """Where the player asks what is behind a step of a story of this app."""
    return {"address": f"/stories/{story.id}/behind"}


def packed_journal(stories: StoryStore, story: Story) -> dict[str, str]:
    """What is behind all steps of a story, for a player that can't ask. Not to be called where an event loop runs."""
    content = json.dumps(behind_steps(stories, story), ensure_ascii=False, separators=(",", ":"))
    return {"packed": b64encode(zlib.compress(content.encode("utf-8", "replace"), 9)).decode("ascii")}


def _state(story: Story, called: Mapping[str, str], eyes: Perspective) -> dict[str, Any]:
    people = [one for one in story.people if one is None or one in called]
    reason = story.reason and readable_by(eyes, story.reason)
    return {"status": story.status, "reason": reason_to_tell(reason), "people": called_by(people, called)}


def events_to_show(stories: StoryStore, story: Story, eyes: Perspective = EVERYTHING) -> list[dict[str, Any]]:
    """The events of a story as the player takes them, JSON-ready."""
    return as_shown(story.script.scene, stories.events(story.id), eyes)
