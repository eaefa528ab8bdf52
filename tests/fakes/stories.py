"""Stories to store, and what comes with them."""

from typing import Any

from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.journal import Reply
from characterbox.llm.request import ChatMessage
from characterbox.llm.usage import Usage
from characterbox.play.world import Script
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from tests.fakes.scenes import a_scene

AT = Endpoint(url="http://127.0.0.1:8000/v1", model="m")


def casting_at(endpoint: Endpoint, scene: Scene) -> Casting:
    """The same endpoint for everybody."""
    return Casting(narrator=endpoint, characters=dict.fromkeys(scene.names, endpoint))


def a_story(store: Store, scene: Scene | None = None, **script: Any) -> Story:
    """A new story in the store."""
    scene = scene or a_scene()
    return store.stories.create(Script(scene=scene, **script), casting_at(AT, scene), "command line")


def a_reply(path: str = "r1/ann/action", **changes: Any) -> Reply:
    """A reply with all its fields set, those of its usage among them."""
    taken: dict[str, Any] = {
        "attempts": 2,
        "troubles": ("HTTP 500",),
        "refused": (),
        "latency": 0.25,
        "prompt_tokens": 10,
        "completion_tokens": 3,
        "cached_tokens": None,
        "price": 0.002,
    }
    usage = Usage(**{name: changes.pop(name, value) for name, value in taken.items()})
    fields: dict[str, Any] = {
        "path": path,
        "take": 0,
        "digest": "d" * 64,
        "messages": (ChatMessage("system", "Be Ann."), ChatMessage("user", "演一下。")),
        "text": "Ann bows.",
        "author": "model",
        "endpoint": AT,
        "usage": usage,
        "finish_reason": "stop",
        "dropped": (),
        "origin": None,
    }
    return Reply(**{**fields, **changes})
