"""What can be put right in a scene without inventing anything; all of it is noted."""

import math
import re

from characterbox.scenes.dialect import ENVIRONMENT_FIELDS, PROFILE_FIELDS, Fields, Note
from characterbox.values import Language

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
_NOT_DESCRIBED: dict[Language, str] = {"en": "not described", "zh": "未作说明"}


def tidy(scene: Fields) -> list[Note]:
    """Puts the texts of a scene in house form right, in place, and says what it did."""
    notes = _tidy_texts(scene, ("title", "work", "language", "origin", "author", "plot"), "")
    for optional in ("author", "plot"):
        if scene.get(optional) == "":
            scene[optional] = None
            notes.append((optional, "empty; left out"))
    environment = scene.get("environment")
    if isinstance(environment, dict):
        notes += _tidy_texts(environment, ENVIRONMENT_FIELDS, "environment.")
    cast = scene.get("cast")
    if isinstance(cast, list):
        for place, profile in enumerate(cast):
            if isinstance(profile, dict):
                notes += _tidy_profile(profile, f"cast[{place}].")
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
            notes.append((f"cast[{place}].position", "empty or missing; set to the location of the scene"))
        if profile.get("state") in (None, ""):
            profile["state"] = _NOT_DESCRIBED[language]
            notes.append((f"cast[{place}].state", f"empty or missing; set to {_NOT_DESCRIBED[language]!r}"))
    return notes


def _tidy_texts(fields: Fields, names: tuple[str, ...], prefix: str) -> list[Note]:
    notes: list[Note] = []
    for name in names:
        value = fields.get(name)
        text = _as_text(value)
        if text is None:
            continue
        if not isinstance(value, str):
            notes.append((prefix + name, "a list, joined to one text" if isinstance(value, list) else "a number, kept"))
        seen = _UNSEEN.sub("", text.replace("\r\n", "\n"))
        if seen != text.replace("\r\n", "\n"):
            notes.append((prefix + name, "invisible control characters dropped"))
        fields[name] = seen if name == "name" else seen.strip()
    return notes


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
    notes = _tidy_texts(profile, PROFILE_FIELDS, prefix)
    name = profile.get("name")
    if isinstance(name, str):
        profile["name"] = " ".join(name.split())
        if profile["name"] != name:
            notes.append((prefix + "name", "spaces around or within the name dropped"))
        if _PLACEHOLDER_NAME.fullmatch(" ".join(name.split())):
            notes.append((prefix + "name", f"kept, but {profile['name']!r} looks like a placeholder; give a name"))
    return notes + _tidy_gender(profile, prefix + "gender")


def _tidy_gender(profile: Fields, field: str) -> list[Note]:
    gender = profile.get("gender")
    if gender == "":
        profile["gender"] = None
        return [(field, "empty; left open")]
    if isinstance(gender, str) and gender.casefold() in _NO_GENDER:
        profile["gender"] = None
        return [(field, f"{gender!r} says nothing; left open")]
    return []


def without_copies(cast: list[object]) -> tuple[list[object], list[Note]]:
    """The cast without entries that repeat another word for word. Namesakes that differ stay, to be refused."""
    kept: dict[str, object] = {}
    notes: list[Note] = []
    for place, profile in enumerate(cast):
        words = repr(sorted(profile.items())) if isinstance(profile, dict) else f"{place}"
        if words in kept:
            notes.append((f"cast[{place}]", "dropped; it repeats another character of the cast word for word"))
        else:
            kept[words] = profile
    return list(kept.values()), notes
