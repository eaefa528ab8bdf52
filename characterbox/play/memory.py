"""What a character remembers, and what comes back to it when it needs it.

A character's record holds what it perceived lately. What has left the record comes back by relevance, recency and
importance (Park et al., 2023; paper, 3.2).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import faiss
import numpy as np
from numpy.typing import NDArray

from characterbox.play.settings import MemorySettings

T = TypeVar("T")

DIMENSIONS = 512
_DIGITS = 4
"""Of a relevance: processors differ in those behind."""

_ODD = np.array([0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35], dtype=np.uint32)
"""Odd multipliers, one for each letter of an n-gram."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing perceived."""

    round: int
    clock: int
    """The turn of the story in which it was perceived, counted from 1. Never the wall clock."""
    text: str
    importance: int | None = None
    """1 to 10; None when the narrator gave none."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory and how useful it is at a moment: each part between 0 and 1, importance None when unknown."""

    memory: Memory
    relevance: float
    recency: float
    importance: float | None
    score: float
    """The mean of the parts that are known, weighed as the settings say."""


class MemoryStream:
    """The memories of one character that have left its record, with a FAISS index over their embeddings."""

    def __init__(self, settings: MemorySettings) -> None:
        self._settings = settings
        self._memories: list[Memory] = []
        self._clocks = np.empty(0)
        self._importances = np.empty(0)
        """NaN where unknown."""
        self._index = faiss.IndexFlatIP(DIMENSIONS)

    def remember(self, memories: Sequence[Memory]) -> None:
        """Add memories, in the order in which they were made."""
        if not memories:
            return
        self._memories += memories
        self._clocks = np.append(self._clocks, [memory.clock for memory in memories])
        self._importances = np.append(self._importances, [_share(memory.importance, np.nan) for memory in memories])
        self._index.add(np.stack([embedding(memory.text) for memory in memories]))

    def recall(self, query: Sequence[str], *, clock: int) -> list[Recalled]:
        """The memories that matter most for the texts of the query, in the order in which they were made."""
        if not self._memories or not self._settings.recalled:
            return []
        found, numbers = self._index.search(_query(query).reshape(1, DIMENSIONS), len(self._memories))
        relevance = np.empty(len(self._memories))
        relevance[numbers[0]] = found[0]
        best = np.argsort(-self._scores(relevance, clock), kind="stable")[: self._settings.recalled]
        return [_weighed(self._memories[one], float(relevance[one]), clock, self._settings) for one in sorted(best)]

    def _scores(self, relevance: NDArray[np.float64], clock: int) -> NDArray[np.float64]:
        """The scores of all memories at once, as `Recalled.score` has them."""
        weights, unknown = self._settings, np.isnan(self._importances)
        recency = 0.5 ** (np.maximum(clock - self._clocks, 0) / weights.half_life)
        known = weights.relevance * relevance.clip(0.0, 1.0).round(_DIGITS) + weights.recency * recency
        sure = weights.relevance + weights.recency
        scores: NDArray[np.float64] = np.where(
            unknown,
            known / (sure or 1),
            (known + weights.importance * np.nan_to_num(self._importances)) / ((sure + weights.importance) or 1),
        )
        return scores


def weighed(
    memories: Iterable[Memory], query: Iterable[str], *, clock: int, settings: MemorySettings
) -> list[Recalled]:
    """How useful memories are for the texts of the query, at a moment of the story's clock."""
    direction = _query(query)
    return [_weighed(memory, float(embedding(memory.text) @ direction), clock, settings) for memory in memories]


def _weighed(memory: Memory, relevance: float, clock: int, settings: MemorySettings) -> Recalled:
    share = round(min(max(relevance, 0.0), 1.0), _DIGITS)
    recency = 0.5 ** (max(clock - memory.clock, 0) / settings.half_life)
    importance = _share(memory.importance, None)
    parts = [(share, settings.relevance), (recency, settings.recency)]
    if importance is not None:
        parts.append((importance, settings.importance))
    total = sum(weight for _, weight in parts)
    score = sum(part * weight for part, weight in parts) / total if total else 0.0
    return Recalled(memory, share, recency, importance, score)


def _share(importance: int | None, unknown: T) -> float | T:
    return unknown if importance is None else importance / 10


def _query(texts: Iterable[str]) -> NDArray[np.float32]:
    """The direction in which the texts point together: their embeddings are at hand, that of all in one is not."""
    return _of_length_1(sum(map(embedding, texts), start=np.zeros(DIMENSIONS, dtype=np.float32)))


@lru_cache(maxsize=4096)
def embedding(text: str) -> NDArray[np.float32]:
    """Hashed n-grams of 1 to 3 letters, with length 1: they serve English and Chinese, with no download.

    Kept: it takes 0.06 ms, and to show what was remembered weighs the same memories at each reply of a story.
    """
    letters = np.frombuffer(text.casefold().encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
    grams = letters * _ODD[0]
    codes = [_mixed(grams)]
    for size in range(1, min(3, len(letters))):
        grams = grams[:-1] + letters[size:] * _ODD[size]
        codes.append(_mixed(grams))
    code = np.concatenate(codes)
    signs = np.where(code & 0x80000000, -1.0, 1.0)
    return _of_length_1(np.bincount(code % DIMENSIONS, weights=signs, minlength=DIMENSIONS).astype(np.float32))


def _of_length_1(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector with length 1; one of length 0 as it is."""
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def _mixed(grams: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The hashes of the n-grams: every bit of a sum bears on every bit of its hash."""
    mixed: NDArray[np.uint32] = (grams ^ (grams >> np.uint32(16))) * np.uint32(0x7FEB352D)
    mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x846CA68B)
    return mixed ^ (mixed >> np.uint32(16))
