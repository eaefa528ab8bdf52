"""Scene files from outside: the format of the paper's authors and this project's own, as JSON or YAML.

A file that is no scene file raises SceneError. A scene in it that cannot be used is refused, the others are imported.
What was dropped or put right on the way is reported, never done in silence.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from characterbox.errors import SceneError
from characterbox.scenes.bounds import overlong
from characterbox.scenes.dialect import Fields, Note, dialect_of, field_label, in_house_form, is_scene
from characterbox.scenes.numbering import number, stem_of
from characterbox.scenes.outcome import Refusal, Repair, SceneFile
from characterbox.scenes.reading import Plain, parse, read_bytes
from characterbox.scenes.refusing import Unusable, unusable
from characterbox.scenes.scene import Origin, Scene
from characterbox.scenes.tidying import fill_in, tidy, without_copies
from characterbox.scenes.tongue import language_by_letters
from characterbox.values import Language

MOST_SCENES = 10_000

_BY_NAME: dict[str, Origin] = {"-extracted": "extracted", "-generated": "generated"}
"""How the authors end the names of their files."""


@dataclass(frozen=True)
class _Source:
    """What holds for every scene of the file that does not say otherwise."""

    name: str
    language: Language | None
    work: str | None
    origin: Origin


def read_scene_file(path: Path, language: Language | None = None) -> SceneFile:
    """The scenes of a file. `language` is that of all its scenes; without it, each says so or its letters do.

    Raises SceneError, naming file, place and remedy, when the file as a whole cannot be used.
    """
    return read_scene_bytes(path.name, read_bytes(path), language)


def read_scene_bytes(name: str, raw: bytes, language: Language | None = None) -> SceneFile:
    """As `read_scene_file`, for a file that is already in memory, such as an upload. `name` is the file's name."""
    plain = parse(name, raw)
    entries, title = _entries(name, plain.data)
    source = _source(name, title, language)
    repairs = _about_the_file(source, title, plain, entries)
    ids, id_notes = number(name, entries)
    renamed = dict(id_notes)
    scenes: list[Scene] = []
    refused: list[Refusal] = []
    for position, (entry, scene_id) in enumerate(zip(entries, ids, strict=True), start=1):
        try:
            scene, done = _scene(entry, scene_id, source)
        except Unusable as reason:
            refused.append(Refusal(scene_id, position, reason.field, reason.why, reason.remedy))
            continue
        scenes.append(scene)
        repairs += [Repair(scene_id, "id", renamed[scene_id])] if scene_id in renamed else []
        repairs += done
    return SceneFile(name, tuple(scenes), tuple(repairs), tuple(refused))


def _entries(name: str, data: object) -> tuple[list[object], object]:
    """The scenes of the file, still unchecked, and the file's title."""
    title: object = None
    entries: object = data
    if isinstance(data, dict) and "scenes" in data:
        entries, title = data["scenes"], data.get("title")
    elif isinstance(data, dict) and is_scene(data):
        entries = [data]
    elif not isinstance(data, list):
        raise SceneError(f"{name}: scenes: this is no scene file; it needs a list 'scenes', or one scene with its cast")
    if not isinstance(entries, list):
        raise SceneError(f"{name}: scenes: this is not a list; make it a list of scenes")
    if not entries:
        raise SceneError(f"{name}: scenes: the list is empty; choose a file with at least one scene")
    if len(entries) > MOST_SCENES:
        raise SceneError(f"{name}: scenes: {len(entries):,} are more than the {MOST_SCENES:,} that are read; split it")
    return entries, title


def _name_ending(name: str) -> str:
    """`-extracted` or `-generated` where the file's name ends so, else nothing."""
    stem = Path(name).stem
    return next((stem[-len(ending) :] for ending in _BY_NAME if stem.casefold().endswith(ending)), "")


def _source(name: str, title: object, language: Language | None) -> _Source:
    """Work and origin, which the authors' form holds in the title and in the file's name."""
    ending = _name_ending(name)
    named = title if isinstance(title, str) and title.strip("_ \t\r\n") else Path(name).stem.removesuffix(ending)
    return _Source(name, language, " ".join(named.replace("_", " ").split()), _BY_NAME.get(ending.lower(), "extracted"))


