"""The lorebook of a card, one note to an entry, and the macros in its texts.

A scene is fixed, so what a chat program would draw anew each time is drawn once here, always alike for the same text,
and told.
"""

import math
import re
import zlib
from collections import Counter
from dataclasses import dataclass

from annotations.i18n.messages import Message, to_say
from characterbox.scenes.cards.card import is_literal, without_decorators
from characterbox.scenes.cards.card_file import Opened
from characterbox.scenes.field_names import Fields, Note
from characterbox.scenes.scene import Profile

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


def resolved(text: str, names: Names) -> tuple[str, tuple[Message, ...]]:
    """The text as it reads, and what is to be said about it; macros within macros from the inside out."""
    told: dict[Message, None] = {}

    def reading(found: re.Match[str]) -> str:
        value, note = _value(found, names)
        told.update({note: None} if note else {})
        return value

    for _ in range(_DEEPEST):
        text, count = _MACRO.subn(reading, text)
        if not count:
            break
    return text.translate(_BARE), (*told,)


def _value(found: re.Match[str], names: Names) -> tuple[str, Message | None]:
    """What a macro stands for, and what is to be said about it, if anything."""
    macro = (found[1] or found[2] or "").strip()
    word, _, rest = macro.partition(":")
    word, rest = word.strip().lower(), rest.lstrip(":")
    whole = found[0].translate(_BARE)
    shown = repr(whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]}...")
    drawn = _drawn(word, rest)
    if macro.lower() in ("char", "bot"):
        return names.character.translate(_SHIELDED), None
    if macro.lower() == "user":
        return names.user.translate(_SHIELDED), Message("{macro} read as {user!r}", macro=shown, user=names.user)
    if macro.startswith("//") or word in ("comment", "hidden_key"):
        return "", Message("{macro} left out; it is a comment", macro=shown)
    if word == "reverse":
        return rest[::-1], None
    if drawn is not None:
        told = {"macro": shown, "drawn": drawn.translate(_BARE)}
        return drawn, Message("{macro} gives a random value in each chat; here it is fixed to {drawn!r}", **told)
    return found[0].translate(_SHIELDED), Message("{macro} is not supported; kept unchanged", macro=shown)


def _drawn(word: str, rest: str) -> str | None:
    """What chance gives, the same for the same macro; None for a macro without chance."""
    chance = zlib.crc32(rest.encode("utf-8", "replace"))
    if word in ("random", "pick"):
        choices = [choice.replace("\\,", ",").strip() for choice in _COMMA.split(rest)]
        return choices[chance % len(choices)]
    if word == "roll" and (sides := _ROLL.fullmatch(rest.strip())) and int(sides[1]):
        return str(1 + chance % int(sides[1]))
    return None


MOST_ENTRIES = 1_000
"""What a character knows stands in every prompt; no lorebook of a single character is near as long."""
_OFF = to_say("{count} left out; disabled")
_EMPTY = to_say("{count} left out; empty")
_BOUND = to_say("{count} appear in a chat only after certain words; here the character knows them from the start")
_TOLD = to_say("decorators of {count} left out; they are only for chat programs")


@dataclass(frozen=True)
class Known:
    """What a lorebook gives, in the order in which it goes into a prompt."""

    texts: dict[int, str]
    """The contents, by their places in the file."""
    notes: tuple[Note, ...] = ()


def known(opened: Opened) -> Known:
    """The entries that count. Disabled ones and such without content are left out and told.

    Raises SceneError for what is no lorebook, or too long a one.
    """
    literal = is_literal(opened.fields)
    book = opened.fields.get("character_book")
    if book is None:
        return Known({})
    entries = book.get("entries") if isinstance(book, dict) else None
    if not isinstance(entries, list):
        told = Message("not a lorebook with a list 'entries'; correct or remove it")
        raise opened.error(told, "character_book")
    if len(entries) > MOST_ENTRIES:
        told = Message(
            "{count:,} entries exceed the limit of {most:,}; remove those that this character does not need",
            count=len(entries), most=MOST_ENTRIES,
        )  # fmt: skip
        raise opened.error(told, "character_book", "entries")
    found: Counter[str] = Counter()
    texts: list[tuple[float, int, str]] = []
    for place, entry in enumerate(entries):
        content = entry.get("content") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(content, str) or not content.strip():
            found[_EMPTY] += 1
            continue
        text, names = (content, frozenset[str]()) if literal else without_decorators(content)
        if entry.get("enabled") is False or ("dont_activate" in names and "activate" not in names):
            found[_OFF] += 1
            continue
        found.update({_TOLD: bool(names), _BOUND: entry.get("constant") is not True})
        texts.append((_order(entry), place, text))
    notes = tuple(("character_book.entries", Message(what, count=count)) for what, count in found.items() if count)
    return Known({place: text for _, place, text in sorted(texts)}, notes)


def book_of(profile: Profile) -> Fields:
    """What the character knows as a V3 lorebook, each note always in the prompt."""
    entries = [
        {
            "keys": [profile.name],
            "content": note,
            "extensions": {},
            "enabled": True,
            "insertion_order": place,
            "use_regex": False,
            "constant": True,
        }
        for place, note in enumerate(profile.knowledge)
    ]
    return {"extensions": {}, "entries": entries}


def _order(entry: Fields) -> float:
    """Lower goes ahead; an entry that does not say so goes last."""
    order = entry.get("insertion_order")
    return order if isinstance(order, int | float) and not isinstance(order, bool) else math.inf
