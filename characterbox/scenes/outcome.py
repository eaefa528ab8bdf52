"""What comes out of a scene file: the scenes, what was done to them, and which could not be used."""

from dataclasses import dataclass

from annotations.wording import say
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
        if self.scene:
            return say("scene {scene}: {field}: {what}", scene=self.scene, field=self.field, what=self.what)
        return say("the file: {field}: {what}", field=self.field, what=self.what)


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
    line: int
    """Where the field stands in the file, or what it is missing in; from 1."""

    def __str__(self) -> str:
        return say("scene {scene} (number {position}, line {line}): {field}: {why}; {remedy}", **vars(self))


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
                raise SceneError(say("{where}: {what}", where=scene_file.name, what=refusal))
    choice = choice_of([scene.id for scene in scene_file.scenes])
    raise SceneError(
        say("{name}: no scene has the id {id!r}; {choice}", name=scene_file.name, id=scene_id, choice=choice)
    )


def choice_of(names: list[str]) -> str:
    """The names there are, as the end of a message; the first forty of a long list."""
    if not names:
        return say("there is none that can be used")
    listed = say(", ").join(names[:_IDS_SHOWN])
    if len(names) > _IDS_SHOWN:
        return say("there are {names} and {count} more", names=listed, count=len(names) - _IDS_SHOWN)
    return say("there are {names}", names=listed)
