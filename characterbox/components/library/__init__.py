"""Stories in a list: each with who moved whom as a small drawing, its title, and what is known of it.

What the browser is given is one JSON object::

    {"stories": [{"id", "title", "language", "label" or None, "about": [line, ...], "tags": [tag, ...],
                  "page": the address of its page, "cast": [name, ...], "influences": [[from, to], ...]}, ...],
     "words": {"stories": what the list is called, "moved": "{from} moved {to} {n} times", "nobody": ...}}

Every title is a link, so that it can be opened in another tab, too.
"""

from functools import cache
from importlib.resources import files

from characterbox.components import player
from characterbox.components.go import go_js


@cache
def library_js() -> str:
    """The list as one ECMAScript module; it draws with parts of the player."""
    drawing = [
        files(player.__name__).joinpath(name).read_text(encoding="utf-8") for name in ("nodes.js", "influence_graph.js")
    ]
    return "\n".join([go_js(), *drawing, files(__name__).joinpath("library.js").read_text(encoding="utf-8")])


@cache
def library_css() -> str:
    """The style sheet of the list."""
    return files(__name__).joinpath("library.css").read_text(encoding="utf-8")
