"""Draws of scenes: how sure is an order? A rank has no standard error, so that scenes are drawn anew for it."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from annotations.resampling.jackknife import Floats

MOST_UNDEFINED_DRAWS = 0.05
"""The share of draws in which something may be undefined before what rests on draws is given up."""
_KEPT = 4_000_000
"""Counts up to which they are kept, since one ranking after the other asks for the same (8 MB)."""


@dataclass(frozen=True)
class Draws:
    """How many draws there are, and from which seed."""

    number: int = 2000
    seed: int = 0


USUAL_DRAWS = Draws()


def scene_counts(scenes: int, draws: Draws) -> Floats:
    """How often each scene comes in each draw of as many with replacement: scenes x draws.

    The same for all rankings over the same number of scenes.
    """
    counts = (_kept if scenes * draws.number <= _KEPT else _drawn)(scenes, draws.number, draws.seed)
    return np.ascontiguousarray(counts.T, dtype=float)


def _drawn(scenes: int, number: int, seed: int) -> NDArray[np.int16]:
    random = np.random.default_rng(seed)
    return random.multinomial(scenes, np.full(scenes, 1 / scenes), size=number).astype(np.int16)


_kept = lru_cache(maxsize=8)(_drawn)
