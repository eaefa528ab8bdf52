"""Scenes written to a file: in this project's own form, which loses nothing, and in that of the paper's authors."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from annotations.i18n.messages import Message, Readable
from characterbox.errors import SceneError
from characterbox.scenes.field_names import (
    ENVIRONMENT_FIELDS,
    OURS_ALONE,
    PROFILE_NOTES,
    SCENE_FIELDS,
    Fields,
)
from characterbox.scenes.file_reading import LARGEST
from characterbox.scenes.import_report import Repair
from characterbox.scenes.importer import MOST_SCENES
from characterbox.scenes.scene import Scene, slug_of

_PROFILE_ORDER = (
    *("name", "gender", "public_face", "description", "position", "state"),
    *("known_as", "other_names", "unseen_by", *PROFILE_NOTES),
)
_WIDTH = 108
"""Columns after which a line of YAML is broken at the next space."""
_LONGEST = 60
"""Characters of the name of a file, before what it ends with: file systems have room for 255 bytes."""
_HEAD = b"scenes:\n"
_NOT_FOLDED = re.compile(r"\s\n|\n[ \t]")
"""What a folded text does not keep as it is."""
_OTHER_BREAKS = re.compile(r"[\x85\u2028\u2029]")
"""Breaks of a line in YAML; they are kept only where they are escaped, which is between double quotes."""
_NO_GENDER = {"en": "Unknown", "zh": "未知"}
"""As the authors write it."""


def as_json(scenes: Sequence[Scene]) -> bytes:
    """A JSON file that reads back as the same scenes. Raises SceneError for none, or more than one file may hold."""
    _check_count(scenes)
    raw = json.dumps({"scenes": [_fields(scene) for scene in scenes]}, ensure_ascii=False, indent=2).encode() + b"\n"
    _check_size(raw, ".json", Message("choose fewer scenes"))
    return raw


def as_yaml(scenes: Sequence[Scene]) -> bytes:
    """As `as_json`, in YAML, as the bundled scenes are written; a single scene is the whole file."""
    _check_count(scenes)
    raw = bytearray(_HEAD if len(scenes) > 1 else b"")
    for scene in scenes:
        fields = _folded(_fields(scene))
        raw += _dumped({"scenes": [fields]}).removeprefix(_HEAD) if raw else _dumped(fields)
        _check_size(raw, ".yaml", Message("choose JSON, or fewer scenes"))
    return bytes(raw)


@dataclass(frozen=True)
class AuthorsFile:
    """Scenes as the paper's authors publish theirs, which hold less."""

    name: str
    """What the file has to be called: its ending says where the scenes come from."""
    content: bytes
    left_out: tuple[Repair, ...]
    """What the form has no place for."""


def as_authors(scenes: Sequence[Scene]) -> AuthorsFile:
    """The scenes in the form of the paper's authors, numbered from 0.

    Raises SceneError for none, for too many, and for scenes of several works or origins: a file there is of one.
    """
    _check_count(scenes)
    kinds = {(scene.work, scene.origin) for scene in scenes}
    if len(kinds) > 1:
        raise SceneError(
            "scenes: a file in the authors' format holds scenes of one work and one origin, but these have"
            " {count} combinations of them; write one file for each",
            count=len(kinds),
        )
    [(work, origin)] = kinds
    found = {
        "title": work.replace(" ", "_"),
        "scenes": [_as_authors(number, scene) for number, scene in enumerate(scenes)],
    }
    content = json.dumps(found, ensure_ascii=False, indent=2).encode() + b"\n"
    _check_size(content, ".json", Message("choose fewer scenes"))
    without = Message("left out")
    left_out = [Repair(None, "id", Message("the scenes are numbered instead")), Repair(None, "language", without)]
    if origin == "original":
        told = Message("left out; the format has only extracted and generated scenes")
        left_out.append(Repair(None, "origin", told))
    for scene in scenes:
        left_out += [Repair(scene.id, field, without) for field in _without_place(scene)]
    ending = "" if origin == "original" else f"-{origin}"
    stem = slug_of(work)[:_LONGEST].strip("-") or "scenes"
    return AuthorsFile(f"{stem}{ending}.json", content, tuple(left_out))


def _check_count(scenes: Sequence[Scene]) -> None:
    if not scenes:
        raise SceneError("scenes: there are none to write; choose at least one")
    if len(scenes) > MOST_SCENES:
        raise SceneError(
            "scenes: {count:,} exceed the limit of {most:,} per file; choose fewer",
            count=len(scenes),
            most=MOST_SCENES,
        )


def _check_size(raw: bytes | bytearray, ending: str, remedy: Readable) -> None:
    if len(raw) > LARGEST[ending]:
        told = {"most": LARGEST[ending], "remedy": remedy}
        raise SceneError(
            "scenes: the file would have more than {most:,} bytes and could not be imported again; {remedy}", **told
        )


def _fields(scene: Scene) -> Fields:
    """What is written of a scene: its fields in the order in which one reads them, without those left open."""
    fields = scene.model_dump(mode="json", exclude_none=True)
    fields["cast"] = [{key: one[key] for key in _PROFILE_ORDER if key in one} for one in fields["cast"]]
    return {key: fields[key] for key in SCENE_FIELDS if key in fields}


class _Prose(str):
    """A text that is written as a paragraph of its own."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """YAML in block style, lists further in than the field that they belong to."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Never without an indent, which is what `indentless` would ask for."""
        del indentless
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = ">" if isinstance(text, _Prose) and not _NOT_FOLDED.search(text) else None
    return dumper.represent_scalar(_TEXT, str(text), '"' if _OTHER_BREAKS.search(text) else style)


_TEXT = "tag:yaml.org,2002:str"
_Dumper.add_representer(str, _text)
_Dumper.add_representer(_Prose, _text)


def _dumped(fields: object) -> bytes:
    return str(yaml.dump(fields, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)).encode()


_PROSE = {*ENVIRONMENT_FIELDS, "description", "public_face", "position", "state", *PROFILE_NOTES, "plot"}


def _folded(fields: Fields) -> Fields:
    """The fields with those texts marked that are more than a heading."""
    return {key: _marked(value, prose=key in _PROSE) for key, value in fields.items()}


def _marked(value: object, *, prose: bool) -> object:
    if isinstance(value, dict):
        return _folded(value)
    if isinstance(value, list):
        return [_marked(item, prose=prose) for item in value]
    return _Prose(value) if prose and isinstance(value, str) else value


def _as_authors(number: int, scene: Scene) -> Fields:
    cast = [
        {
            "id": place,
            "name": profile.name,
            "gender": profile.gender or _NO_GENDER[scene.language],
            "description": profile.description,
            "position": profile.position,
            "states": profile.state,
        }
        for place, profile in enumerate(scene.cast)
    ]
    place = scene.environment.model_dump()
    return {
        "id": number,
        "event": scene.title,
        **place,
        "characters": cast,
        "actions": [],
        "plot": scene.plot or "",
    }


def _without_place(scene: Scene) -> list[str]:
    """The fields of the scene that the authors' form has no place for, as they are called in this project's own."""
    found = [name for name in ("author", "passage", "crafted", "pair") if getattr(scene, name) is not None]
    ours = [(place, field) for place, one in enumerate(scene.cast) for field in OURS_ALONE if getattr(one, field)]
    return found + [f"cast[{place}].{field}" for place, field in ours]
