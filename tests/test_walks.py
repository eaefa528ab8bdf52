"""What docs/architecture.md says of the rooms and of three walks through them is so."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST = {"A scene": (24, 0), "A reply": (28, 12), "A click": (24, 8)}
"""Modules, and web files, that a walk goes through at most, by how its heading begins."""
WALKS = {part.partition(",")[0]: part for part in TEXT.split("\n### ")[1:]}


@pytest.mark.parametrize("walk", MOST)
def test_each_step_of_a_walk_is_there_and_no_walk_is_long(walk: str) -> None:
    steps = re.findall(r"^\d+\. `([\w/.]+)` `(\w+)`", WALKS[walk], re.MULTILINE)
    assert len(steps) == len(re.findall(r"^\d+\. ", WALKS[walk], re.MULTILINE))
    for file, name in steps:
        assert re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8")), f"{name} is not in {file}"
    folder = re.search(r"in `([\w/]+)/`", WALKS[walk])
    web = set(re.findall(r"`(\w+\.js)`", WALKS[walk]))
    assert not folder or all((ROOT / folder[1] / name).exists() for name in web)
    assert (len({file for file, _ in steps}), len(web)) <= MOST[walk]
    assert len(web) <= MOST[walk][1]


@pytest.mark.parametrize("top", ["pages", "characterbox", "annotations"])
def test_no_folder_holds_more_than_twenty_modules(top: str) -> None:
    folders = {file.parent for file in (ROOT / top).rglob("*.py")}
    assert {str(one): len([*one.glob("*.py")]) for one in folders if len([*one.glob("*.py")]) > 20} == {}


def test_no_prefix_tells_files_of_a_folder_apart() -> None:
    for top in ("pages", "characterbox", "annotations"):
        for folder in {file.parent for file in (ROOT / top).rglob("*.py")}:
            stems = [file.stem.partition("_")[0] for file in folder.glob("*.py") if "_" in file.stem.strip("_")]
            assert {stem for stem in stems if stems.count(stem) > 2} <= set(), folder
