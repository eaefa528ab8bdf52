"""The rating page: what a rater has to do, and the rubric beside each item.

What it is given is one JSON object, made by `view.desk_data`, `view.list_data` or `view.item_data`. Each mark goes to
`POST /marks` at once and without a rerun; what could not be sent waits in the browser. To go elsewhere, the component
names the place.
"""

from collections.abc import Callable, Mapping
from typing import Any

from characterbox.components.web import Component

_RUBRIC = Component(
    "rubric",
    (
        "player/nodes.js",
        "rubric/words.js",
        "rubric/outbox.js",
        "rubric/sheet.js",
        "rubric/trajectory.js",
        "rubric/questions.js",
        "rubric/panel.js",
        "rubric/views.js",
        "rubric/rubric.js",
    ),
    ("theme.css", "rubric/rubric.css"),
)
# Streamlit leaves much room below a page: without it, a part and its rubric fill the window and nothing scrolls away.
_ROOM = "<style>.stMainBlockContainer { padding-bottom: 1.5rem; }</style>"


def show_rubric(data: Mapping[str, Any], on_go: Callable[[Mapping[str, Any]], None]) -> None:
    """Show a desk, a list or an item on the Streamlit page that is running, in the place of what was shown before.

    It is the only one on the page, so that a key has one meaning. `on_go` is called with the query parameters of the
    place where the rater wants to go, as the browser says them.
    """
    import streamlit as st  # noqa: PLC0415 - the routes work without Streamlit

    st.html(_ROOM)

    def hear(place: object) -> None:
        if isinstance(place, Mapping):
            on_go(place)

    _RUBRIC.mount("rubric", data, go=hear)
