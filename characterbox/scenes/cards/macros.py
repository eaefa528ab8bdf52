"""Macros in the texts of a card ("curly braced syntaxes", SPEC_V3.md; V1 has {{char}}, {{user}}, <BOT> and <USER>).

A scene is fixed, so what a chat program would draw anew each time is drawn once here, always alike for the same text,
and told.
"""

import re
import zlib
from dataclasses import dataclass

from annotations.wording import say

_MACRO = re.compile(r"\{\{([^{}]*)\}\}|<(char|bot|user)>", re.IGNORECASE)
_USER = re.compile(r"\{\{\s*user\s*\}\}|<user>", re.IGNORECASE)
_COMMA = re.compile(r"(?<!\\),")
_ROLL = re.compile(r"d?(\d{1,6})", re.IGNORECASE)
_DEEPEST = 10
_SHOWN = 60
_SIGNS = "{}<"
_SHIELDED = str.maketrans(_SIGNS, "\x00\x01\x02")
"""What is not to be read as a macro once more is hidden behind signs that no text has: it was tidied."""
_BARE = str.maketrans("\x00\x01\x02", _SIGNS)


@dataclass(frozen=True)
class Names:
    """Whom the macros of a card mean."""

    character: str
    user: str


def has_macros(text: str) -> bool:
    """Whether there is anything in the text that a program for cards would replace."""
    return _MACRO.search(text) is not None


def speaks_of_user(text: str) -> bool:
    """Whether the text means the other person of the chat that it was written for."""
    return _USER.search(text) is not None


def without_macros(text: str) -> str:
    """The text without what stands for something else, as for counting its letters."""
    return _MACRO.sub("", text)


def resolved(text: str, names: Names) -> tuple[str, tuple[str, ...]]:
    """The text as it reads, and what is to be said about it; macros within macros from the inside out."""
    told: dict[str, None] = {}

    def reading(found: re.Match[str]) -> str:
        value, note = _value(found, names)
        told.update({note: None} if note else {})
        return value

    for _ in range(_DEEPEST):
        text, count = _MACRO.subn(reading, text)
        if not count:
            break
    return text.translate(_BARE), (*told,)


def _value(found: re.Match[str], names: Names) -> tuple[str, str]:
    """What a macro stands for, and what is to be said about it, if anything."""
    macro = (found[1] or found[2] or "").strip()
    word, _, rest = macro.partition(":")
    word, rest = word.strip().lower(), rest.lstrip(":")
    whole = found[0].translate(_BARE)
    shown = repr(whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]}...")
    drawn = _drawn(word, rest)
    if macro.lower() in ("char", "bot"):
        return names.character.translate(_SHIELDED), ""
    if macro.lower() == "user":
        return names.user.translate(_SHIELDED), say("{macro} read as {user!r}", macro=shown, user=names.user)
    if macro.startswith("//") or word in ("comment", "hidden_key"):
        return "", say("{macro} left out; it is a remark", macro=shown)
    if word == "reverse":
        return rest[::-1], ""
    if drawn is not None:
        told = {"macro": shown, "drawn": drawn.translate(_BARE)}
        return drawn, say("{macro} is drawn anew each time in a chat; {drawn!r} was drawn and kept", **told)
    return found[0].translate(_SHIELDED), say("{macro} is not known here; left as it stands", macro=shown)


def _drawn(word: str, rest: str) -> str | None:
    """What chance gives, the same for the same macro; None for a macro without chance."""
    chance = zlib.crc32(rest.encode("utf-8", "replace"))
    if word in ("random", "pick"):
        choices = [choice.replace("\\,", ",").strip() for choice in _COMMA.split(rest)]
        return choices[chance % len(choices)]
    if word == "roll" and (sides := _ROLL.fullmatch(rest.strip())) and int(sides[1]):
        return str(1 + chance % int(sides[1]))
    return None
