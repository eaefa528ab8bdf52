"""The player: one small script that shows a story, live on a page, in playback, and as a single file.

What it is given is one JSON object::

    {"story": {"id", "title", "status": a Status, "reason": str | None, "rounds": int, "seed": int, "narrator": str,
               "models": {name: label}, "rehearsal": "all" | "some" | "hand" | None (which parts have no
               language model behind them, or that people wrote it),
               "settings": the story's Settings as JSON, "refused": {model: [option, ...]} (what models do not take),
               "people": [name or None for the narrator, ...]},
     "scene": a Scene as JSON, "events": [an Event as JSON, ...],
     "live": the address of the story's event stream or None, "mode": "stage" | "playback",
     "at": the number of events shown or None for all, "show_models": bool,
     "eyes": [name, ...], "tools": bool, "explained": whether the page around says why a story rests,
     "transport": {"acts": [an Act, ...], "resting": whether the story is about to rest} or None,
     "journal": {"address": where to ask what is behind a step} or {"packed": what is behind all steps, deflated, in
                base64} or None}

Each event has `known`: for each of the cast, whether it knows the event: `whole`, `part` or `none`. One that comes live
can have `corrected`: the same for earlier events of its turn, by path. Where there are eyes, neither is there, and what
those characters do not perceive has been taken out: an event can be of the kind `veiled`, and a state None. Names are
then those that the eyes had as the scene began; a result can have `called`: for such a name the true one, which is
shown from then on. What changes the surroundings can have `appeared`: who has come into sight; until then `~`, a
number and a blank stand for somebody whom they have not met. Tools are buttons for the step that is shown, acts are
what can be done to the story as it stands; the page is told which one is pressed. The words around the story, in the
language of the interface, go along with it (`words.player_words`).

Streamlit is imported only when a story is shown on a page; the export (`page.story_page`) does without it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from characterbox.components.player.text import player_words
from characterbox.components.web import Component

PLAYER = Component(
    "player",
    (
        "player/nodes.js",
        "player/world.js",
        "player/forms.js",
        "player/frame.js",
        "player/transport.js",
        "player/live.js",
        "player/script.js",
        "player/notebook.js",
        "player/influence_graph.js",
        "player/sheets.js",
        "player/view.js",
        "player/player.js",
    ),
    ("theme.css", "player/player.css"),
)
"""Its default export is the function `showStory`."""

Tool = Literal["branch", "regenerate", "edit", "recast"]
"""How a reader may want the story to branch off at a step."""
Act = Literal["pause", "continue", "call", "turn", "round", "stop"]
"""What is done to a story: it rests, is played on, also for one call, turn or round alone, or ends for good."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A tool that was pressed, and the number of the event that was shown."""

    tool: Tool
    at: int


def show_story(data: Mapping[str, Any], key: str, on_act: Callable[[Act], None] | None = None) -> Wish | None:
    """Show a story on the Streamlit page that is running. A rerun with the same key keeps the reader's place.

    Gives the tool that was pressed just now, if one was. An act is done before the page is drawn again. When the story
    moves on, to rest or to its end, or gets into other hands, the page is run again.
    """

    def acted(told: object) -> None:
        if on_act is not None and told in get_args(Act):
            on_act(cast(Act, told))

    told = PLAYER.mount(
        key, {**data, "words": player_words([data["story"], *data["events"]])}, tool=_noted, moved=_noted, act=acted
    )
    return wish_of(told.tool)


def _noted(_: object) -> None:
    """The page is run again, and that is all."""


def wish_of(told: object) -> Wish | None:
    """What a browser tells of a pressed tool; None if it tells nothing that can be."""
    match told:
        case {"tool": str(tool), "at": int(at)} if tool in get_args(Tool) and at > 0:
            return Wish(cast(Tool, tool), at)
        case _:
            return None
