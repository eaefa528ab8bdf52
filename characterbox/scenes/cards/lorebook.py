"""The lorebook of a card and what its character knows: one note to an entry."""

import math
from collections import Counter
from dataclasses import dataclass

from annotations.wording import say, to_say
from characterbox.scenes.cards.card import is_literal
from characterbox.scenes.cards.decorators import without_decorators
from characterbox.scenes.cards.opened import Opened
from characterbox.scenes.dialect import Fields, Note
from characterbox.scenes.scene import Profile

MOST_ENTRIES = 1_000
"""What a character knows stands in every prompt; no lorebook of a single character is near as long."""
_OFF = to_say("{count} left out; switched off")
_EMPTY = to_say("{count} left out; without content")
_BOUND = to_say("{count} come up in a chat at certain words only; here the character knows them from the beginning")
_TOLD = to_say("decorators of {count} left out; they are for chat programs")


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
        told = say("it is no lorebook with a list 'entries'; correct it or take it out")
        raise opened.error(told, "character_book")
    if len(entries) > MOST_ENTRIES:
        told = say(
            "{count:,} are more than the {most:,} that are read; take out what this character does not need",
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
    notes = tuple(("character_book.entries", say(what, count=count)) for what, count in found.items() if count)
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
