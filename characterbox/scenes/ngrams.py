"""The words of a text as numbers, and runs of them: for finding the same wording, whatever the case and punctuation.

A word is a run of letters and digits; each Han character is a word of its own. Apostrophes within a word don't count
(`don't`, `don’t` and `dont` are one word), nor do case and full width. Millions of characters take a fraction of a
second: nothing here goes through a text letter by letter in Python.
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_POINTS = 0x110000
_LONG = 100_000
"""Characters from which on a table of all characters there are is quicker than sorting them."""
_BREAK, _NOTHING = 0, 1
"""What stands for a sign between words, and for one that is passed over."""
_PASSED_OVER = "'’‘ʼ\u00ad\u200b\u200d\u2060\ufeff"
_ODD = np.uint64(0x9E3779B97F4A7C15)
_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, one after the other. 32 bits are enough for hashes of words, of which many in a row have to
    agree, and for places: of the longest sources there are 20 million words to be kept."""

    codes: NDArray[np.uint32]
    """A hash of each word: the same for the same word in any text."""
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    """Where in the text each begins, and the character after it."""

    def __len__(self) -> int:
        return len(self.codes)


def words_of(text: str) -> Words:
    """The words of a text, and where they stand in it."""
    signs = _folded(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4"))
    places = np.flatnonzero(signs != _NOTHING)
    signs = signs[places]
    letter = signs > _NOTHING
    alone = _han(signs)
    begins = letter.copy()
    begins[1:] &= ~letter[:-1] | alone[1:] | alone[:-1]
    signs, places, begins = signs[letter], places[letter], begins[letter]
    firsts = np.flatnonzero(begins)
    if not len(firsts):
        return Words(np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))
    within = np.arange(len(signs)) - firsts[np.cumsum(begins) - 1]
    powers = _powers(int(within.max()) + 1)
    codes = _mixed(np.add.reduceat(_mixed(signs.astype(np.uint64)) * powers[within], firsts))
    lasts = np.append(firsts[1:], len(signs)) - 1
    return Words(_short(codes), places[firsts].astype(np.uint32), places[lasts].astype(np.uint32) + np.uint32(1))


def runs_of(words: Words, length: int) -> NDArray[np.uint32]:
    """A hash of each run of so many words: the first for the run that begins with the first word, and so on.

    Of many millions of runs some have the hash of another one.
    """
    count = max(len(words) - length + 1, 0)
    found = np.zeros(count, dtype=np.uint64)
    for place, power in enumerate(_powers(length)):
        found += words.codes[place : place + count] * power
    return _short(_mixed(found))


def _short(codes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    return codes.astype(np.uint32)


def _powers(count: int) -> NDArray[np.uint64]:
    """1 and the powers of an odd number; sums of products with them depend on the order of what is multiplied."""
    factors = np.full(count, _ODD)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _folded(points: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Each letter as it stands for itself in any case and width; what separates words and what is passed over."""
    if len(points) < _LONG:
        kinds, which = np.unique(points, return_inverse=True)
        return np.array([_fold(point) for point in kinds.tolist()], dtype=np.uint32)[which]
    present = np.zeros(_POINTS, dtype=bool)
    present[points] = True
    table = np.zeros(_POINTS, dtype=np.uint32)
    for point in np.flatnonzero(present).tolist():
        table[point] = _fold(point)
    return table[points]


@lru_cache(maxsize=65_536)
def _fold(point: int) -> int:
    sign = chr(point)
    if sign in _PASSED_OVER or unicodedata.combining(sign):
        return _NOTHING
    if not sign.isalnum():
        return _BREAK
    folded = unicodedata.normalize("NFKC", sign).lower()
    return ord(folded if len(folded) == 1 else sign)


def _han(signs: NDArray[np.uint32]) -> NDArray[np.bool_]:
    found = np.zeros(len(signs), dtype=bool)
    for first, last in _HAN:
        found |= (signs >= first) & (signs <= last)
    return found


def _mixed(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of a code bears on every bit of what comes out (the finaliser of SplitMix64)."""
    mixed: NDArray[np.uint64] = (codes ^ (codes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
