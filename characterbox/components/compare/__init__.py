"""Stories of one scene side by side, aligned by round and turn.

What the browser is given is one JSON object::

    {"scene": a Scene as JSON, "stories": [{"name": what it is called here, "events": [an Event as JSON, ...]}, ...],
     "words": the words of the player}
"""

from functools import cache
from importlib.resources import files

from characterbox.components import player

_DRAWN_WITH = ("words.js", "world.js", "diff.js", "nodes.js", "forms.js")


@cache
def compare_js() -> str:
    """The comparison as one ECMAScript module; each step has the form that it has in the player."""
    parts = [files(player.__name__).joinpath(name).read_text(encoding="utf-8") for name in _DRAWN_WITH]
    return "\n".join([*parts, files(__name__).joinpath("compare.js").read_text(encoding="utf-8")])


@cache
def compare_css() -> str:
    """The style sheets of the steps and of the comparison."""
    return player.player_css() + files(__name__).joinpath("compare.css").read_text(encoding="utf-8")
