"""The scenes of the paper's authors that are at hand where this project is worked on; tests that need them are skipped
elsewhere."""

import os
from functools import cache
from pathlib import Path

import pytest

from characterbox.scenes.importer import read_scene_file
from characterbox.scenes.scene import Scene

SHARED = Path(os.environ.get("CHARACTERBOX_SHARED", Path(__file__).parents[2] / "../shared"))


def authors_scenes() -> tuple[Scene, ...]:
    """All 208 of them, in four files."""
    folder = SHARED / "data" / "scenes"
    if not folder.exists():
        pytest.skip(f"{folder} is not there")
    return _read(folder)


@cache
def _read(folder: Path) -> tuple[Scene, ...]:
    return tuple(scene for file in sorted(folder.iterdir()) for scene in read_scene_file(file).scenes)
