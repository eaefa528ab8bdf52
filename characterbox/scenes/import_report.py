"""What comes of a scene file: the scenes, what was repaired, and why others cannot be used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from annotations.i18n.messages import Message, Readable, any_of, listed, to_say, wrong_with
from characterbox.errors import SceneError
from characterbox.scenes.field_names import ALIASES, PROFILE_NAMES, PROFILE_NOTES, Dialect, field_label, shown
from characterbox.scenes.scene import MisnamedError, Scene
from characterbox.scenes.search import stem_of

_IDS_SHOWN = 40


@dataclass(frozen=True)
class Repair:
    """Something that was dropped, put right or derived, or that a person should look at."""

    scene: str | None
    """The id of the scene; None for what concerns the whole file."""
    field: Readable
    """As it is called in the file."""
    what: Readable

    @property
    def message(self) -> Message:
        """The repair in one line."""
        if self.scene:
            return Message("scene {scene}: {field}: {what}", scene=self.scene, field=self.field, what=self.what)
        return Message("the file: {field}: {what}", field=self.field, what=self.what)

    def __str__(self) -> str:
        return str(self.message)


@dataclass(frozen=True)
class Refusal:
    """A scene of the file that cannot be used, while the others can."""

    scene: str
    """Its id, or the one it would have got."""
    position: int
    """Its place in the file, from 1."""
    field: str
    """As it is called in the file."""
    why: Readable
    remedy: Readable
    line: int
    """Where the field stands in the file, or what it is missing in; from 1."""

    @property
    def message(self) -> Message:
        """The refusal in one line."""
        return Message("scene {scene} (number {position}, line {line}): {field}: {why}; {remedy}", **vars(self))

    def __str__(self) -> str:
        return str(self.message)


@dataclass(frozen=True)
class SceneFile:
    """What came out of a scene file."""

    name: str
    """The file's name, without its folder."""
    scenes: tuple[Scene, ...]
    """In the order of the file, with distinct ids."""
    repairs: tuple[Repair, ...]
    """What was done to the scenes that are here."""
    refused: tuple[Refusal, ...]


def find_scene(scene_file: SceneFile, scene_id: str) -> Scene:
    """The scene with that id, or with that id before the file's name was put in front of it.

    Raises SceneError: with the reason when the scene was refused, else with the ids that there are.
    """
    for wanted in (scene_id, f"{stem_of(scene_file.name)}-{scene_id}"):
        for scene in scene_file.scenes:
            if scene.id == wanted:
                return scene
        for refusal in scene_file.refused:
            if refusal.scene == wanted:
                raise SceneError("{where}: {what}", where=scene_file.name, what=refusal.message)
    choice = choice_of([scene.id for scene in scene_file.scenes])
    raise SceneError(
        "{name}: there is no scene with the id {id!r}; {choice}", name=scene_file.name, id=scene_id, choice=choice
    )


def choice_of(names: list[str]) -> Message:
    """The names there are, as the end of a message; the first forty of a long list."""
    if not names:
        return Message("no scene in it can be used")
    known = listed(names[:_IDS_SHOWN])
    if len(names) > _IDS_SHOWN:
        return Message("available: {names} and {count} more", names=known, count=len(names) - _IDS_SHOWN)
    return Message("available: {names}", names=known)


