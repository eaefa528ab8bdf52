"""Scenes of the database as files to download, made in a process under limits (see `limited`): thousands of
them take seconds, in which others' pages would wait."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from zipfile import ZIP_DEFLATED, ZipFile

from annotations.i18n.messages import Message
from characterbox.errors import SceneError, TooHeavy
from characterbox.processes.limited import run_limited, run_limited_once
from characterbox.scenes.export import AuthorsFile, as_authors, as_json, as_yaml
from characterbox.scenes.file_reading import LARGEST
from characterbox.scenes.import_report import Repair
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import heading_of
from characterbox.store import Store
from characterbox.store.scenes import SceneStore

Form = Literal["yaml", "json"]
WRITERS: Mapping[Form, Callable[[Sequence[Scene]], bytes]] = {"yaml": as_yaml, "json": as_json}
Wanted = Sequence[tuple[str, int | None]]
"""Places of scenes, each with its newest version, by which it shows that there is another one; None if bundled."""


@dataclass(frozen=True, slots=True)
class AuthorsFiles:
    """Scenes in the form of the paper's authors: a file, or an archive of a file for each work and origin."""

    count: int
    name: str
    content: bytes
    kind: str
    """The media type."""
    left_out: tuple[Repair, ...]
    """What the form has no place for."""


def saved_scenes(db: str, wanted: Wanted, form: Form) -> bytes:
    """The file of scenes. Raises SceneError if they make none, and TooHeavy if it takes more than it may."""
    return run_limited(_written, db, wanted, form)


def why_not_saved(db: str, wanted: Wanted, form: Form) -> Message | None:
    """Why scenes make no file; None if they do."""
    try:
        return run_limited_once(_fault, db, wanted, form)
    except TooHeavy as error:
        return error.message


def fault_of(scenes: Sequence[Scene], form: Form) -> Message | None:
    """As `why_not_saved`, of scenes. What is far below its limit is not written to find that out."""
    try:
        if len(as_json(scenes)) > LARGEST[f".{form}"] / 2:
            WRITERS[form](scenes)
    except SceneError as error:
        return error.message
    return None


def saved_as_authors(db: str, wanted: Wanted) -> AuthorsFiles:
    """The scenes as the paper's authors publish theirs. Raises as `saved_scenes`."""
    return run_limited_once(_as_authors, db, wanted)


def scenes_at(scenes: SceneStore, wanted: Wanted) -> dict[str, Scene]:
    """The scenes at these places, by place, in their order, without those that are gone."""
    there = scenes.newest([place for place, version in wanted if version is not None])
    if any(version is None for _, version in wanted):
        there = {**{heading_of(scene).place: scene for scene in bundled()}, **there}
    return {place: there[place] for place, _ in wanted if place in there}


def _written(db: str, wanted: Wanted, form: Form) -> bytes:
    return WRITERS[form]([*scenes_at(Store(db).scenes, wanted).values()])


def _fault(db: str, wanted: Wanted, form: Form) -> Message | None:
    return fault_of([*scenes_at(Store(db).scenes, wanted).values()], form)


def _as_authors(db: str, wanted: Wanted) -> AuthorsFiles:
    kinds: dict[tuple[str, str], list[Scene]] = {}
    for number, scene in enumerate(scenes_at(Store(db).scenes, wanted).values()):
        # The form has no ids; here they keep scenes apart that were imported under one, when they are counted.
        named = scene.model_copy(update={"id": str(number)})
        kinds.setdefault((scene.work, scene.origin), []).append(named)
    files = [as_authors(alike) for alike in kinds.values() or [[]]]
    left_out = tuple(one for file in files for one in file.left_out)
    if len(files) == 1:
        return AuthorsFiles(1, files[0].name, files[0].content, "application/json", left_out)
    return AuthorsFiles(len(files), "scenes.zip", _packed(files), "application/zip", left_out)


def _packed(files: Sequence[AuthorsFile]) -> bytes:
    """The files in one archive. Of two with one name the second is in a folder: a file's name says what is in it."""
    found = io.BytesIO()
    taken: set[str] = set()
    with ZipFile(found, "w", ZIP_DEFLATED) as archive:
        for number, file in enumerate(files):
            archive.writestr(f"{number}/{file.name}" if file.name in taken else file.name, file.content)
            taken.add(file.name)
    return found.getvalue()
