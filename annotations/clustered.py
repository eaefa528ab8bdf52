"""Means and correlations whose observations come in clusters.

The scores of one item depend on each other: they are for the same text, given in one sitting. The intervals here take
items, and not scores, as independent (Liang & Zeger, 1986, with the factor items / (items - 1), and Student's t).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from annotations.confirmed import confirmed_pearson
from annotations.errors import UndefinedStatistic
from annotations.estimates import IntervalEstimate
from annotations.resampling import Floats, Interval, Ints
from annotations.wording import say

FEWEST_ITEMS = 3
"""With two items every correlation is about 1 or -1, and no spread is worth its name."""
TINY = 1e-9
"""Scores closer than this are the same: what tells them apart is arithmetic."""


T_INTERVAL = "Student's t, items as clusters"
Z_INTERVAL = "Fisher's z, items as clusters"


@dataclass(frozen=True)
class MeanDifference(IntervalEstimate):
    """A mean of differences, in points of the scale; n counts the differences.

    The interval is by Student's t with items - 1 degrees of freedom; no wider than a point where all are the same.
    """

    se: float
    """Standard error, with items as clusters."""
    items: int


@dataclass(frozen=True)
class Pearson(IntervalEstimate):
    """Pearson's r; n counts the pairs.

    The interval is of Fisher's z, with a standard error that has items as clusters; [r, r] where r is 1 or -1.
    """

    items: int


def mean_difference(differences: Floats, item: Ints) -> MeanDifference:
    """The mean of `differences`, of which those of one `item` (whole numbers) depend on each other.

    Raises UndefinedStatistic for fewer than three items.
    """
    items = _items(item)
    if items < FEWEST_ITEMS:
        raise UndefinedStatistic(
            say("a mean difference needs at least {fewest} items; there are {n}", fewest=FEWEST_ITEMS, n=items)
        )
    estimate = float(differences.mean())
    sums = _sums(differences - estimate, item)
    se = float(np.sqrt(items / (items - 1) * (sums**2).sum()) / len(differences))
    half = float(stdtrit(items - 1, 0.975)) * se
    interval = Interval(estimate - half, estimate + half, T_INTERVAL)
    return MeanDifference(estimate, interval, len(differences), se, items)


def pearson(first: Floats, second: Floats, item: Ints) -> Pearson:
    """Pearson's r of two arrays, of which the pairs of one `item` (whole numbers) depend on each other.

    Raises UndefinedStatistic for fewer than three items, and where either array does not vary.
    """
    items, n = _items(item), len(item)
    if items < FEWEST_ITEMS:
        raise UndefinedStatistic(
            say("a correlation needs at least {fewest} items; there are {n}", fewest=FEWEST_ITEMS, n=items)
        )
    for scores in (first, second):
        if np.ptp(scores) < TINY:
            raise UndefinedStatistic(
                say(
                    "a correlation needs scores that vary; all {n} on one side are {score:g}",
                    n=n,
                    score=scores[0],
                )
            )
    x, y = ((scores - scores.mean()) / scores.std() for scores in (first, second))
    r = confirmed_pearson(float(np.clip((x * y).mean(), -1, 1)), first, second)
    if 1 - abs(r) < TINY:
        return Pearson(r, Interval(r, r, Z_INTERVAL), n, items)
    sums = _sums(x * y - r * (x * x + y * y) / 2, item)  # how far each item moves r
    se = np.sqrt(items / (items - 1) * (sums**2).sum()) / n
    half = stdtrit(items - 1, 0.975) * se / (1 - r * r)
    low, high = np.tanh(np.arctanh(r) + np.array([-half, half]))
    return Pearson(r, Interval(float(low), float(high), Z_INTERVAL), n, items)


def _items(item: Ints) -> int:
    return len(np.unique(item))


def _sums(values: Floats, item: Ints) -> Floats:
    """The sum of the values of each item."""
    _, code = np.unique(item, return_inverse=True)
    return np.bincount(code, weights=values).astype(float)