TEXT = to_say("text")
_LIST = to_say("a list")
_TRUTH = to_say("true or false")
_OBJECT = to_say("an object with its fields")
_KINDS: Mapping[str, str] = {
    "string_type": TEXT,
    "tuple_type": _LIST,
    "model_type": _OBJECT,
    **dict.fromkeys(
        ("int_type", "int_parsing", "int_from_float", "int_parsing_size", "finite_number"), to_say("a whole number")
    ),
    **dict.fromkeys(("bool_type", "bool_parsing"), _TRUTH),
}
"""By pydantic's name of a fault, what kind of value is expected; to be said."""
_LISTS: Mapping[str, str] = {
    "cast": to_say("a list of characters"),
    ALIASES: to_say("a list of names that others use for the character"),
    **dict.fromkeys(PROFILE_NOTES, to_say("a list of texts")),
    **dict.fromkeys((*PROFILE_NAMES, "by"), to_say("a list of names")),
}
"""What is expected in the fields that are lists; to be said."""
_REASONS: dict[str, tuple[str, str]] = {
    "missing": (to_say("it is missing"), to_say("add it")),
    "extra_forbidden": (to_say("this field is not allowed here"), to_say("remove it")),
    "string_unicode": (to_say("it contains an incomplete character"), to_say("type it again")),
    "string_too_short": (to_say("it is empty"), to_say("fill it in")),
    "too_short": (to_say("it is empty"), to_say("add at least one character")),
    "literal_error": (to_say("its value is not allowed"), to_say("use {expected}")),
    "greater_than_equal": (to_say("it must be {ge} or more"), to_say("correct it")),
}
"""By pydantic's name of a fault, why a field cannot be used, and what to do; to be said."""
_OTHERS_SHOWN = 5


def of_another_kind(expected: str, found: object) -> tuple[Message, Message]:
    """Why a value of another kind than is expected cannot be used, and what to do."""
    wanted = Message(expected)
    why = Message("it must be {expected}, not {found}", expected=wanted, found=Message(_kind_of(found)))
    return why, Message("change it to {expected}", expected=wanted)


_FOUND: Mapping[type, str] = {
    type(None): to_say("empty (null)"),
    bool: _TRUTH,
    int: to_say("a number"),
    float: to_say("a decimal number"),
    str: TEXT,
    list: _LIST,
}
"""What kind of value was found; anything else is an object."""


def _kind_of(value: object) -> str:
    return _FOUND.get(type(value), to_say("an object"))


def no_scene(entry: object) -> "Unusable":
    """An entry of a list of scenes that is none."""
    return Unusable("scene", *of_another_kind(_OBJECT, entry))


class Unusable(Exception):
    """One scene of a file cannot be used."""

    def __init__(self, field: str, why: Readable, remedy: Readable) -> None:
        super().__init__(field, why, remedy)
        self.field = field
        self.why = why
        self.remedy = remedy


def unusable(error: ValidationError, dialect: Dialect, places: Sequence[int]) -> Unusable:
    """The first thing that keeps the fields from being a scene, and the names of the other fields concerned, as
    `field_label` says them."""
    found = error.errors(include_url=False)
    nested = {detail["loc"][0] for detail in found if len(detail["loc"]) > 1}
    # a cast whose characters all have faults is called too short as well
    details = [detail for detail in found if detail["type"] != "too_short" or detail["loc"][0] not in nested]
    field, why, remedy = _reason(details[0])
    others = dict.fromkeys(field_label(_reason(detail)[0], dialect, places) for detail in details[1:])
    if others:
        fields = listed([*[*others][:_OTHERS_SHOWN], *(["..."] if len(others) > _OTHERS_SHOWN else [])])
        remedy = Message("{remedy} (also fix: {fields})", remedy=remedy, fields=fields)
    return Unusable(field_label(field, dialect, places), why, remedy)


def _reason(detail: ErrorDetails) -> tuple[str, Readable, Message]:
    """The field in house form, why it cannot be used, and what to do."""
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{shown(step)}" for step in detail["loc"]).lstrip(".")
    if isinstance(error := detail.get("ctx", {}).get("error"), MisnamedError):
        return error.wrong
    if detail["type"] == "value_error":
        return field or "cast", wrong_with(detail), Message("rename one of them, or give it a name")
    if (kind := _KINDS.get(detail["type"])) is not None:
        named = next((step for step in reversed(detail["loc"]) if isinstance(step, str)), "")
        expected = _LISTS.get(named, kind) if detail["type"] == "tuple_type" else kind
        return field, *of_another_kind(expected, detail["input"])
    if detail["type"] not in _REASONS:
        return field, Message("it cannot be read ({error})", error=detail["msg"]), Message("correct it")
    values = dict(detail.get("ctx", {}))
    if "expected" in values:
        values["expected"] = any_of(str(values["expected"]))
    why, remedy = (Message(text, **values) for text in _REASONS[detail["type"]])
    return field, why, remedy
