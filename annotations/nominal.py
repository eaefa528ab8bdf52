"""Two raters who each put the same things into categories: how often the same, and how much oftener than by chance?

Cohen's kappa (1960) is (observed - chance) / (1 - chance), where by chance both would keep how often they gave each
category, on things dealt out at random. Where things come in strata that have categories of their own, such as the
names of different casts, chance deals them out within each stratum: else names that cannot be mixed up would count as
names that were kept apart. With one stratum this is Cohen's kappa as it was published.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.errors import UndefinedStatistic
from annotations.estimates import Estimate, estimates
from annotations.resampling import USUAL, Drawing, Figures, Floats
from annotations.undefined import Undefined
from annotations.wording import say, to_say

KAPPA = to_say("Cohen's kappa (1960): what agreement is beyond chance, as a share of what it could be")

_TINY = 1e-9


@dataclass(frozen=True)
class Nominal:
    """How two raters agree on categories."""

    share: Estimate
    """Of things that both put into the same category."""
    by_chance: float
    """The share that chance alone would give."""
    kappa: Estimate | Undefined
    n: int
    """Things."""


def nominal_agreement(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    places: pd.DataFrame,
    *,
    strata: Sequence[Hashable] | None = None,
    drawing: Drawing = USUAL,
) -> Nominal:
    """How two raters agree on the things at these `places` (columns scene and model), in their order.

    `strata` tells of each thing to which it belongs; None where all have the same categories. Raises UndefinedStatistic
    where there are no things.
    """
    n = len(first)
    if n == 0:
        raise UndefinedStatistic(say("there is nothing that both have told"))
    figures = _figures(first, second, strata or [0] * n)
    share, chance, kappa = estimates(places, figures, drawing)
    alike = Undefined(say("both always said the same: chance alone would make them agree on all {n:,}", n=n))
    return Nominal(share, chance.estimate, alike if np.isnan(kappa.estimate) else kappa, n)


def _figures(first: Sequence[Hashable], second: Sequence[Hashable], strata: Sequence[Hashable]) -> Figures:
    """The share of equal categories, the one by chance, and kappa."""
    codes, _ = pd.factorize(np.array([*map(repr, first), *map(repr, second)]))
    one, other = np.split(codes, 2)
    known = np.eye(codes.max() + 1)
    equal = (one == other).astype(float)
    stratum, _ = pd.factorize(np.array([*map(repr, strata)]))
    members = [np.flatnonzero(stratum == number) for number in range(stratum.max() + 1)]

    def figures(counts: Floats) -> Floats:
        n, agreed = counts.sum(axis=1), counts @ equal
        chance = np.zeros(len(counts))
        for within in members:
            drawn = counts[:, within]
            times = (drawn @ known[one[within]] * (drawn @ known[other[within]])).sum(axis=1)
            there = drawn.sum(axis=1)
            chance += np.divide(times, there, out=np.zeros(len(counts)), where=there > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            kappa = np.where(n - chance > _TINY * n, (agreed - chance) / (n - chance), np.nan)
            return np.stack([agreed / n, chance / n, kappa])

    return figures
