"""Stories in a list: each with who moved whom as a small drawing, its title, and what is known of it.

What the browser is given is one JSON object::

    {"stories": [{"id", "title", "language", "label" or None, "about": [line, ...], "tags": [tag, ...],
                  "page": the address of its page, "cast": [name, ...], "influences": [[from, to], ...]}, ...],
     "words": {"stories": what the list is called, "moved": "{from} moved {to} {n} times", "nobody": ...}}

Every title is a link, so that it can be opened in another tab, too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotations.wording import say
from characterbox.components.web import Component

_LIBRARY = Component(
    "library",
    ("links/go.js", "player/nodes.js", "player/influence_graph.js", "library/library.js"),
    ("theme.css", "library/library.css"),
)


def show_stories(stories: Sequence[Mapping[str, Any]], key: str) -> None:
    """Put the list on the page."""
    words = {
        "stories": say("Stories"),
        "tags": say("Tags"),
        "moved": say("Who moved whom: "),
        "nobody": say("Nobody has moved anybody yet."),
        "comma": say(", "),
    }
    _LIBRARY.mount(key, {"stories": [*stories], "words": words})
