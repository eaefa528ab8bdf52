"""What a character remembers, and what comes back to it when it needs it.

A character's record holds what it perceived lately. What has left the record comes back by relevance, recency and
importance (Park et al., 2023; paper, 3.2).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import faiss
import numpy as np
from numpy.typing import NDArray

from characterbox.llm.vectors import Vector
from characterbox.play.settings import MemorySettings

T = TypeVar("T")

DIMENSIONS = 512
"""Of the vectors of letters."""
DIGITS = 4
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
    relevance: float | None
    """None where it was not measured."""
    recency: float
    importance: float | None
    score: float
    """The mean of the parts that are known, weighed as the settings say."""


class MemoryStream:
    """The memories of one character that have left its record, with a FAISS index over their vectors."""

    def __init__(self, settings: MemorySettings, vector_of: Callable[[str], Vector] | None = None) -> None:
        """`vector_of` gives the vector of a text by an embedding model, known by the time at which something is
        recalled; without it, letters do.

        The cosines of one model lie between 0.1 and 0.9, those of another between 0.7 and 0.9. So that relevance counts
        as much beside recency whatever the model, they are brought to the range from 0 to 1 over all memories, as Park
        et al. do.
        """
        self._settings = settings
        self._vector_of = vector_of or embedding
        self._rescales = vector_of is not None
        self._memories: list[Memory] = []
        self._clocks = np.empty(0)
        self._importances = np.empty(0)
        """NaN where unknown."""
        self._index: faiss.IndexFlatIP | None = None
        """Over the first memories; those that came since are put into it once something is recalled."""

    @property
    def recalls(self) -> bool:
        """Whether there is anything that could come back."""
        return bool(self._memories and self._settings.recalled)

    @property
    def unmeasured(self) -> Iterable[str]:
        """The texts whose vectors are needed, besides those of the query, once something is recalled."""
        return (memory.text for memory in self._memories[self._indexed :])

    @property
    def _indexed(self) -> int:
        return 0 if self._index is None else int(self._index.ntotal)

    def remember(self, memories: Sequence[Memory]) -> None:
        """Add memories, in the order in which they were made."""
        if not memories:
            return
        self._memories += memories
        self._clocks = np.append(self._clocks, [memory.clock for memory in memories])
        self._importances = np.append(self._importances, [_share(memory.importance, np.nan) for memory in memories])

    def recall(self, query: Sequence[str], *, clock: int) -> list[Recalled]:
        """The memories that matter most for the texts of the query, in the order in which they were made."""
        if not self.recalls:
            return []
        relevance = self._relevance(query)
        best = np.argsort(-self._scores(relevance, clock), kind="stable")[: self._settings.recalled]
        return [weigh(self._memories[one], float(relevance[one]), clock, self._settings) for one in sorted(best)]

    def _relevance(self, query: Sequence[str]) -> NDArray[np.float64]:
        """How much each memory has to do with the texts of the query: the cosine, rescaled where a model gave it."""
        new = [self._vector_of(memory.text) for memory in self._memories[self._indexed :]]
        if self._index is None:
            self._index = faiss.IndexFlatIP(len(new[0]))
        if new:
            self._index.add(np.stack(new))
        wanted = direction(map(self._vector_of, query), self._index.d)
        found, numbers = self._index.search(wanted.reshape(1, -1), len(self._memories))
        relevance = np.empty(len(self._memories))
        relevance[numbers[0]] = found[0]
        if self._rescales and (span := np.ptp(relevance)):
            relevance = (relevance - relevance.min()) / span
        return relevance

    def _scores(self, relevance: NDArray[np.float64], clock: int) -> NDArray[np.float64]:
        """The scores of all memories at once, as `Recalled.score` has them."""
        weights, unknown = self._settings, np.isnan(self._importances)
        recency = 0.5 ** (np.maximum(clock - self._clocks, 0) / weights.half_life)
        known = weights.relevance * relevance.clip(0.0, 1.0).round(DIGITS) + weights.recency * recency
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
    wanted = direction(map(embedding, query), DIMENSIONS)
    return [weigh(memory, float(embedding(memory.text) @ wanted), clock, settings) for memory in memories]


def weigh(memory: Memory, relevance: float | None, clock: int, settings: MemorySettings) -> Recalled:
    """How useful a memory is at a moment of the story's clock, given its relevance, None where nobody measured it."""
    share = None if relevance is None else round(min(max(relevance, 0.0), 1.0), DIGITS)
    recency = 0.5 ** (max(clock - memory.clock, 0) / settings.half_life)
    importance = _share(memory.importance, None)
    known = ((share, settings.relevance), (recency, settings.recency), (importance, settings.importance))
    parts = [(part, weight) for part, weight in known if part is not None]
    total = sum(weight for _, weight in parts)
    score = sum(part * weight for part, weight in parts) / total if total else 0.0
    return Recalled(memory, share, recency, importance, score)


def _share(importance: int | None, unknown: T) -> float | T:
    return unknown if importance is None else importance / 10


def direction(vectors: Iterable[Vector], size: int) -> Vector:
    """Where vectors of this size point together: those of several texts are at hand, that of all in one is not."""
    return of_length_1(sum(vectors, start=np.zeros(size, dtype=np.float32)))


@lru_cache(maxsize=4096)
def embedding(text: str) -> Vector:
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
    return of_length_1(np.bincount(code % DIMENSIONS, weights=signs, minlength=DIMENSIONS).astype(np.float32))


def of_length_1(vector: Vector) -> Vector:
    """The vector with length 1; one of length 0 as it is."""
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def _mixed(grams: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The hashes of the n-grams: every bit of a sum bears on every bit of its hash."""
    mixed: NDArray[np.uint32] = (grams ^ (grams >> np.uint32(16))) * np.uint32(0x7FEB352D)
    mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x846CA68B)
    return mixed ^ (mixed >> np.uint32(16))
