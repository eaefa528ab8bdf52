"""The two ways in which a scene is written down, brought to one.

The house form has the fields of `Scene`. The paper's authors publish theirs as
`{"title", "scenes": [{"id", "event", "time", "location", "description", "characters": [...], "actions", "plot"}]}`
with `{"id", "name", "gender", "description", "position", "states"}` for a character.
"""

import re
from collections.abc import Sequence
from typing import Literal

from annotations.i18n.messages import Message, Readable

Fields = dict[str, object]
Dialect = Literal["house", "authors"]
Note = tuple[str, Readable]
"""A field and what was done about it."""

ENVIRONMENT_FIELDS = ("time", "location", "description")
PROFILE_TEXTS = ("name", "description", "position", "state", "gender", "public_face")
PROFILE_NOTES = ("knowledge", "unaware")
PROFILE_NAMES = ("other_names", "unseen_by")
ALIASES = "known_as"
"""A list of objects, each with a `name` and the names of those who use it, `by`."""
PROFILE_FIELDS = (*PROFILE_TEXTS, *PROFILE_NOTES, *PROFILE_NAMES, ALIASES)
OURS_ALONE = ("public_face", *PROFILE_NAMES, ALIASES, *PROFILE_NOTES)
"""Fields of a profile that the authors' form has no place for."""
MADE = ("passage", "crafted", "pair")
"""How a scene was made; in house form only."""
SCENE_FIELDS = ("id", "title", "work", "language", "origin", "author", "environment", "cast", "plot", *MADE)

_SHARED = ("id", "plot", "work", "language", "origin", "author")
SCHEMA = "$schema"
"""Names the schema of a file for the editor in which it is written."""
_AUTHORS_SCENE = {*_SHARED, SCHEMA, "event", "characters", "actions", *ENVIRONMENT_FIELDS}


def dialect_of(scene: Fields) -> Dialect:
    """Which of the two forms a scene is written in. Only the house form has `environment` and `cast`; what has no more
    than a title has the house form's name for it."""
    if "environment" in scene or "cast" in scene:
        return "house"
    return "house" if "title" in scene and not {"event", "characters"} & scene.keys() else "authors"


def is_scene(data: Fields) -> bool:
    """Whether an object looks like one scene, rather than like a file of them or like anything else."""
    return any(key in data for key in ("environment", "cast", "characters", "event"))


def field_label(field: str, dialect: Dialect, places: Sequence[int] | None = None) -> str:
    """The name that `field` of the house form has in the file that was read. `places` are those that the characters
    have there, where copies among them were dropped."""
    if places:
        field = re.sub(r"^cast\[(\d+)\]", lambda found: f"cast[{places[int(found[1])]}]", field)
    if dialect == "house":
        return field
    label = re.sub(r"^environment\.", "", field)
    label = re.sub(r"^cast\b", "characters", label)
    label = re.sub(r"\.state$", ".states", label)
    return "event" if label == "title" else label


def in_house_form(scene: Fields, dialect: Dialect) -> tuple[Fields, list[Note]]:
    """The scene with the fields of `Scene`, values unchecked, and notes on what was left out, in the file's words."""
    if dialect == "house":
        return _house(scene)
    known = _AUTHORS_SCENE if "event" in scene else {*_AUTHORS_SCENE, "title"}
    notes: list[Note] = [(shown(key), _dropped(key)) for key in scene if key not in known]
    house: Fields = {key: scene[key] for key in _SHARED if key in scene}
    if "event" in scene:
        house["title"] = scene["event"]
    elif "title" in scene:
        house["title"] = scene["title"]
        notes.append(("title", Message("read as {usual!r}", usual="event")))
    house["environment"] = {key: scene[key] for key in ENVIRONMENT_FIELDS if key in scene}
    if "characters" in scene:
        house["cast"], more = _cast(scene["characters"], "characters", "states")
        notes += more
    return house, notes


def _house(scene: Fields) -> tuple[Fields, list[Note]]:
    notes: list[Note] = [(shown(key), _dropped(key)) for key in scene if key not in (*SCENE_FIELDS, SCHEMA)]
    house = {key: value for key, value in scene.items() if key in SCENE_FIELDS}
    environment = house.get("environment")
    if isinstance(environment, dict):
        notes += [(f"environment.{shown(key)}", _not_part()) for key in environment if key not in ENVIRONMENT_FIELDS]
        house["environment"] = {key: value for key, value in environment.items() if key in ENVIRONMENT_FIELDS}
    if "cast" in house:
        house["cast"], more = _cast(house["cast"], "cast", "state")
        notes += more
    return house, notes


def shown(key: str) -> str:
    """A key of the file as it may stand in a message, whatever it consists of."""
    return key if 0 < len(key) <= 40 and key.isprintable() else ascii(key[:40])


def _dropped(key: str) -> Message:
    return (
        Message("dropped; it holds a passage of the source and is not part of the scene")
        if key == "chunk"
        else _not_part()
    )


def _not_part() -> Message:
    return Message("dropped; a scene has no such field")


def _cast(cast: object, word: str, usual: str) -> tuple[object, list[Note]]:
    if not isinstance(cast, list):
        return cast, []
    profiles: list[object] = []
    notes: list[Note] = []
    for place, character in enumerate(cast):
        if isinstance(character, dict):
            profile, more = _profile(character, usual)
            profiles.append(profile)
            notes += [(f"{word}[{place}].{key}", text) for key, text in more]
        else:
            profiles.append(character)
    return profiles, notes


def _profile(character: Fields, usual: str) -> tuple[Fields, list[Note]]:
    """`usual` is how the dialect spells the state of a character: `states` or `state`."""
    other = "state" if usual == "states" else "states"
    notes: list[Note] = [(shown(key), _not_part()) for key in character if key not in {*PROFILE_FIELDS, "id", "states"}]
    profile = {key: value for key, value in character.items() if key in PROFILE_FIELDS and key != "state"}
    if usual == "states" and character.get("gender") is None:
        notes.append(("gender", Message("missing; left empty")))
    if usual in character:
        profile["state"] = character[usual]
        if other in character:
            notes.append((other, Message("dropped; {usual!r} is also there and is used instead", usual=usual)))
    elif other in character:
        profile["state"] = character[other]
        notes.append((other, Message("read as {usual!r}", usual=usual)))
    if isinstance(aliases := profile.get(ALIASES), list):
        pairs = [_alias(alias, place) for place, alias in enumerate(aliases)]
        profile[ALIASES] = [alias for alias, _ in pairs]
        notes += [note for _, more in pairs for note in more]
    return profile, notes


def _alias(alias: object, place: int) -> tuple[object, list[Note]]:
    if not isinstance(alias, dict):
        return alias, []
    others = [key for key in alias if key not in ("name", "by")]
    kept: Fields = {key: value for key, value in alias.items() if key not in others}
    return kept, [(f"{ALIASES}[{place}].{shown(key)}", _not_part()) for key in others]
