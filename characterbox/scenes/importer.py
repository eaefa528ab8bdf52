"""Scene files from outside: the format of the paper's authors and this project's own, as JSON or YAML.

A file that is no scene file raises SceneError. A scene in it that cannot be used is refused, the others are imported.
What was dropped or put right on the way is reported, never done in silence.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from annotations.exchange.decoding import Encoding, as_utf8
from annotations.i18n.messages import Message
from characterbox.errors import SceneError
from characterbox.scenes.field_names import SCHEMA, Fields, Note, dialect_of, field_label, in_house_form, is_scene
from characterbox.scenes.file_reading import Plain, about_encoding, parse, read_bytes
from characterbox.scenes.import_report import Refusal, Repair, SceneFile, Unusable, no_scene, unusable
from characterbox.scenes.line_numbers import Step, steps_to
from characterbox.scenes.repairs import fill_in, language_by_letters, tidy, without_copies
from characterbox.scenes.scene import Origin, Scene, overlong
from characterbox.scenes.search import number, stem_of
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


def read_scene_file(path: Path, language: Language | None = None, encoding: Encoding | None = None) -> SceneFile:
    """The scenes of a file. `language` is that of all its scenes; without it, each says so or its letters do.

    Raises SceneError, naming file, place and remedy, when the file as a whole cannot be used, and EncodingError when
    it is not in the encoding that is named.
    """
    return read_scene_bytes(path.name, as_utf8(path.name, read_bytes(path), encoding), language)


def read_scene_bytes(name: str, raw: bytes, language: Language | None = None) -> SceneFile:
    """As `read_scene_file`, for a file that is already in memory, such as an upload. `name` is the file's name."""
    return read_scenes(name, parse(name, raw), language)


def read_scenes(name: str, plain: Plain, language: Language | None = None) -> SceneFile:
    """As `read_scene_file`, for what is no longer bytes."""
    entries, ways = _entries(name, plain)
    title = plain.data.get("title") if isinstance(plain.data, dict) and "scenes" in plain.data else None
    source = _source(name, title, language)
    ids, id_notes = number(name, entries)
    renamed = dict(id_notes)
    scenes: list[Scene] = []
    used: list[Fields] = []
    repairs: list[Repair] = []
    refused: list[Refusal] = []
    for position, (entry, scene_id, way) in enumerate(zip(entries, ids, ways, strict=True), start=1):
        try:
            if not isinstance(entry, dict):
                raise no_scene(entry)
            scene, done = _scene(entry, scene_id, source)
        except Unusable as reason:
            line = plain.places.line(*way, *steps_to(reason.field))
            refused.append(Refusal(scene_id, position, reason.field, reason.why, reason.remedy, line))
            continue
        scenes.append(scene)
        used.append(entry)
        repairs += [Repair(scene_id, "id", renamed[scene_id])] if scene_id in renamed else []
        repairs += done
    repairs = [*_about_the_file(source, title, plain, used), *repairs]
    return SceneFile(name, tuple(scenes), tuple(repairs), tuple(refused))


def _entries(name: str, plain: Plain) -> tuple[list[object], list[list[Step]]]:
    """The scenes of the file, still unchecked, and the steps to each of them in it."""
    way: list[Step] = []
    entries = plain.data
    if isinstance(entries, dict) and "scenes" in entries:
        entries, way = entries["scenes"], ["scenes"]
    elif isinstance(entries, dict) and is_scene(entries):
        return [entries], [way]
    elif not isinstance(entries, list):
        raise SceneError(
            "{name}: scenes: not a scene file; it needs a list 'scenes', or one scene with its cast", name=name
        )
    place = {"name": name, "line": plain.places.line(*way)}
    if not isinstance(entries, list):
        raise SceneError("{name}: line {line}: scenes: not a list; make it a list of scenes", **place)
    if not entries:
        raise SceneError(
            "{name}: line {line}: scenes: the list is empty; choose a file with at least one scene", **place
        )
    if len(entries) > MOST_SCENES:
        raise SceneError(
            "{name}: line {line}: scenes: {count:,} exceed the limit of {most:,}; split the file",
            **place,
            count=len(entries),
            most=MOST_SCENES,
        )
    return entries, [[*way, number] for number in range(len(entries))]


def _name_ending(name: str) -> str:
    """`-extracted` or `-generated` where the file's name ends so, else nothing."""
    stem = Path(name).stem
    return next((stem[-len(ending) :] for ending in _BY_NAME if stem.casefold().endswith(ending)), "")


def _source(name: str, title: object, language: Language | None) -> _Source:
    """Work and origin, which the authors' form holds in the title and in the file's name."""
    ending = _name_ending(name)
    named = _named(title) or Path(name).stem.removesuffix(ending)
    return _Source(name, language, " ".join(named.replace("_", " ").split()), _BY_NAME.get(ending.lower(), "extracted"))


