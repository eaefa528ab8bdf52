"""The fields of a scene as the form has them, and what comes back from the form."""

from collections.abc import Mapping
from typing import Any

from annotations.wording import say, to_say
from characterbox.llm.reading import storable
from characterbox.scenes.dialect import ENVIRONMENT_FIELDS, PROFILE_NOTES
from characterbox.scenes.scene import Scene
from characterbox.values import LANGUAGES
from pages.parts.scenes_words import FIELDS, HINTS, ORIGINS

Values = Mapping[str, Any]
"""A scene in house form, in which anything may be empty."""
KINDS = {
    "time": "line",
    "location": "line",
    "title": "line",
    "work": "line",
    "author": "line",
    "name": "line",
    "gender": "line",
}
"""How fields are written that are no text of several lines."""
HALF = ("language", "origin", "time", "location", "name", "gender")
"""Fields of which two stand side by side where there is room."""
CHOICES: Mapping[str, Mapping[str, str]] = {"language": LANGUAGES, "origin": ORIGINS}
WORDS = {
    "add": to_say("Add a character"),
    "remove": to_say("Remove"),
    "removed": to_say("{name} is removed."),
    "put_back": to_say("Put back"),
    "up": to_say("Move up"),
    "down": to_say("Move down"),
    "character": to_say("Character {number}"),
    "around": to_say("Where it begins"),
    "note": to_say("Note {number}"),
    "add_note": to_say("Add a note"),
    "remove_note": to_say("Remove the note"),
    "submit": to_say("Save"),
}
HEAD = ("title", "work", "language", "origin", "author", "plot")
PROFILE = ("name", "gender", "position", "state", "description")
EMPTY: Values = {"cast": [{}, {}], "environment": {}}
"""What a new scene begins with, besides its language."""


def form_fields() -> dict[str, dict[str, Any]]:
    """The fields as the form is given them."""
    return {name: _field(name) for name in FIELDS if name not in ("cast", *PROFILE_NOTES)}


def form_notes() -> dict[str, dict[str, str]]:
    """The lists of notes of each character, as the form is given them."""
    return {kind: {"label": say(FIELDS[kind]), "hint": say(HINTS[kind])} for kind in PROFILE_NOTES}


def values_of(scene: Scene) -> dict[str, Any]:
    """What stands in the form of a scene at first."""
    return read_values(scene.model_dump(mode="json"))


def read_values(said: Values) -> dict[str, Any]:
    """What a browser said, with all fields that the form has, and no others."""
    around, cast = said.get("environment"), said.get("cast")
    return {
        **{name: _text(said.get(name)) for name in HEAD},
        "environment": {name: _text(_of(around, name)) for name in ENVIRONMENT_FIELDS},
        "cast": [_profile(one) for one in (cast if isinstance(cast, list) else [])],
    }


def with_the_rest(values: Values, scene: Scene | None, id: str) -> dict[str, Any]:
    """The values together with what the form does not have: the id, and how the scene was made."""
    kept = {} if scene is None else scene.model_dump(mode="json", include={"passage", "crafted", "pair"})
    return {**kept, **values, "id": id}


def _profile(said: object) -> dict[str, Any]:
    texts = {name: _text(_of(said, name)) for name in PROFILE}
    return {**texts, **{kind: _notes(said, kind) for kind in PROFILE_NOTES}}


def _notes(said: object, kind: str) -> list[str]:
    notes = _of(said, kind)
    return [_text(note) for note in notes] if isinstance(notes, list) else []


def _of(said: object, name: str) -> object:
    return said.get(name) if isinstance(said, dict) else None


def _text(value: object) -> str:
    return storable(value) if isinstance(value, str) else ""


def _field(name: str) -> dict[str, Any]:
    hint = say(HINTS[name]) if name in HINTS else ""
    told = {"label": say(FIELDS[name]), "hint": hint}
    field: dict[str, Any] = {**told, "kind": KINDS.get(name, "text"), "half": name in HALF}
    if name in CHOICES:
        return {**field, "kind": "choice", "options": [[value, say(told)] for value, told in CHOICES[name].items()]}
    return field
