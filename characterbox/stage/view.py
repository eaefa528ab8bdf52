"""A story as the player takes it, and as it is exported."""

from typing import Any, Literal

from characterbox import __version__
from characterbox.llm.journal import Reply
from characterbox.scenes.scene import slug_of
from characterbox.store.stories import Story, StoryStore


def player_data(stories: StoryStore, story: Story, mode: Literal["stage", "playback"]) -> dict[str, Any]:
    """Everything that the player shows of a story, as JSON-ready values."""
    casting = story.casting
    return {
        "story": {
            "id": story.id,
            "title": story.title,
            "status": story.status,
            "reason": story.reason,
            "rounds": story.script.rounds,
            "seed": story.script.seed,
            "narrator": casting.narrator.label,
            "models": {name: endpoint.label for name, endpoint in casting.characters.items()},
            "rehearsal": casting.rehearsal,
        },
        "scene": story.script.scene.model_dump(mode="json"),
        "slugs": {name: slug_of(name) for name in story.script.scene.names},
        "events": [event.model_dump(mode="json") for event in stories.events(story.id)],
        "live": f"/stories/{story.id}/live" if mode == "stage" else None,
        "mode": mode,
        "at": None,
        "show_models": True,
        "language": story.script.scene.language,
    }


def story_json(stories: StoryStore, story: Story) -> dict[str, Any]:
    """The whole story with its journal, as JSON-ready values. There are no keys in it: none is ever stored."""
    return {
        "format": "characterbox-story",
        "version": __version__,
        "story": story.model_dump(mode="json"),
        "events": [event.model_dump(mode="json") for event in stories.events(story.id)],
        "journal": [_reply(reply) for reply in stories.journal(story.id)],
        "unanswered_calls": stories.unanswered(story.id),
    }


def _reply(reply: Reply) -> dict[str, Any]:
    fields = {name: getattr(reply, name) for name in reply.__slots__ if name not in ("messages", "endpoint")}
    return {
        **fields,
        "endpoint": reply.endpoint.model_dump(),
        "messages": [{"role": message.role, "content": message.content} for message in reply.messages],
    }
