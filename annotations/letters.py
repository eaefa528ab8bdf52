"""Of which script the letters of a text are."""

import re
import unicodedata

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


def _letters(text: str) -> int:
    letters = sum(1 for sign in text if sign.isalpha())
    if not letters:
        raise ValueError("the text has no letters")
    return letters
