"""Character cards made and written to files: JSON, PNG and CHARX."""

import base64
import io
import json
import zipfile
from dataclasses import replace

from annotations.i18n.messages import Message, Readable
from characterbox.errors import SceneError
from characterbox.scenes.cards import png
from characterbox.scenes.cards.card import OURS, Card, as_v3, beside_v3, blank, without_decorators
from characterbox.scenes.cards.card_file import CARD_FILE
from characterbox.scenes.cards.lorebook import MOST_ENTRIES, book_of, has_macros
from characterbox.scenes.field_names import Fields
from characterbox.scenes.scene import Profile


def card_of(profile: Profile, scenario: str = "") -> Card:
    """The profile as a V3 card, with `scenario` for what goes on around it.

    What a card has no field for goes into `extensions`. Raises SceneError if the character knows more than is read of
    a card again.
    """
    if len(profile.knowledge) > MOST_ENTRIES:
        told = Message(
            "{name}: knowledge: {count:,} notes exceed the limit of {most:,} per card; merge some of them",
            name=profile.name, count=len(profile.knowledge), most=MOST_ENTRIES,
        )  # fmt: skip
        raise SceneError(told)
    # `unaware` is no part of the lorebook, which is told to the character
    own: Fields = profile.model_dump(mode="json", exclude_none=True, exclude={"name", "description", "knowledge"})
    if any(map(_looks_like_more, (profile.description, scenario, *profile.knowledge))):
        own["literal"] = True
    data: Fields = {
        **blank(),
        "name": profile.name,
        "description": profile.description,
        "scenario": scenario,
        "extensions": {OURS: own},
        "group_only_greetings": [],
        "creation_date": 0,
        "modification_date": 0,
    }
    if profile.knowledge:
        data["character_book"] = book_of(profile)
    return Card("V3", {"spec": "chara_card_v3", "spec_version": "3.0", "data": data})


def _looks_like_more(text: str) -> bool:
    """Whether a reader of cards would find something in the text that it does not mean."""
    return has_macros(text) or bool(without_decorators(text)[1])


_ICON_FILE = "assets/icon/images/main.png"
_ICON_URI = f"embeded://{_ICON_FILE}"  # spelt so in the specification
_ICON: Fields = {"type": "icon", "uri": _ICON_URI, "name": "main", "ext": "png"}
_BEGINNING = (1980, 1, 1, 0, 0, 0)
"""The earliest date in an archive: the same card makes the same file."""


def as_json(card: Card) -> bytes:
    """The card as JSON, in its own version. Raises SceneError if it has files, for which JSON has no place."""
    _check_no_files(card, "JSON")
    return _json(card.document, indent=2) + b"\n"


def as_png(card: Card, picture: bytes | None = None) -> bytes:
    """The card in a picture: `picture`, a PNG, or that which the card came in, or a plain one.

    A V3 card stands in it as V2 too, for programs that know no other. Raises SceneError for a picture that is no PNG or
    damaged, and if the card has files, for which a picture has no place.
    """
    card = _with_icon_as_picture(card)
    _check_no_files(card, Message("an image"))
    texts = {"chara": _text(card)} if card.version != "V3" else {"chara": _text(beside_v3(card)), "ccv3": _text(card)}
    return png.with_texts(Message("the image"), picture or card.picture or png.plain_picture(), texts)


def as_charx(card: Card) -> bytes:
    """The card as V3 in an archive with its files; the picture that it came in is one of them."""
    card = _with_picture_as_icon(as_v3(card))
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for path, content in {CARD_FILE: _json(card.document, indent=2), **card.files}.items():
            archive.writestr(zipfile.ZipInfo(path, _BEGINNING), content, zipfile.ZIP_DEFLATED)
    return found.getvalue()


def _json(document: Fields, indent: int | None = None) -> bytes:
    """Halves of surrogate pairs, which no encoding has a place for, stay the escapes that they were."""
    return json.dumps(document, ensure_ascii=False, indent=indent).encode("utf-8", "backslashreplace")


def _text(card: Card) -> bytes:
    return base64.b64encode(_json(card.document))


def _check_no_files(card: Card, where: Readable) -> None:
    if card.files:
        told = {"count": len(card.files), "where": where}
        raise SceneError("card: its {count} files cannot be stored in {where}; save the card as CHARX", **told)


def _icons(card: Card) -> list[Fields]:
    """The assets of the card that are its main picture, by whatever name."""
    assets = card.fields.get("assets")
    found = [one for one in assets if isinstance(one, dict)] if isinstance(assets, list) else []
    return [one for one in found if one.get("type") == "icon" and one.get("name") == "main"]


def _with_assets(card: Card, change: Fields) -> Card:
    """The card with another main picture."""
    assets = card.fields.get("assets")
    others = [one for one in assets if one not in _icons(card)] if isinstance(assets, list) else []
    return replace(card, document={**card.document, "data": {**card.fields, "assets": [change, *others]}})


def _with_picture_as_icon(card: Card) -> Card:
    """A picture that is the card's own is kept as its main one, unless it says that another one is."""
    if card.picture is None or _ICON_FILE in card.files or any(one.get("uri") != "ccdefault:" for one in _icons(card)):
        return card
    bare = png.with_texts(Message("the image"), card.picture, {})
    return replace(_with_assets(card, _ICON), picture=None, files={**card.files, _ICON_FILE: bare})


def _with_icon_as_picture(card: Card) -> Card:
    """The other way round: the main picture of an archive, where that is a PNG, holds the card."""
    files = dict(card.files)
    if card.picture is not None or _icons(card) != [_ICON] or not files.get(_ICON_FILE, b"").startswith(png.SIGNATURE):
        return card
    return replace(_with_assets(card, {**_ICON, "uri": "ccdefault:"}), picture=files.pop(_ICON_FILE), files=files)
