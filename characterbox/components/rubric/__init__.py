"""The rating page: what a rater has to do, and the rubric beside each item.

What it is given is one JSON object, made by `view.desk_data`, `view.list_data` or `view.item_data`. Each mark goes to
`POST /marks` at once and without a rerun; what could not be sent waits in the browser. To go elsewhere, the component
names the place.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

SCRIPTS = (
    "words.js",
    "nodes.js",
    "outbox.js",
    "clock.js",
    "sheet.js",
    "trajectory.js",
    "scales.js",
    "extras.js",
    "sign_in.js",
    "panel.js",
    "lists.js",
    "rubric.js",
)


@cache
def rubric_js() -> str:
    """The component as one ECMAScript module."""
    return "\n".join(files(__name__).joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS)


@cache
def rubric_css() -> str:
    """The style sheet of the component."""
    return files(__name__).joinpath("rubric.css").read_text(encoding="utf-8")


def show_rubric(data: Mapping[str, Any], on_go: Callable[[Mapping[str, Any]], None]) -> None:
    """Show a desk, a list or an item on the Streamlit page that is running, in the place of what was shown before.

    `on_go` is called with the query parameters of the place where the rater wants to go, as the browser says them.
    """
    from characterbox.components.rubric.mount import mount  # noqa: PLC0415 - the routes work without Streamlit

    mount(data, on_go)
