"""HTML on a page whose links go to other places of the app as if one had been there before: nothing is loaded anew."""

from functools import cache
from importlib.resources import files

from characterbox.components.go import go_js


@cache
def linked_js() -> str:
    """The component as one ECMAScript module."""
    return go_js() + files(__name__).joinpath("linked.js").read_text(encoding="utf-8")
