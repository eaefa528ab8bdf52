"""A distinct id for every scene of a file.

The authors' files count from 0 each, so their ids get the file's name in front: scene 0 of one file must not be
taken for scene 0 of another when ratings of both are analysed together.
"""

from collections import Counter
from pathlib import Path

from annotations.wording import say
from characterbox.scenes.dialect import dialect_of
from characterbox.scenes.finding import BUNDLED
from characterbox.scenes.scene import slug_of

IdNote = tuple[str, str]
"""An id and what was done to give it."""


def stem_of(name: str) -> str:
    """The file's name as it stands in front of the ids of its scenes."""
    return slug_of(Path(name).stem) or "file"


def number(name: str, entries: list[object]) -> tuple[list[str], list[IdNote]]:
    """The ids of the entries. The first of two equal ids stays; an entry without one gets its place, from 0."""
    given = [_given(name, entry) for entry in entries]
    taken = {scene_id for scene_id in given if scene_id}
    copies: Counter[str] = Counter()
    first = set(taken)
    ids: list[str] = []
    notes: list[IdNote] = []
    for place, wanted in enumerate(given):
        scene_id = wanted or f"{stem_of(name)}-{place}"
        if wanted and wanted in first:
            first.remove(wanted)
        else:
            scene_id = _free(scene_id, taken, copies)
            taken.add(scene_id)
            told = _unusable(scene_id) if wanted is None else _again(wanted, scene_id)
            notes.append((scene_id, told))
        ids.append(scene_id)
    return ids, notes


def _again(wanted: str, new: str) -> str:
    return say("{id!r} is the id of an earlier scene too; renamed to {new!r}", id=wanted, new=new)


def _unusable(new: str) -> str:
    return say("missing or unusable; set to {new!r}", new=new)


def _free(scene_id: str, taken: set[str], copies: Counter[str]) -> str:
    free = scene_id
    while free in taken:
        copies[scene_id] += 1
        free = f"{scene_id}-{copies[scene_id] + 1}"
    return free


def _given(name: str, entry: object) -> str | None:
    """The id that the file gives, or None when it gives none that can be used."""
    if not isinstance(entry, dict):
        return None
    value = entry.get("id")
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if dialect_of(entry) == "authors":
        slug = slug_of(str(value))
        return f"{stem_of(name)}-{slug}" if slug else None
    text = str(value).strip()
    usable = text.isprintable() and not text.startswith(BUNDLED)
    return text if text and usable else None
