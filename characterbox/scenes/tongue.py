"""Which language a scene is written in, by its letters. Asked once, at the import; from then on it is a field."""

import re
import unicodedata

from annotations.wording import say
from characterbox.values import Language

ENOUGH = 0.75
"""The share of letters from which on a text counts as written in one script."""

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")


def han_in(text: str) -> list[str]:
    """The Han characters of the text."""
    return _HAN.findall(text)


def han_share(text: str) -> float:
    """Han characters among all letters of the text, 0 to 1. Raises ValueError for a text without a letter."""
    return len(han_in(text)) / _letters(text)


def latin_share(text: str) -> float:
    """Latin letters among all letters of the text, 0 to 1. Raises ValueError for a text without a letter."""
    latin = sum(1 for sign in text if sign.isalpha() and (sign.isascii() or "LATIN" in unicodedata.name(sign, "")))
    return latin / _letters(text)


def language_by_letters(text: str) -> tuple[Language | None, str]:
    """The language that the letters speak for, and the evidence in words; None when they do not decide it."""
    try:
        han, latin = han_share(text), latin_share(text)
    except ValueError:
        return None, say("it has no letters")
    if han >= ENOUGH:
        return "zh", say("{han:.0%} of its letters are Han", han=han)
    if latin >= ENOUGH:
        return "en", say("{latin:.0%} of its letters are Latin", latin=latin)
    return None, say("{han:.0%} of its letters are Han, {latin:.0%} Latin", han=han, latin=latin)


def _letters(text: str) -> int:
    letters = sum(1 for sign in text if sign.isalpha())
    if not letters:
        raise ValueError("the text has no letters")
    return letters
