"""The player: one small script that shows a story, live on a page, in playback, and as a single file.

What it is given is one JSON object::

    {"story": {"id", "title", "status": "running" | "paused" | "ended" | "failed", "reason": str | None,
               "rounds": int, "seed": int, "narrator": str, "models": {name: label}, "rehearsal": bool},
     "scene": a Scene as JSON, "events": [an Event as JSON, ...],
     "live": the address of the story's event stream or None, "mode": "stage" | "playback",
     "at": the number of events shown or None for all, "show_models": bool, "language": "en" | "zh"}

Streamlit is imported only when a story is shown on a page; the export (`page.story_page`) does without it.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

SCRIPTS = (
    "words.js",
    "world.js",
    "diff.js",
    "forms.js",
    "frame.js",
    "live.js",
    "script.js",
    "status.js",
    "keys.js",
    "player.js",
)


@cache
def player_js() -> str:
    """The player as one ECMAScript module; its default export is the function `showStory`."""
    return "\n".join(files(__name__).joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS)


@cache
def player_css() -> str:
    """The style sheet of the player."""
    return files(__name__).joinpath("player.css").read_text(encoding="utf-8")


def show_story(data: Mapping[str, Any], key: str) -> None:
    """Show a story on the Streamlit page that is running. A rerun with the same key keeps the reader's place."""
    from characterbox.components.player.mount import mount  # noqa: PLC0415 - the export works without Streamlit

    mount(data, key)
