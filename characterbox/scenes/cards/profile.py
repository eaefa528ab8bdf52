"""What a character card says of a character: all of a profile but where the scene finds it and how it is."""

import math
import re
from dataclasses import dataclass

from annotations.i18n.messages import Message, Readable, joined, listed
from characterbox.errors import SceneError
from characterbox.scenes.cards.card import OURS, Card, is_literal, own
from characterbox.scenes.cards.card_file import Opened, opened
from characterbox.scenes.cards.lorebook import Names, known, resolved, speaks_of_user, without_macros
from characterbox.scenes.field_names import OURS_ALONE, Fields, Note, shown
from characterbox.scenes.file_reading import about_encoding
from characterbox.scenes.import_report import TEXT, Repair, of_another_kind
from characterbox.scenes.repairs import language_by_letters, tidy, visible
from characterbox.scenes.scene import MOST_NAME, Alias, Profile, slug_of

USER = {"en": "the other person", "zh": "对方"}
"""Who is meant by {{user}} where nobody says it: a card is made for a chat of two."""
_USED = ("name", "description", "personality", "scenario", "nickname", "character_book", "extensions")
_NAMED = (
    *("first_mes", "mes_example", "alternate_greetings", "group_only_greetings", "system_prompt"),
    *("post_history_instructions", "creator_notes", "creator_notes_multilingual", "creator", "character_version"),
    *("tags", "assets", "source", "creation_date", "modification_date"),
)
"""Fields of the specifications that a profile has no place for."""
_OWN = ("position", "state", "gender")
_NEWEST = {"V2": 2.0, "V3": 3.0}


@dataclass(frozen=True)
class CardFile:
    """What came out of a character card."""

    name: str
    """The file's name, without its folder."""
    card: Card
    """The card itself, to be written again."""
    character: str
    """What the character is called."""
    description: str
    gender: str | None
    knowledge: tuple[str, ...]
    unaware: tuple[str, ...]
    """What it does not know, which only a card that was made here says, as the next four."""
    public_face: str | None
    other_names: tuple[str, ...]
    """With the nickname of any card."""
    known_as: tuple[Alias, ...]
    """By those of the scene that it was taken from, as the next."""
    unseen_by: tuple[str, ...]
    position: str | None
    """Where it is and how, which only a card that was made here says."""
    state: str | None
    scenario: str | None
    """A suggestion for the description of the environment."""
    user: Readable | None
    """Who was taken to be meant by {{user}}; None where nobody is."""
    repairs: tuple[Repair, ...]
    """What was left out, derived or put right."""

    def profile(self, position: str | None = None, state: str | None = None) -> Profile:
        """The profile, in a scene that finds the character there and so. Raises SceneError where neither the caller
        nor the card says it: it is never made up."""
        given = {"position": position, "state": state}
        found = {key: (value or "").strip() or getattr(self, key) for key, value in given.items()}
        if missing := [key for key, value in found.items() if not value]:
            raise SceneError(
                "{name}: {field}: a character card does not have this; fill it in", name=self.name, field=missing[0]
            )
        who = {"name": self.character, "description": self.description, "gender": self.gender}
        more = {key: getattr(self, key) for key in ("knowledge", *OURS_ALONE)}
        return Profile.model_validate({**who, **found, **more})


def read_card(name: str, raw: bytes, user: str | None = None) -> CardFile:
    """The card in the file `name`: JSON, PNG or CHARX. `user` is who is meant by {{user}}.

    Raises SceneError, in one line, when there is none that can be used.
    """
    return understood(name, opened(name, raw), user)


def understood(name: str, found: Opened, user: str | None = None) -> CardFile:
    """As `read_card`, for a card that was opened already."""
    lore = known(found)
    texts, knowledge, notes = _tidied(found, lore.texts)
    notes += lore.notes
    _check_name(found, texts["name"])
    meant = None
    if not is_literal(found.fields):
        names = _names(found, texts, user)
        meant = names.user if any(map(speaks_of_user, (texts["description"], texts["scenario"], *knowledge))) else None
        for key in ("description", "scenario"):
            texts[key] = _resolved(texts[key], names, key, notes)
        knowledge = [_resolved(note, names, "character_book", notes) for note in knowledge]
    if not texts["description"]:
        nobody = Message("neither it nor 'personality' describes the character; add a description here")
        raise found.error(nobody, "description")
    twice = [(repr(key), Message("occurs twice in one object; the last one is used")) for key in found.plain.repeated]
    told = dict.fromkeys([*about_encoding(found.plain), *twice, *notes, *_unused(found), *_newer(found)])
    return CardFile(
        name=name,
        card=found.card,
        character=texts["name"],
        description=texts["description"],
        knowledge=tuple(note for note in knowledge if note),
        unaware=_own_notes(own(found.fields).get("unaware")),
        public_face=_own_text(own(found.fields).get("public_face")),
        other_names=_other_names(found, texts["name"]),
        known_as=_known_as(found),
        unseen_by=_own_notes(own(found.fields).get("unseen_by")),
        gender=texts["gender"] or None,
        position=texts["position"] or None,
        state=texts["state"] or None,
        scenario=texts["scenario"] or None,
        user=meant,
        repairs=tuple(Repair(None, field, what) for field, what in told),
    )


