"""The scenes that come with the project, and the one way to name any scene: bundled, or in a file."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count
from pathlib import Path

from annotations.exchange.decoding import Encoding
from annotations.i18n.messages import Message, cited, joined
from characterbox.errors import SceneError
from characterbox.scenes.import_report import Repair, SceneFile, choice_of, find_scene
from characterbox.scenes.importer import read_scene_bytes, read_scene_file
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
    choice = choice_of([scene.id for scene in bundled()])
    raise SceneError(
        "bundled:{name}: there is no bundled scene with this name; {choice}", name=cited(name), choice=choice
    )


def brought_along(scenes: Iterable[Scene]) -> list[Scene]:
    """Those of the scenes that are not bundled: the others need no place in a database."""
    return [scene for scene in scenes if scene not in bundled()]


def beside_bundled(file: SceneFile) -> SceneFile:
    """The file as it can be stored. A scene with the id of a bundled one that is not that one gets another id, which is
    told; scenes of the file that are its pair go along."""
    taken = {scene.id for scene in (*bundled(), *file.scenes)}
    own = {scene.id for scene in brought_along(file.scenes)}
    renamed: dict[str, str] = {}
    for id in {scene.id for scene in bundled()} & own:
        renamed[id] = next(free for number in count(2) if (free := f"{id}-{number}") not in taken)
    if not renamed:
        return file
    told = [Repair(new, "id", _taken(id, new)) for id, new in sorted(renamed.items())]
    return replace(
        file,
        scenes=tuple(_renamed(scene, renamed) if scene.id in own else scene for scene in file.scenes),
        repairs=(*told, *(replace(one, scene=renamed.get(one.scene or "", one.scene)) for one in file.repairs)),
    )


def _taken(id: str, new: str) -> Message:
    return Message("{id!r} is the id of a different bundled scene; renamed to {new!r}", id=id, new=new)


def _renamed(scene: Scene, renamed: Mapping[str, str]) -> Scene:
    pair = renamed.get(scene.pair or "", scene.pair)
    return scene.model_copy(update={"id": renamed.get(scene.id, scene.id), "pair": pair})


def open_scene(reference: str, scene_id: str | None = None, encoding: Encoding | None = None) -> Scene:
    """The scene that `reference` names: `bundled:NAME`, or the path of a scene file, whose encoding may be named.

    `scene_id` says which scene of the file; it may be left out when the file holds one. Raises SceneError, and
    EncodingError where the file is not in that encoding.
    """
    if reference.startswith(PREFIX):
        scene = bundled_scene(reference.removeprefix(PREFIX))
        if scene_id not in (None, scene.id):
            told = {"name": reference, "id": scene_id}
            raise SceneError("{name}: this is a single bundled scene; omit the scene id {id!r}", **told)
        return scene
    scene_file = read_scene_file(Path(reference), encoding=encoding)
    if scene_id is not None:
        return find_scene(scene_file, scene_id)
    if len(scene_file.scenes) + len(scene_file.refused) > 1:
        choice = choice_of([scene.id for scene in scene_file.scenes])
        raise SceneError(
            "{name}: the file holds more than one scene; name one of them; {choice}", name=reference, choice=choice
        )
    if scene_file.refused:
        raise SceneError("{where}: {what}", where=reference, what=scene_file.refused[0].message)
    return scene_file.scenes[0]


def _only_scene(file: Traversable) -> Scene:
    scene_file = read_scene_bytes(file.name, file.read_bytes())
    if scene_file.refused or len(scene_file.scenes) != 1:
        reason = joined(one.message for one in scene_file.refused) or Message("it must contain exactly one scene")
        raise SceneError("{name}: {reason}; reinstall the package", name=file.name, reason=reason)
    return scene_file.scenes[0]
