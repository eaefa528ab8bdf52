"""One small scene in the form of the paper's authors, and ways to spoil it."""

import copy
import json
from collections.abc import Callable
from typing import Any

from characterbox.scenes.import_report import SceneFile
from characterbox.scenes.importer import read_scene_bytes

WATCH: dict[str, Any] = {
    "id": 0,
    "event": "A watch goes missing",
    "time": "Midnight",
    "location": "The lobby",
    "description": "A clerk, a guest and an open safe.",
    "characters": [
        {"id": 0, "name": "Ann", "gender": "Female", "description": "The clerk.", "position": "Desk", "states": "Calm"},
        {"id": 1, "name": "Bob", "gender": "Male", "description": "A guest.", "position": "Stairs", "states": "Angry"},
    ],
    "actions": [{"action_id": 0, "character": "Ann", "character_id": 0, "action": "Looks up", "dialogue": "None"}],
    "plot": "It was in his pocket.",
}


def file_of(*scenes: object, **more: object) -> bytes:
    return json.dumps({"title": "The_Hotel", "scenes": list(scenes), **more}).encode()


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    scene = copy.deepcopy(WATCH)
    change(scene)
    return scene


def read(*scenes: object, name: str = "hotel-generated.json") -> SceneFile:
    return read_scene_bytes(name, file_of(*scenes))


def messages(file: SceneFile) -> list[str]:
    """The repairs of the first scene, without the one on its language that every scene of the authors' gets."""
    return [f"{r.field}: {r.what}" for r in file.repairs if r.scene is not None and r.field != "language"]
