"""Real scenes and ratings, which lie beside this repository where it is worked on and belong to others."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("CHARACTERBOX_SHARED") or Path(__file__).parents[3] / "shared")


def real(*parts: str) -> Path:
    """A file or folder of the real data; the test is skipped where it is not there."""
    path = FOLDER.joinpath("data", *parts)
    if not path.exists():
        pytest.skip(f"the real data is not here: {path} (set CHARACTERBOX_SHARED)")
    return path
