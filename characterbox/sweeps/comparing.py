"""Two folders of a sweep, compared: whether the second run came to the same, and what differs."""

import csv
import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from characterbox.errors import StoryError
from characterbox.sweeps.folder import sums_of

MOST_TOLD = 20
"""Differences of a file that are told."""


def check_sweep(folder: Path) -> None:
    """Raises StoryError if a folder holds no sweep."""
    if not (folder / "sweep.toml").is_file():
        raise StoryError(f"{folder}: there is no sweep.toml in it; name a folder that a sweep was written to")


def differences(one: Path, other: Path) -> Iterator[str]:
    """What differs, in a sentence each; nothing where both runs came to the same.

    Raises StoryError if one of the folders holds no sweep.
    """
    for folder in (one, other):
        check_sweep(folder)
    left, right = sums_of(one), sums_of(other)
    for name in sorted({*left, *right}):
        if name not in right:
            yield f"{name}: in {one} only"
        elif name not in left:
            yield f"{name}: in {other} only"
        elif left[name] != right[name]:
            try:
                yield from _within(name, one / name, other / name)
            except (ValueError, RecursionError, csv.Error):
                yield f"{name}: differs, and one of the two can't be read"


def _within(name: str, one: Path, other: Path) -> Iterator[str]:
    if name.endswith(".csv"):
        told = [*_rows(name, one, other)]
    elif name == "versions.json":
        told = [*_values(name, json.loads(one.read_text("utf-8")), json.loads(other.read_text("utf-8")))]
    else:
        told = [f"{name}: differs"]
    yield from told[:MOST_TOLD]
    if len(told) > MOST_TOLD:
        yield f"{name}: and {len(told) - MOST_TOLD:,} more differences"


def _rows(name: str, one: Path, other: Path) -> Iterator[str]:
    with one.open(encoding="utf-8", newline="") as first, other.open(encoding="utf-8", newline="") as second:
        rows = zip_longest(csv.DictReader(first), csv.DictReader(second))
        for line, (left, right) in enumerate(rows, 2):
            if left is None or right is None:
                yield f"{name}, line {line}: in one of the two only"
                continue
            for column in sorted({*left, *right}, key=str):
                if left.get(column) != right.get(column):
                    yield f"{name}, line {line}: {column} is {left.get(column)!r}, and {right.get(column)!r}"


def _values(place: str, one: Any, other: Any) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from _values(f"{place}, {key}", one.get(key), other.get(key))
    elif one != other:
        yield f"{place}: {one!r}, and {other!r}"
