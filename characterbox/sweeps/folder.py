"""A sweep as one folder, which another person can run again, and what differs between two such folders."""

import csv
import io
import json
import os
import shutil
from collections.abc import Iterator
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from characterbox.atomic_file import not_written, there_already
from characterbox.errors import StoryError
from characterbox.processes.limited import run_limited
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.sweeps.contents import MEASURED, files_of
from characterbox.sweeps.sweep import Sweep

SUMS = "SHA256SUMS"
_LONGEST = 60
"""Letters of a folder's name in a zip file."""
MOST_TOLD = 20
"""Differences of a file that are told."""


def check_free(folder: Path) -> None:
    """Raises FileError if a folder is there already, with something in it, or can't be made."""
    folder = folder.resolve()
    part = _part(folder)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise there_already(folder)
        part.mkdir(exist_ok=True)
        part.rmdir()
    except OSError as error:
        raise not_written(folder, error) from None


def _part(folder: Path) -> Path:
    """Where a folder is until it is whole."""
    return folder.with_name(f".{folder.name}.part")


def write_folder(store: Store, sweep: Sweep, folder: Path) -> None:
    """Write a sweep, as far as it is done. The folder gets its name when it is whole; FileError if it is there."""
    folder = folder.resolve()
    shutil.rmtree(_part(folder), ignore_errors=True)
    check_free(folder)
    part = _part(folder)
    try:
        for name, content in files_of(store, sweep):
            file = part / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (part / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums_of(part).items()), "utf-8")
        if folder.exists():
            folder.rmdir()
        os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def saved_folder(db: str, sweep: Sweep) -> bytes:
    """The same as `folder_zip`, made in a process under limits, where others' pages do not wait for it.

    Raises TooHeavy if it takes more than it may; commands have no such limits.
    """
    return run_limited(_zipped, db, sweep)


def _zipped(db: str, sweep: Sweep) -> bytes:
    return folder_zip(Store(db), sweep)


def folder_zip(store: Store, sweep: Sweep) -> bytes:
    """The folder of a sweep as one file, the same byte for byte where the folder is."""
    packed, name = io.BytesIO(), slug_of(sweep.name)[:_LONGEST]
    with TemporaryDirectory() as place, ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        folder = Path(place) / name
        write_folder(store, sweep, folder)
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            entry = ZipInfo(f"{name}/{file.relative_to(folder).as_posix()}")  # without the time of the file
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes(), ZIP_DEFLATED)
    return packed.getvalue()


def sums_of(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file that is the same in each run, by its name, in order."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    names = [file.relative_to(folder).as_posix() for file in files]
    return {
        name: sha256(file.read_bytes()).hexdigest()
        for name, file in zip(names, files, strict=True)
        if name != SUMS and not name.startswith(f"{MEASURED}/")
    }


def check_sweep(folder: Path) -> None:
    """Raises StoryError if a folder holds no sweep."""
    if not (folder / "sweep.toml").is_file():
        raise StoryError(f"{folder}: there is no sweep.toml in it; name a folder that a sweep was written to")


def differences(one: Path, other: Path) -> Iterator[str]:
    """What differs, in a sentence each; nothing where both runs came to the same.

    LaTeX is not compared: it sets the figures of the CSV files beside it, each version of the app in its own layout.

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
        elif left[name] != right[name] and not name.endswith(".tex"):
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
