"""Text in a form in which spellings that look alike are equal; and the script of its letters.

Full-width letters and digits become plain ones (NFKC), all dashes a hyphen, all apostrophes and quotation marks the
straight ones, all blanks a space, Traditional characters that patterns here are made of Simplified ones; accents that
stand by themselves, and characters that take no room, vanish.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

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


_DASHES = "‐‑‒–—―−﹣⁃"
_APOSTROPHES = "‘’‛ʼ′`´"
_QUOTES = "“”„‟″「」『』«»《》〈〉〝〞"
_TRADITIONAL = str.maketrans(
    "萬專業東絲個為義習書產亞們僅從會偉倫體寫創動華歷發員團復實寶對師庫開當懷戶擬據數無時機來構標夢沒測監盤確種練終經統維網罷臉騰節蘋虛規覺訓"
    "訊論設識試話語說課譜責質資躍軟達過問隊階際項顧預領飛馬驗雲",
    "万专业东丝个为义习书产亚们仅从会伟伦体写创动华历发员团复实宝对师库开当怀户拟据数无时机来构标梦没测监盘确种练终经统维网罢脸腾节苹虚规觉训"
    "讯论设识试话语说课谱责质资跃软达过问队阶际项顾预领飞马验云",
)


@dataclass(frozen=True)
class FoldedText:
    """A text, folded."""

    text: str
    ends: tuple[int, ...]
    """For each character of the original, where in `text` that ends which has come from it and those before it."""

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where in the original `start` to `end` of `text` has come from; `end` is no longer part of it."""
        return bisect_right(self.ends, start), bisect_right(self.ends, end - 1) + 1


class _Folds(dict[str, str]):
    """What a character becomes, worked out when it is first met."""

    def __missing__(self, character: str) -> str:
        self[character] = folds = "".join(map(_fold, unicodedata.normalize("NFKC", character)))
        return folds


_folds = _Folds()


def folded(original: str) -> FoldedText:
    """The text, folded."""
    pieces = [_folds[character] for character in original]
    return FoldedText("".join(pieces), tuple(accumulate(map(len, pieces))))


def _fold(character: str) -> str:
    if character in _DASHES:
        return "-"
    if character in _APOSTROPHES:
        return "'"
    if character in _QUOTES:
        return '"'
    if unicodedata.category(character) in ("Cf", "Mn"):
        return ""
    if character.isspace() and character != "\n":
        return " "
    return character.translate(_TRADITIONAL)
