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

from collections.abc import Mapping
from typing import Any

from characterbox.components.web import Component, Told, form_heard

_SCENE_FORM = Component(
    "scene_form",
    ("player/nodes.js", "form.js", "scene_form/scene_form.js"),
    ("theme.css", "form.css", "scene_form/scene_form.css"),
)


def show_scene_form(data: Mapping[str, Any], key: str, *, on_draft: Told, on_save: Told) -> None:
    """Put the form on the page; `key` names this place of the page across reruns."""
    _SCENE_FORM.mount(key, data, draft=form_heard(on_draft), save=form_heard(on_save))
