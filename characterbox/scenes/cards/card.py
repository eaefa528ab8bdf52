"""A character card as it is written: nothing of it is lost, also what nobody here knows.

Sources: github.com/malfoyslastname/character-card-spec-v2 (spec_v1.md, spec_v2.md) and
github.com/kwaroran/character-card-spec-v3 (SPEC_V3.md).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from characterbox.scenes.field_names import Fields

Version = Literal["V1", "V2", "V3"]
SPECS: Mapping[str, Version] = {"chara_card_v2": "V2", "chara_card_v3": "V3"}
OURS = "characterbox"
"""The key in `extensions` under which this project keeps what a card has no field for."""

V1_TEXTS = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
_V2_TEXTS = ("creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version")
_V2_LISTS = ("alternate_greetings", "tags")
_V3_ONLY = (
    *("assets", "nickname", "creator_notes_multilingual", "source", "group_only_greetings"),
    *("creation_date", "modification_date"),
)
_DROPPED = "This character card is a Character Card V3, shown here as a V2: read it with an application that knows V3."
"""What V3 wants to be said in the V2 card beside it."""


@dataclass(frozen=True)
class Card:
    """One character card, whatever it was read from or is written to."""

    version: Version
    document: Fields
    """The JSON of the card, whole."""
    picture: bytes | None = None
    """The PNG that it came in."""
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    """What lay beside it in a CHARX archive, by path."""

    @property
    def fields(self) -> Fields:
        """The fields of the character: in V1 the card itself, later its `data`."""
        data = self.document if self.version == "V1" else self.document["data"]
        return data if isinstance(data, dict) else {}


def own(fields: Fields) -> Fields:
    """What this project has written into a card with these fields."""
    extensions = fields.get("extensions")
    found = extensions.get(OURS) if isinstance(extensions, dict) else None
    return found if isinstance(found, dict) else {}


def is_literal(fields: Fields) -> bool:
    """Whether the texts of the card mean what they say, though they look as if there were macros or decorators."""
    return own(fields).get("literal") is True


def as_v3(card: Card) -> Card:
    """The card as V3; what an earlier version does not have is filled in as the specification says."""
    if card.version == "V3":
        return card
    data = {**blank(), "group_only_greetings": [], **card.fields}
    _each_entry(data, lambda entry: {"use_regex": False, **entry})
    document = {**_around(card), "spec": "chara_card_v3", "spec_version": "3.0", "data": data}
    return replace(card, version="V3", document=document)


def as_v2(card: Card) -> Card:
    """The card as V2, without what only V3 has: its own fields, patterns as keys, ids that are texts, decorators."""
    if card.version == "V2":
        return card
    data = {key: value for key, value in {**blank(), **card.fields}.items() if key not in _V3_ONLY}
    literal = is_literal(data)
    _each_entry(data, lambda entry: _v2_entry(entry, literal=literal))
    document = {**_around(card), "spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    return replace(card, version="V2", document=document)


def beside_v3(card: Card) -> Card:
    """The V2 card that stands beside a V3 card for programs that know no other, and says so."""
    older = as_v2(card)
    notes = older.fields.get("creator_notes")
    told = f"{_DROPPED}\n\n{notes}" if notes else _DROPPED
    return replace(older, document={**older.document, "data": {**older.fields, "creator_notes": told}})


def blank() -> Fields:
    """The fields that every card since V2 has, empty."""
    return {**dict.fromkeys((*V1_TEXTS, *_V2_TEXTS), ""), **{key: [] for key in _V2_LISTS}, "extensions": {}}


def _around(card: Card) -> Fields:
    """What stands beside the fields of the character."""
    return {} if card.version == "V1" else card.document


def _each_entry(data: Fields, change: Callable[[Fields], Fields]) -> None:
    """Changes the entries of the lorebook in `data`, on a copy of it."""
    book = data.get("character_book")
    if isinstance(book, dict) and isinstance(entries := book.get("entries"), list):
        changed = [change(entry) if isinstance(entry, dict) else entry for entry in entries]
        data["character_book"] = {**book, "entries": changed}


def _v2_entry(entry: Fields, *, literal: bool) -> Fields:
    kept = {key: value for key, value in entry.items() if key != "use_regex"}
    if isinstance(kept.get("id"), str):
        del kept["id"]
    content = kept.get("content")
    if literal or not isinstance(content, str):
        return kept
    return {**kept, "content": without_decorators(content)[0]}


_HEAD = re.compile(r"\s*@@@?([A-Za-z_]+)[^\n]*(?:\n|$)")


def without_decorators(content: str) -> tuple[str, frozenset[str]]:
    """The content without the decorators at its head, and their names."""
    names: set[str] = set()
    start = 0
    while found := _HEAD.match(content, start):
        names.add(found[1].lower())
        start = found.end()
    return (content[start:].lstrip("\n") if names else content), frozenset(names)
