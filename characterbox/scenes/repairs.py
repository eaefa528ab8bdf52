"""What can be put right in a scene without inventing anything, its language included; all of it is noted."""

import math
import re
from collections.abc import Iterator

from annotations.blinding.folded_text import han_share, latin_share
from annotations.i18n.messages import Message, to_say
from characterbox.scenes.field_names import (
    ALIASES,
    ENVIRONMENT_FIELDS,
    PROFILE_NAMES,
    PROFILE_NOTES,
    PROFILE_TEXTS,
    Fields,
    Note,
)
from characterbox.scenes.scene import slug_of
from characterbox.values import Language

ENOUGH = 0.75
"""The share of letters from which on a text counts as written in one script."""
SET_TO_LOCATION = to_say("empty or missing; set to the scene's location")
SET_TO = to_say("empty or missing; set to {text!r}")
COPY_DROPPED = to_say("dropped; it is identical to another character of the cast")


def language_by_letters(text: str) -> tuple[Language | None, Message]:
    """The language that the letters speak for, and the evidence in words; None when they do not decide it."""
    try:
        han, latin = han_share(text), latin_share(text)
    except ValueError:
        return None, Message("the text has no letters")
    if han >= ENOUGH:
        return "zh", Message("{han:.0%} of the text is in Chinese characters", han=han)
    if latin >= ENOUGH:
        return "en", Message("{latin:.0%} of the text is in Latin letters", latin=latin)
    return None, Message(
        "{han:.0%} of the text is in Chinese characters and {latin:.0%} in Latin letters", han=han, latin=latin
    )


_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control, direction and zero-width characters and halves of surrogate pairs. Some databases refuse them."""
_NO_GENDER = {
    *("gender", "sex", "unknown", "unspecified", "not specified", "non-specific", "not applicable", "na", "n/a"),
    *("n.a.", "none", "null", "nil", "-", "?", "性别", "未知", "不详", "不明", "未说明", "未指定", "不适用", "无"),
}
_PLACEHOLDER_NAME = re.compile(
    r"(?:(?:a|the|new|another|unnamed|unknown)\s+)*(?:character|person|figure|npc|name|unknown)\s*(?:[a-z]|\d{1,2})?"
    r"|(?:新|无名|未知|某)?(?:角色|人物|路人|姓名|某人)\s*[a-z甲乙丙丁一二三四五\d]?",
    re.IGNORECASE,
)
NOT_DESCRIBED: dict[Language, str] = {"en": "not described", "zh": "未作说明"}
"""Stands in for a state of which nothing is said."""


def tidy(scene: Fields) -> list[Note]:
    """Puts the texts of a scene in house form right, in place, and says what it did."""
    notes = _tidy_texts(scene, ("title", "work", "language", "origin", "author", "plot"), "")
    for optional in ("author", "plot"):
        if scene.get(optional) == "":
            scene[optional] = None
            notes.append((optional, Message("empty; treated as missing")))
    environment = scene.get("environment")
    if isinstance(environment, dict):
        notes += _tidy_texts(environment, ENVIRONMENT_FIELDS, "environment.")
    cast = scene.get("cast")
    if isinstance(cast, list):
        for place, profile in enumerate(cast):
            if isinstance(profile, dict):
                notes += _tidy_profile(profile, f"cast[{place}].")
        notes += _as_in_the_cast([(place, profile) for place, profile in enumerate(cast) if isinstance(profile, dict)])
    return notes


def fill_in(scene: Fields, language: Language) -> list[Note]:
    """Stands something true in for an empty position or state: the place of the scene, and that nothing is said."""
    environment, cast = scene.get("environment"), scene.get("cast")
    location = environment.get("location") if isinstance(environment, dict) else None
    notes: list[Note] = []
    for place, profile in enumerate(cast if isinstance(cast, list) else []):
        if not isinstance(profile, dict):
            continue
        if location and profile.get("position") in (None, ""):
            profile["position"] = location
            notes.append((f"cast[{place}].position", Message(SET_TO_LOCATION)))
        if profile.get("state") in (None, ""):
            profile["state"] = NOT_DESCRIBED[language]
            told = Message(SET_TO, text=NOT_DESCRIBED[language])
            notes.append((f"cast[{place}].state", told))
    return notes


def _tidy_texts(fields: Fields, names: tuple[str, ...], prefix: str) -> list[Note]:
    notes: list[Note] = []
    for name in names:
        value = fields.get(name)
        text = _as_text(value)
        if text is None:
            continue
        if not isinstance(value, str):
            told = (
                Message("a list; joined into one text")
                if isinstance(value, list)
                else Message("a number; read as text")
            )
            notes.append((prefix + name, told))
        seen = visible(text)
        if seen != text.replace("\r\n", "\n"):
            notes.append((prefix + name, Message("invisible control characters removed")))
        fields[name] = seen if name == "name" else seen.strip()
    return notes


def visible(text: str) -> str:
    """The text without signs that nobody sees, its lines ended alike."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n"))