def _about_the_file(source: _Source, title: object, plain: Plain, entries: list[object]) -> list[Repair]:
    """What is said once for a file, rather than for each of its scenes."""
    repairs = [Repair(None, repr(key), "stands twice in one object; the last one counts") for key in plain.repeated]
    if isinstance(plain.data, dict) and "scenes" in plain.data:
        repairs += [Repair(None, repr(key), "dropped") for key in plain.data if key not in ("title", "scenes")]
    scenes = [entry for entry in entries if isinstance(entry, dict) and dialect_of(entry) == "authors"]
    if not scenes:
        return repairs
    why = "as the file's name says" if _name_ending(source.name) else "which is a guess; add 'origin' to the scenes"
    if any("origin" not in scene for scene in scenes):
        repairs.append(Repair(None, "origin", f"not in the file; set to {source.origin}, {why}"))
    if source.work != title:
        repairs.append(Repair(None, "title", f"the work is taken to be {source.work!r}"))
    prefix = stem_of(source.name)
    repairs.append(Repair(None, "id", f"'{prefix}-' put in front, so that scenes of different files keep apart"))
    counts = [len(scene["actions"]) for scene in scenes if scene.get("actions") and isinstance(scene["actions"], list)]
    if counts:
        what = f"{sum(counts)} actions left out of {len(counts)} scenes; a scene is an opening, its play comes later"
        repairs.append(Repair(None, "actions", what))
    return repairs


def _scene(entry: object, scene_id: str, source: _Source) -> tuple[Scene, list[Repair]]:
    """The scene that an entry of the file describes. Raises Unusable."""
    if not isinstance(entry, dict):
        raise Unusable("scene", "it is not an object", "write it as one, or take it out")
    dialect = dialect_of(entry)
    fields, left_out = in_house_form(entry, dialect)
    fields["id"] = scene_id
    if dialect == "authors":
        fields = {"work": source.work, "origin": source.origin, **fields}
    notes = tidy(fields) + _set_language(fields, source.language)
    language: Language = "zh" if fields["language"] == "zh" else "en"
    notes += fill_in(fields, language)
    cast = fields.get("cast")
    if isinstance(cast, list):
        fields["cast"], copies = without_copies(cast)
        notes += copies
    try:
        scene = Scene.model_validate(fields)
    except ValidationError as error:
        raise unusable(error, dialect) from error
    for field, most in overlong(scene):
        raise Unusable(field_label(field, dialect), f"it is longer than {most} characters", "shorten it")
    done = left_out + [(field_label(field, dialect), what) for field, what in notes]
    return scene, [Repair(scene_id, field, what) for field, what in done]


def _set_language(fields: Fields, asked: Language | None) -> list[Note]:
    own = fields.get("language")
    if own is not None and own not in get_args(Language):
        raise Unusable("language", f"{str(own)[:20]!r} is not known", "write 'en' or 'zh'")
    if own is not None and asked not in (None, own):
        raise Unusable("language", f"the scene says {own}, the import {asked}", "correct one of the two")
    if own is not None:
        return []
    found, evidence = language_by_letters(_all_text(fields))
    fields["language"] = asked or found
    if asked:
        return [("language", f"set to {asked} as asked, though {evidence}")] if found not in (None, asked) else []
    if found is None:
        remedy = "choose one for the import, or add 'language': 'en' or 'zh' to the scene"
        raise Unusable("language", f"not in the file, and {evidence}", remedy)
    return [("language", f"not in the file; set to {found}, {evidence}")]


def _all_text(fields: Fields) -> str:
    """All prose of the scene and the names in it."""
    cast = fields.get("cast")
    parts = [fields, fields.get("environment"), *(cast if isinstance(cast, list) else [])]
    values = [
        value
        for part in parts
        if isinstance(part, dict)
        for key, value in part.items()
        if key not in ("id", "work", "origin", "gender")
    ]
    return "\n".join(value for value in values if isinstance(value, str))
