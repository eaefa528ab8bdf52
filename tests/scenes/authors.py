"""The scenes of the paper's authors that are at hand where this project is worked on; tests that need them are skipped
elsewhere."""

from functools import cache
from pathlib import Path

from characterbox.scenes.importer import read_scene_file
from characterbox.scenes.scene import Scene
from tests.fakes.real_data import real


def authors_scenes() -> tuple[Scene, ...]:
    """All 208 of them, in four files."""
    return _read(real("scenes"))


@cache
def _read(folder: Path) -> tuple[Scene, ...]:
    return tuple(scene for file in sorted(folder.iterdir()) for scene in read_scene_file(file).scenes)
