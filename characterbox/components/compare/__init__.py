"""Stories of one scene side by side, aligned by round and turn.

What the browser is given is one JSON object::

    {"scene": a Scene as JSON, "stories": [{"name": what it is called here, "events": [an Event as JSON, ...]}, ...],
     "words": the words of the player}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from characterbox.components.player.words import player_words
from characterbox.components.web import Component
from characterbox.scenes.scene import Scene

_COMPARE = Component(
    "compare",
    ("player/nodes.js", "player/world.js", "player/forms.js", "compare/compare.js"),
    ("theme.css", "player/player.css", "compare/compare.css"),
)
"""Each step has the form that it has in the player."""


def show_comparison(scene: Scene, stories: Sequence[Mapping[str, Any]], key: str) -> None:
    """Put the stories side by side on the page."""
    words = player_words(event for story in stories for event in story["events"])
    _COMPARE.mount(key, {"scene": scene.model_dump(mode="json"), "stories": [*stories], "words": words})
