"""The card in a file, before anybody asks what it says of the character."""

import base64
import binascii
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotations.i18n.messages import Message, Readable, listed
from characterbox.errors import SceneError
from characterbox.scenes.archives import unpack
from characterbox.scenes.cards import png
from characterbox.scenes.cards.card import SPECS, V1_TEXTS, Card, Version
from characterbox.scenes.field_names import Fields, is_scene
from characterbox.scenes.file_reading import Plain, parse_json
from characterbox.scenes.line_numbers import Step

CARD_FILE = "card.json"
ZIP = b"PK\x03\x04"
_DEEPEST = 100
"""Objects and lists within each other. Cards have about ten."""
_ONLY_CARDS = V1_TEXTS[2:]
"""Fields of V1 that nothing else has; a name and a description many things have."""


@dataclass(frozen=True)
class Opened:
    """A card and where it stands in its file."""

    place: Readable
    """The file, and in a picture or an archive the part of it."""
    card: Card
    plain: Plain
    lines: bool
    """Whether the lines are those of a file that somebody can open; a card in a picture is one long line."""

    @property
    def fields(self) -> Fields:
        """The fields of the character."""
        return self.card.fields

    def error(self, what: Message, *steps: Step) -> SceneError:
        """The error that says what is wrong with a field of the character."""
        way: tuple[Step, ...] = steps if self.card.version == "V1" else ("data", *steps)
        return _fault(self.place, self.plain, way, what, lines=self.lines)


def is_card(data: object) -> bool:
    """Whether an object looks like a character card, rather than like a scene or anything else."""
    if not isinstance(data, dict):
        return False
    if isinstance(spec := data.get("spec"), str) and spec.startswith("chara_card"):
        return True
    return "name" in data and any(key in data for key in _ONLY_CARDS) and not is_scene(data)


def opened(name: str, raw: bytes) -> Opened:
    """The card in a file: JSON, PNG or CHARX, by what the file holds.

    Raises SceneError, in one line, for a file that is damaged, too large, or no character card.
    """
    ending = Path(name).suffix.lower()
    if raw.startswith(png.SIGNATURE) or ending == ".png":
        texts = png.texts(name, raw)
        keyword = next((keyword for keyword in png.KEYWORDS if keyword in texts), None)
        if keyword is None:
            raise SceneError(
                "{name}: the image contains no character card; choose the original image of the card", name=name
            )
        place = Message("{where}: {what}", where=name, what=keyword)
        return opened_as(place, parse_json(place, _decoded(place, texts[keyword])), picture=raw)
    if raw.startswith(ZIP) or ending == ".charx":
        files = unpack(name, raw)
        if CARD_FILE not in files:
            raise SceneError(
                "{name}: it contains no {file!r}; choose an archive with a character card",
                name=name,
                file=CARD_FILE,
            )
        place = Message("{where}: {what}", where=name, what=CARD_FILE)
        return opened_as(place, parse_json(place, files.pop(CARD_FILE)), files=files)
    if ending != ".json":
        raise SceneError("{name}: not a character card; choose the card as JSON, PNG or CHARX", name=name)
    return opened_as(name, parse_json(name, raw))


def opened_as(
    place: Readable, plain: Plain, picture: bytes | None = None, files: dict[str, bytes] | None = None
) -> Opened:
    """The card that `plain` says. Raises SceneError if it says none."""
    data = plain.data
    if not isinstance(data, dict) or not ("spec" in data or is_card(data)):
        raise SceneError("{place}: not a character card; it needs 'spec' and 'data', or the fields of V1", place=place)
    spec = data.get("spec", "V1")
    version: Version | None = "V1" if "spec" not in data else SPECS.get(spec) if isinstance(spec, str) else None
    lines = picture is None
    if version is None:
        known = listed(SPECS)
        told = Message("{spec!r} is not supported; use one of {known}", spec=str(spec)[:40], known=known)
        raise _fault(place, plain, ("spec",), told, lines=lines)
    if version != "V1" and not isinstance(data.get("data"), dict):
        told = Message("it is missing or not an object; save the card again")
        raise _fault(place, plain, ("data",), told, lines=lines)
    _check_values(place, data)
    return Opened(place, Card(version, data, picture, files or {}), plain, lines)


def _fault(place: Readable, plain: Plain, way: Sequence[Step], what: Readable, *, lines: bool) -> SceneError:
    """What is wrong with the field that the steps lead to, with its line if somebody can look it up."""
    field = ".".join(map(str, way))
    if not lines:
        return SceneError("{place}: {field}: {what}", place=place, field=field, what=what)
    line = plain.places.line(*way)
    return SceneError("{place}: line {line}: {field}: {what}", place=place, line=line, field=field, what=what)


def _decoded(place: Readable, text: bytes) -> bytes:
    """The JSON in the text of a picture."""
    try:
        return base64.b64decode(b"".join(text.split()), validate=True)
    except binascii.Error as error:
        raise SceneError(
            "{place}: not valid base64 ({error}); download or save the image again", place=place, error=error
        ) from error


def _check_values(place: Readable, data: object) -> None:
    """Raises SceneError for what JSON has no word for, and for what is too deep to be written again."""
    level: list[object] = [data]
    for _ in range(_DEEPEST):
        if not level:
            return
        if any(isinstance(value, float) and not math.isfinite(value) for value in level):
            raise SceneError("{place}: it contains a number that JSON does not allow; correct the card", place=place)
        level = [inner for value in level for inner in _inside(value)]
    raise SceneError(
        "{place}: the JSON is nested too deeply to be read; check that this is a character card", place=place
    )


def _inside(value: object) -> list[object]:
    return [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
