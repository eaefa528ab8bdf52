"""Replies that tell whose they are: every text in them names the path and the agent of the request."""

import json
from collections.abc import Callable

from characterbox.llm.request import Request
from characterbox.scenes.scene import Scene, slug_of

Affects = Callable[[str], str | None]
"""Tells for an actor whom its actions touch."""


def mark(path: str, agent: str | None) -> str:
    """The text that every field of a reply carries."""
    return f"by {agent or 'the narrator'} at {path}"


def nobody(_: str) -> None:
    """Actions that touch nobody."""
    return


def next_in(scene: Scene) -> Affects:
    """Actions that touch the next of the cast."""
    names = scene.names
    return lambda actor: names[(names.index(actor) + 1) % len(names)]


def reply_to(request: Request, scene: Scene, affects: Affects) -> str:
    """A reply in the form asked for, in which every text names its path and agent."""
    text = mark(request.path, request.agent)
    if request.form is None:
        return text
    fields: dict[str, object] = dict.fromkeys(request.form.schema["properties"], text)
    fields |= {name: value for name, value in _NO_TEXTS.items() if name in fields}
    if "affected" in fields:
        turn = request.path.split("/")[1]
        actor = next(name for name in scene.names if slug_of(name) == turn)
        fields["affected"] = affects(actor)
    return json.dumps(fields, ensure_ascii=False)


_NO_TEXTS = {
    "importance": 6,
    **dict.fromkeys(("concluded", "whispered", "unseen"), False),
    **dict.fromkeys(("to", "seen_by", "heard_by", "recognised", "hidden")),
}
"""What stands in the fields that hold no text: all is for all who are there, and nobody comes, goes or is recognised.
"""