def _text(found: Opened, key: str) -> str:
    """A text of the card; one that is missing is empty, as V1 has it."""
    value = found.fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise found.error(joined(of_another_kind(TEXT, value)), key)
    return value


def _tidied(found: Opened, lore: dict[int, str]) -> tuple[dict[str, str], list[str], list[Note]]:
    """The texts of the card, what the character knows, and what was put right in them."""
    description, personality = _text(found, "description").strip(), _text(found, "personality").strip()
    both = personality and personality not in description
    profile: Fields = {
        "name": _text(found, "name"),
        "description": f"{description}\n\n{personality}" if both else description,
        **{key: value for key, value in own(found.fields).items() if key in _OWN and isinstance(value, str)},
        "knowledge": [*lore.values()],
    }
    scene: Fields = {"environment": {"description": _text(found, "scenario")}, "cast": [profile]}
    notes: list[Note] = [(_label(field, [*lore]), what) for field, what in tidy(scene)]
    if both:
        notes.append(("personality", Message("appended to the description")))
    texts = {key: str(profile.get(key) or "") for key in ("name", "description", *_OWN)}
    environment, knowledge = scene["environment"], profile["knowledge"]
    texts["scenario"] = str(environment["description"]) if isinstance(environment, dict) else ""
    return texts, [str(note) for note in knowledge] if isinstance(knowledge, list) else [], notes


def _own_text(value: object) -> str | None:
    """A text of our own in the card; what is no text says nothing."""
    return visible(value).strip() or None if isinstance(value, str) else None


def _own_notes(values: object) -> tuple[str, ...]:
    """Notes of our own in the card; what is no text among them is no note."""
    texts = map(_own_text, values if isinstance(values, list) else [])
    return tuple(text for text in texts if text)


def _other_names(found: Opened, name: str) -> tuple[str, ...]:
    """Those of our own, and the nickname, which V3 has."""
    ours, nickname = _own_notes(own(found.fields).get("other_names")), " ".join(_text(found, "nickname").split())
    known = {"", *map(slug_of, (name, *ours))}
    return ours if slug_of(nickname) in known else (*ours, nickname)


def _known_as(found: Opened) -> tuple[Alias, ...]:
    aliases = own(found.fields).get("known_as")
    told = [one for one in aliases if isinstance(one, dict)] if isinstance(aliases, list) else []
    named = [(_own_text(one.get("name")), _own_notes(one.get("by"))) for one in told]
    return tuple(Alias(name=name, by=by) for name, by in named if name)


def _label(field: str, places: list[int]) -> str:
    """The name in the card of a field of a scene with this one character; `places` are those of the entries."""
    field = field.replace("environment.description", "scenario").removeprefix("cast[0].")
    if entry := re.fullmatch(r"knowledge\[(\d+)\]", field):
        return f"character_book.entries[{places[int(entry[1])]}].content"
    return f"extensions.{OURS}.{field}" if field in _OWN else field


def _check_name(found: Opened, name: str) -> None:
    if not slug_of(name):
        raise found.error(Message("it has no letter or digit; give the character a name"), "name")
    if len(name) > MOST_NAME:
        raise found.error(Message("it is longer than {most} characters; shorten it", most=MOST_NAME), "name")


def _names(found: Opened, texts: dict[str, str], user: str | None) -> Names:
    language, _ = language_by_letters(without_macros(texts["description"] + texts["scenario"]))
    nickname = " ".join(_text(found, "nickname").split())
    return Names(nickname or texts["name"], user or USER[language or "en"])


def _resolved(text: str, names: Names, field: str, notes: list[Note]) -> str:
    text, told = resolved(text, names)
    notes += [(field, note) for note in told]
    return text.strip()


def _unused(found: Opened) -> list[Note]:
    """What the card holds and a profile does not."""
    notes: list[Note] = [
        (key, Message("not used; a character profile has no such field"))
        for key, value in found.fields.items()
        if key in _NAMED and value not in (None, "", [], {}, 0)
    ]
    extensions = found.fields.get("extensions")
    others = [key for key in extensions if key != OURS] if isinstance(extensions, dict) else []
    if others:
        notes.append(("extensions", Message("{keys}, which belong to other programs, not used", keys=_listed(others))))
    unknown = [key for key in found.fields if key not in (*_USED, *_NAMED)]
    if found.card.version != "V1":
        unknown += [key for key in found.card.document if key not in ("spec", "spec_version", "data")]
    if unknown:
        notes.append((str(_listed(unknown)), Message("unknown; not used")))
    return notes


def _listed(keys: list[str]) -> Message:
    keys_shown = listed(map(shown, keys[:5]))
    return keys_shown if len(keys) <= 5 else Message("{some} and {count} more", some=keys_shown, count=len(keys) - 5)


def _newer(found: Opened) -> list[Note]:
    """What is said of a card that is newer than the specifications that are followed here."""
    version = found.card.document.get("spec_version")
    newest = _NEWEST.get(found.card.version)
    try:
        number = float(version) if isinstance(version, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if newest is None or number <= newest:
        return []
    told = {"version": str(version)[:20], "newest": newest}
    return [("spec_version", Message("{version!r} is newer than {newest}; its new features are not supported", **told))]
