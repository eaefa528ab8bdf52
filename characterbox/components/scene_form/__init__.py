"""The form in which a person writes a scene: its fields, its characters, and what each of them knows.

What the browser is given is one JSON object::

    {"id": names what is written, "tongue": the language of the interface, "language": that of the scene,
     "fields": {name: {"label", "hint", "kind": "line" | "text" | "choice", "options": [[value, label], ...],
                       "half": whether two of them stand side by side}, ...},
     "notes": {"knowledge" | "unaware": {"label", "hint"}},
     "words": {"add", "remove", "removed", "put_back", "up", "down", "character", "around", "note", "add_note",
               "remove_note", "submit"},
     "values": a scene in house form to begin with,
     "faults": {field: {"text", "caution"}, ...} by their names in house form, such as `cast[0].name`,
     "tried": how often it was tried to store what has faults, "state": what is said of how it is kept,
     "problem": why it could not be stored, or None}

It tells each change as the state `draft`, and the press of the button as the trigger `save`; both are `{"id",
"values"}`. What is in the fields is never replaced while the same thing is written.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

Told = Callable[[str, dict[str, Any]], None]
"""Takes the id of what is written, and the values of its fields, as a browser says them."""


@cache
def scene_form_js() -> str:
    """The form as one ECMAScript module."""
    parts = [files(__name__).joinpath(name).read_text(encoding="utf-8") for name in ("fields.js", "scene_form.js")]
    return "\n".join(parts)


@cache
def scene_form_css() -> str:
    """The style sheet of the form."""
    return files(__name__).joinpath("scene_form.css").read_text(encoding="utf-8")


def heard(told: Told) -> Callable[[object], None]:
    """Passes on what a browser says if it has the right shape."""

    def hear(said: object) -> None:
        match said:
            case {"id": str(id), "values": dict(values)}:
                told(id, values)

    return hear
