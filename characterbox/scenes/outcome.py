"""What comes out of a scene file: the scenes, what was done to them, and which could not be used."""

from dataclasses import dataclass

from characterbox.errors import SceneError
from characterbox.scenes.numbering import stem_of
from characterbox.scenes.scene import Scene

_IDS_SHOWN = 40


@dataclass(frozen=True)
class Repair:
    """Something that was dropped, put right or derived, or that a person should look at."""

    scene: str | None
    """The id of the scene; None for what concerns the whole file."""
    field: str
    """As it is called in the file."""
    what: str

    def __str__(self) -> str:
        return f"{f'scene {self.scene}' if self.scene else 'the file'}: {self.field}: {self.what}"


@dataclass(frozen=True)
class Refusal:
    """A scene of the file that cannot be used, while the others can."""

    scene: str
    """Its id, or the one it would have got."""
    position: int
    """Its place in the file, from 1."""
    field: str
    """As it is called in the file."""
    why: str
    remedy: str

    def __str__(self) -> str:
        return f"scene {self.scene} (number {self.position}): {self.field}: {self.why}; {self.remedy}"


@dataclass(frozen=True)
class SceneFile:
    """What came out of a scene file."""

    name: str
    """The file's name, without its folder."""
    scenes: tuple[Scene, ...]
    """In the order of the file, with distinct ids."""
    repairs: tuple[Repair, ...]
    """What was done to the scenes that are here."""
    refused: tuple[Refusal, ...]


def find_scene(scene_file: SceneFile, scene_id: str) -> Scene:
    """The scene with that id, or with that id before the file's name was put in front of it.

    Raises SceneError: with the reason when the scene was refused, else with the ids that there are.
    """
    for wanted in (scene_id, f"{stem_of(scene_file.name)}-{scene_id}"):
        for scene in scene_file.scenes:
            if scene.id == wanted:
                return scene
        for refusal in scene_file.refused:
            if refusal.scene == wanted:
                raise SceneError(f"{scene_file.name}: {refusal}")
    ids = [scene.id for scene in scene_file.scenes]
    raise SceneError(f"{scene_file.name}: no scene has the id {scene_id!r}; {choice_of(ids)}")


def choice_of(names: list[str]) -> str:
    """The names there are, as the end of a message; the first forty of a long list."""
    if not names:
        return "there is none that can be used"
    more = f" and {len(names) - _IDS_SHOWN} more" if len(names) > _IDS_SHOWN else ""
    return f"there are {', '.join(names[:_IDS_SHOWN])}{more}"