def _as_text(value: object) -> str | None:
    """The value as a text, where that loses nothing; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    return None


def _tidy_profile(profile: Fields, prefix: str) -> list[Note]:
    notes = _tidy_texts(profile, PROFILE_TEXTS, prefix)
    name = profile.get("name")
    if isinstance(name, str):
        profile["name"] = " ".join(name.split())
        if profile["name"] != name:
            notes.append((prefix + "name", Message("spaces around or inside the name removed")))
        if is_placeholder(name):
            told = Message("kept, but {name!r} looks like a placeholder; enter a name", name=profile["name"])
            notes.append((prefix + "name", told))
    if profile.get("public_face") == "":
        del profile["public_face"]
        notes.append((prefix + "public_face", Message("empty; treated as missing")))
    for kind in PROFILE_NOTES:
        notes += _tidy_list(profile, kind, prefix + kind)
    for kind in PROFILE_NAMES:
        notes += _tidy_names(profile, kind, prefix + kind)
    return notes + _tidy_aliases(profile, prefix + ALIASES) + _tidy_gender(profile, prefix + "gender")


def is_placeholder(name: str) -> bool:
    """Whether the name says no more than that somebody is there, such as `Character A`."""
    return _PLACEHOLDER_NAME.fullmatch(" ".join(name.split())) is not None


def _tidy_list(profile: Fields, kind: str, field: str) -> list[Note]:
    known = profile.get(kind)
    alone = isinstance(known, str) and known.strip()
    notes: list[Note] = [(field, Message("a single text; read as a list with one entry"))] if alone else []
    if known is None or known == "":
        profile.pop(kind, None)
        return notes
    if not isinstance(known, list) and _as_text(known) is None:  # to be refused as what it is
        return notes
    entries: Fields = {str(place): entry for place, entry in enumerate(known if isinstance(known, list) else [known])}
    notes += [(f"{field}[{place}]", what) for place, what in _tidy_texts(entries, (*entries,), "")]
    profile[kind] = [*entries.values()]
    return notes


def _tidy_names(fields: Fields, kind: str, field: str) -> list[Note]:
    """As of notes, with single blanks within a name."""
    notes = _tidy_list(fields, kind, field)
    if isinstance(names := fields.get(kind), list):
        fields[kind] = [" ".join(name.split()) if isinstance(name, str) else name for name in names]
    return notes


def _tidy_aliases(profile: Fields, field: str) -> list[Note]:
    """What is only a text, or a list of texts, is what all others call the character."""
    known = profile.get(ALIASES)
    if known is None or known == "":
        profile.pop(ALIASES, None)
        return []
    if isinstance(known, str | dict):
        alias, notes = _tidy_alias(known, field)
        profile[ALIASES] = [alias]
        return notes
    if not isinstance(known, list):
        return []
    tidied = [_tidy_alias(alias, f"{field}[{place}]") for place, alias in enumerate(known)]
    profile[ALIASES] = [alias for alias, _ in tidied]
    return [note for _, notes in tidied for note in notes]


def _tidy_alias(alias: object, field: str) -> tuple[object, list[Note]]:
    notes: list[Note] = []
    if isinstance(alias, str):
        alias = {"name": alias}
        notes.append((field, Message("a text; read as the name that all others use for the character")))
    if isinstance(alias, dict):
        notes += _tidy_texts(alias, ("name",), f"{field}.") + _tidy_names(alias, "by", f"{field}.by")
        if isinstance(name := alias.get("name"), str):
            alias["name"] = " ".join(name.split())
    return alias, notes


def _as_in_the_cast(cast: list[tuple[int, Fields]]) -> list[Note]:
    """Names of others that are spelt in another case, or with other signs, as the cast has them."""
    spelt = {slug_of(name): name for _, one in cast if isinstance(name := one.get("name"), str)}
    notes: list[Note] = []
    for field, names in _lists_of_others(cast):
        for at, name in enumerate(names):
            if isinstance(name, str) and name != (meant := spelt.get(slug_of(name), name)):
                names[at] = meant
                notes.append((f"{field}[{at}]", Message("read as {name!r}, as spelled in the cast", name=meant)))
    return notes


def _lists_of_others(cast: list[tuple[int, Fields]]) -> Iterator[tuple[str, list[object]]]:
    """The lists of names of others that there are, each with its field."""
    for place, profile in cast:
        aliases = profile.get(ALIASES)
        listed = enumerate(aliases if isinstance(aliases, list) else [])
        found = {"unseen_by": profile.get("unseen_by")}
        found |= {f"{ALIASES}[{number}].by": alias.get("by") for number, alias in listed if isinstance(alias, dict)}
        for field, names in found.items():
            if isinstance(names, list):
                yield f"cast[{place}].{field}", names


def _tidy_gender(profile: Fields, field: str) -> list[Note]:
    gender = profile.get("gender")
    if gender == "":
        profile["gender"] = None
        return [(field, Message("empty; treated as missing"))]
    if isinstance(gender, str) and gender.casefold() in _NO_GENDER:
        profile["gender"] = None
        return [(field, Message("{gender!r} is not recognized as a gender; left empty", gender=gender))]
    return []


def without_copies(cast: list[object]) -> tuple[dict[int, object], list[Note]]:
    """The cast, by places, without entries that repeat another word for word. Namesakes that differ stay, to be
    refused."""
    kept: dict[int, object] = {}
    seen: set[str] = set()
    notes: list[Note] = []
    for place, profile in enumerate(cast):
        words = repr(sorted(profile.items())) if isinstance(profile, dict) else f"{place}"
        if words in seen:
            notes.append((f"cast[{place}]", Message(COPY_DROPPED)))
        else:
            seen.add(words)
            kept[place] = profile
    return kept, notes
