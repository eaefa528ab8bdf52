"""The scenes that come with the project, and the one way to name any scene: bundled, or in a file."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from characterbox.errors import SceneError
from characterbox.scenes.importer import read_scene_bytes, read_scene_file
from characterbox.scenes.outcome import choice_of, find_scene
from characterbox.scenes.scene import Scene

PREFIX = "bundled:"


@cache
def bundled() -> tuple[Scene, ...]:
    """All bundled scenes, English before Chinese, then by id."""
    folder = files("characterbox.scenes") / "bundled"
    found = [file for part in folder.iterdir() if part.is_dir() for file in part.iterdir()]
    scenes = [_only_scene(file) for file in found if file.name.endswith(".yaml")]
    return tuple(sorted(scenes, key=lambda scene: (scene.language, scene.id)))


def bundled_scene(name: str) -> Scene:
    """The bundled scene with the id `name`. Raises SceneError with the names there are."""
    for scene in bundled():
        if scene.id == name:
            return scene
    names = [scene.id for scene in bundled()]
    raise SceneError(f"{PREFIX}{name}: no bundled scene has this name; {choice_of(names)}")


def brought_along(scenes: Iterable[Scene]) -> list[Scene]:
    """Those of the scenes that are not bundled: the others need no place in a database."""
    return [scene for scene in scenes if scene not in bundled()]


def open_scene(reference: str, scene_id: str | None = None) -> Scene:
    """The scene that `reference` names: `bundled:NAME`, or the path of a scene file.

    `scene_id` says which scene of the file; it may be left out when the file holds one. Raises SceneError.
    """
    if reference.startswith(PREFIX):
        scene = bundled_scene(reference.removeprefix(PREFIX))
        if scene_id not in (None, scene.id):
            raise SceneError(f"{reference}: a bundled scene is a single one; leave out the scene id {scene_id!r}")
        return scene
    scene_file = read_scene_file(Path(reference))
    if scene_id is not None:
        return find_scene(scene_file, scene_id)
    if len(scene_file.scenes) + len(scene_file.refused) > 1:
        ids = [scene.id for scene in scene_file.scenes]
        raise SceneError(f"{reference}: the file holds more than one scene, say which; {choice_of(ids)}")
    if scene_file.refused:
        raise SceneError(f"{reference}: {scene_file.refused[0]}")
    return scene_file.scenes[0]


def _only_scene(file: Traversable) -> Scene:
    scene_file = read_scene_bytes(file.name, file.read_bytes())
    if scene_file.refused or len(scene_file.scenes) != 1:
        reason = "; ".join(map(str, scene_file.refused)) or "it must hold exactly one scene"
        raise SceneError(f"{file.name}: {reason}; install the package again")
    return scene_file.scenes[0]