def _about_the_file(source: _Source, title: object, plain: Plain, used: list[Fields]) -> list[Repair]:
    """What is said once for a file, rather than for each of its scenes that can be used."""
    twice = Message("occurs twice in one object; the last one is used")
    repairs = [Repair(None, *note) for note in about_encoding(plain)]
    repairs += [Repair(None, repr(key), twice) for key in plain.repeated]
    if isinstance(plain.data, dict) and "scenes" in plain.data:
        others = [key for key in plain.data if key not in ("title", "scenes", SCHEMA)]
        repairs += [Repair(None, repr(key), Message("dropped")) for key in others]
    scenes = [entry for entry in used if dialect_of(entry) == "authors"]
    if not scenes:
        return repairs
    if any("origin" not in scene for scene in scenes):
        repairs.append(Repair(None, "origin", _about_origin(source)))
    if source.work != title and any("work" not in in_house_form(scene, "authors")[0] for scene in scenes):
        repairs.append(Repair(None, *_about_work(source, title)))
    apart = Message("'{stem}-' is added in front, to keep scenes from different files apart", stem=stem_of(source.name))
    repairs.append(Repair(None, "id", apart))
    counts = [len(scene["actions"]) for scene in scenes if scene.get("actions") and isinstance(scene["actions"], list)]
    if counts:
        what = Message(
            "{actions} actions dropped from {scenes} scenes; a scene is only the opening",
            actions=sum(counts), scenes=len(counts),
        )  # fmt: skip
        repairs.append(Repair(None, "actions", what))
    return repairs


def _named(title: object) -> str | None:
    """The title of a file, which in the authors' form is the work; None where there is none."""
    return title if isinstance(title, str) and title.strip("_ \t\r\n") else None


def _about_work(source: _Source, title: object) -> Note:
    if _named(title) is None:
        return "work", Message("not in the file; set to {work!r} from the file name", work=source.work)
    return "title", Message("the work is set to {work!r}", work=source.work)


def _about_origin(source: _Source) -> Message:
    if _name_ending(source.name):
        return Message("not in the file; set to {origin!r} from the file name", origin=source.origin)
    return Message(
        "not in the file; set to {origin}, which is a guess; add 'origin' to the scenes to be sure",
        origin=source.origin,
    )


def _scene(entry: Fields, scene_id: str, source: _Source) -> tuple[Scene, list[Repair]]:
    """The scene that an entry of the file describes. Raises Unusable."""
    dialect = dialect_of(entry)
    fields, left_out = in_house_form(entry, dialect)
    fields["id"] = scene_id
    if dialect == "authors":
        fields = {"work": source.work, "origin": source.origin, **fields}
    notes = tidy(fields) + _set_language(fields, source.language)
    language: Language = "zh" if fields["language"] == "zh" else "en"
    notes += fill_in(fields, language)
    cast = fields.get("cast")
    kept, copies = without_copies(cast if isinstance(cast, list) else [])
    if copies:
        fields["cast"] = [*kept.values()]
    places = [*kept]
    notes += copies
    try:
        scene = Scene.model_validate(fields)
    except ValidationError as error:
        raise unusable(error, dialect, places) from error
    for field, most in overlong(scene):
        told = Message("it is longer than {most} characters", most=most)
        raise Unusable(field_label(field, dialect, places), told, Message("shorten it"))
    done = left_out + [(field_label(field, dialect), what) for field, what in notes]
    return scene, [Repair(scene_id, field, what) for field, what in done]


def _set_language(fields: Fields, asked: Language | None) -> list[Note]:
    own = fields.get("language")
    if own is not None and own not in get_args(Language):
        raise Unusable(
            "language", Message("{value!r} is not supported", value=str(own)[:20]), Message("use 'en' or 'zh'")
        )
    if own is not None and asked not in (None, own):
        told = Message("the scene has {own}, but the import was set to {asked}", own=own, asked=asked)
        raise Unusable("language", told, Message("correct one of the two"))
    if own is not None:
        return []
    found, evidence = language_by_letters(_all_text(fields))
    fields["language"] = asked or found
    if asked:
        told = Message("set to {language} as chosen, although {evidence}", language=asked, evidence=evidence)
        return [("language", told)] if found not in (None, asked) else []
    if found is None:
        remedy = Message("choose a language for the import, or add 'language': 'en' or 'zh' to the scene")
        raise Unusable("language", Message("not in the file, and {evidence}", evidence=evidence), remedy)
    return [
        (
            "language",
            Message("not in the file; set to {language}, because {evidence}", language=found, evidence=evidence),
        )
    ]


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
