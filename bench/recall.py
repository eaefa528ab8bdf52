"""What it takes to recall something from many memories."""

import statistics
import time

import numpy as np

from characterbox.play.memory import Memory, MemoryStream
from characterbox.play.settings import MemorySettings

COUNT = 10_000
"""Memories that have left the record."""
NUMBERS = 1024
"""Of a vector, as in bge-m3 and other embedding models of these days."""
_TIMES = 21
_QUERY = 6
"""Lines on a character's mind as a round begins."""


def milliseconds(*, by_meaning: bool) -> float:
    """The median time in which a character recalls what matters, once in a round."""
    texts = [f"Ann puts the {n}th letter into drawer {n % 97}, and locks it." for n in range(COUNT + _QUERY)]
    chance = np.random.default_rng(1)
    vectors = chance.standard_normal((len(texts), NUMBERS), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    known = dict(zip(texts, vectors, strict=True))
    stream = MemoryStream(MemorySettings(), known.__getitem__ if by_meaning else None)
    stream.remember([Memory(clock // 4, clock, text, clock % 10 + 1) for clock, text in enumerate(texts[:COUNT])])
    query = texts[COUNT:]
    stream.recall(query, clock=COUNT)  # puts them into the index: each is put there once, as it leaves the record
    spent = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        stream.recall(query, clock=COUNT)
        spent.append(time.perf_counter() - began)
    return 1000 * statistics.median(spent)
