"""The form of a scene file as a JSON Schema, for editors that check a file while somebody writes it.

    python -m characterbox.scenes.schema > docs/en/reference/scene.schema.json

It says what a file holds that needs no repair; the importer puts much right that the schema marks.
"""

import json
import sys
from typing import Any

from characterbox.scenes.importer import MOST_SCENES
from characterbox.scenes.scene import MOST_HEADING, MOST_NAME, Scene

_ITSELF = {"type": "string", "description": "Where this schema is, for the editor; not part of the scene."}
_BOUNDS = {("Scene", "title"): MOST_HEADING, ("Scene", "work"): MOST_HEADING, ("Profile", "name"): MOST_NAME}


def schema() -> dict[str, Any]:
    """The schema of a file in this project's own form: one scene, or several of them under `scenes`."""
    scene = Scene.model_json_schema()
    parts = {name: _in_words(part) for name, part in scene.pop("$defs").items()}
    parts["Scene"] = _in_words(scene)
    for (part, field), most in _BOUNDS.items():
        parts[part]["properties"][field]["maxLength"] = most
    of_scene = {"$ref": "#/$defs/Scene"}
    alone = {**parts["Scene"], "title": "One scene"}
    alone["properties"] = {"$schema": _ITSELF, **alone["properties"]}
    several = {
        "title": "Several scenes",
        "type": "object",
        "properties": {
            "$schema": _ITSELF,
            "scenes": {"type": "array", "items": of_scene, "minItems": 1, "maxItems": MOST_SCENES},
        },
        "required": ["scenes"],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "CharacterBox scenes",
        "description": "One scene, or several of them under `scenes`, as JSON or YAML.",
        "if": {"type": "object", "required": ["scenes"]},
        "then": several,
        "else": alone,
        "$defs": parts,
    }


def written() -> str:
    """The schema as it stands in docs/en/reference/scene.schema.json."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _in_words(part: dict[str, Any]) -> dict[str, Any]:
    """The part without the titles that pydantic makes of the names of fields, its descriptions on one line."""
    fields = {}
    for name, field in part["properties"].items():
        kept = {key: value for key, value in field.items() if key != "title"}
        fields[name] = {**kept, "description": " ".join(field["description"].split())}
    return {**part, "description": " ".join(part["description"].split()), "properties": fields}


if __name__ == "__main__":
    sys.stdout.write(written())
