"""Scenes drawn anew, the same for all models: what all find in a hard scene does not make their order uncertain."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from annotations.resampling import Drawing

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LIMITS = (2.5, 97.5)
"""Percentiles between which 95 % lie."""
SAME = 1e-9
"""Means that differ by no more are equal: in what order scores are added up must not decide a rank."""
_KEPT = 8
"""Numbers of scenes of which the draws are kept."""


@dataclass(frozen=True, eq=False)
class DrawnRanks:
    """What draws tell of ranks; the last axis of each array is that of the models."""

    best: Ints
    worst: Ints
    """Between which ranks a model lies in 95 % of the draws."""
    first: Floats
    """The share of draws in which no other model is better."""


@lru_cache(_KEPT)
def draws_of(scenes: int, drawing: Drawing) -> Floats:
    """How often each scene comes in each draw: scenes x draws. It is shared: nobody may change it."""
    generator = np.random.default_rng(drawing.seed)
    counts = generator.multinomial(scenes, np.full(scenes, 1 / scenes), size=drawing.draws)
    return np.ascontiguousarray(counts.T, dtype=float)


def ranks_in(drawn: Floats) -> DrawnRanks:
    """The ranks of means by draw and model, with any axes between; a model that is NaN in a draw is the last in it."""
    known = np.where(np.isnan(drawn), -np.inf, drawn)
    better = known[..., :, None] + SAME < known[..., None, :]
    ranks = 1 + better.sum(axis=-1)
    best, worst = np.percentile(ranks, LIMITS, axis=0, method="nearest")
    return DrawnRanks(best, worst, (ranks == 1).mean(axis=0))
