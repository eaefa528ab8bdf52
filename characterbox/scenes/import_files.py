"""One entrance for whatever somebody drops: files of scenes and character cards, told apart by what they hold."""

from pathlib import Path

from characterbox.scenes.cards import png
from characterbox.scenes.cards.card_file import ZIP, is_card, opened_as
from characterbox.scenes.cards.profile import CardFile, read_card, understood
from characterbox.scenes.file_reading import LARGEST, parse, unknown_ending
from characterbox.scenes.import_report import SceneFile
from characterbox.scenes.importer import read_scenes
from characterbox.scenes.library import beside_bundled
from characterbox.values import Language

CARD_ENDINGS = (".png", ".charx")
ENDINGS = (*LARGEST, *CARD_ENDINGS)
"""Of the files that can be read."""


def read_any(name: str, raw: bytes, language: Language | None = None) -> SceneFile | CardFile:
    """The scenes or the character in the file `name`. `language` is that of its scenes, where they do not say it. None
    of the scenes has the id of a bundled one, unless it is that one.

    Raises SceneError, in one line, for a file that is neither or that cannot be used.
    """
    ending = Path(name).suffix.lower()
    if ending in CARD_ENDINGS or raw.startswith((png.SIGNATURE, ZIP)):
        return read_card(name, raw)
    if ending not in ENDINGS:
        raise unknown_ending(name, ENDINGS)
    plain = parse(name, raw)
    if is_card(plain.data):
        return understood(name, opened_as(name, plain))
    return beside_bundled(read_scenes(name, plain, language))
