"""What a character remembers, and what comes back to it when it needs it.

Memories of this round and the round before stand in every prompt, in the order in which they were made, so that
prompts share a prefix. Older ones come back by relevance, recency and importance (Park et al., 2023; paper, 3.2).
"""

from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import faiss
import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 512
RECENCY_DECAY = 0.9
"""By how much a memory fades with each turn of the story's clock."""
RECALLED = 6
"""How many older memories come back at once."""


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
    """A memory that came back, and why: each part between 0 and 1, importance None when unknown."""

    memory: Memory
    relevance: float
    recency: float
    importance: float | None

    @property
    def score(self) -> float:
        """The mean of the parts that are known."""
        parts = [self.relevance, self.recency, *([] if self.importance is None else [self.importance])]
        return sum(parts) / len(parts)


class MemoryStream:
    """The memories of one character, with a FAISS index over their embeddings."""

    def __init__(self) -> None:
        self._memories: list[Memory] = []
        self._index = faiss.IndexFlatIP(DIMENSIONS)

    def remember(self, memory: Memory) -> None:
        """Add a memory."""
        self._memories.append(memory)
        self._index.add(_embedding(memory.text))

    def recent(self, round: int) -> list[Memory]:
        """The memories since the start of the round before, in the order in which they were made."""
        return [memory for memory in self._memories if memory.round >= round - 1]

    def recall(self, query: str, *, round: int, clock: int) -> list[Recalled]:
        """The older memories that matter most for the query, in the order in which they were made."""
        older = sum(memory.round < round - 1 for memory in self._memories)
        if not older:
            return []
        scores, numbers = self._index.search(_embedding(query), self._index.ntotal)
        found = [
            self._weighed(self._memories[number], float(score), clock)
            for score, number in zip(scores[0], numbers[0], strict=True)
            if number < older
        ]
        best = sorted(found, key=lambda one: (-one.score, one.memory.clock))[:RECALLED]
        return sorted(best, key=lambda one: self._memories.index(one.memory))

    @staticmethod
    def _weighed(memory: Memory, relevance: float, clock: int) -> Recalled:
        return Recalled(
            memory,
            relevance=round(min(max(relevance, 0.0), 1.0), 4),  # processors differ in the digits behind
            recency=RECENCY_DECAY ** max(clock - memory.clock, 0),
            importance=None if memory.importance is None else memory.importance / 10,
        )


@lru_cache(maxsize=4096)
def _embedding(text: str) -> NDArray[np.float32]:
    """Hashed n-grams of 1 to 3 characters as a row of length 1: they serve English and Chinese, with no download."""
    folded = text.casefold()
    hashes = [
        crc32(folded[at : at + size].encode()) for size in (1, 2, 3) for at in range(len(folded) - size + 1)
    ]  # fmt: skip
    codes = np.array(hashes, dtype=np.uint32)
    signs = np.where(codes & 0x80000000, -1.0, 1.0)
    vector = np.bincount(codes % DIMENSIONS, weights=signs, minlength=DIMENSIONS).astype(np.float32)
    length = np.linalg.norm(vector)
    return (vector / length if length else vector).reshape(1, DIMENSIONS)
