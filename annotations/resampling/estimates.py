"""Estimates: figures of the same items with intervals from the same draws; means and correlations in clusters.

A figure is worked out once as it stands, with every item counting once, and again in each draw of a resampling (see
`annotations.resampling.resampling`). All figures of the items come from one function, so that they share their sums.
This is how every interval by resampling is made.

The scores of one item depend on each other: they are for the same text, given in one sitting. The intervals here take
items, and not scores, as independent (Liang & Zeger, 1986, with the factor items / (items - 1), and Student's t).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.reliability.pingouin_check import confirmed_pearson
from annotations.resampling.resampling import Drawing, Figures, Floats, Interval, Ints, resampling


@dataclass(frozen=True)
class Estimate:
    """A figure with its evidence."""

    estimate: float
    interval: Interval | Undefined
    """95 %, by resampling; undefined where there is too little to draw from, though the figure itself is defined."""
    n: int
    """Of what it was computed from, which the figure's own description names."""


@dataclass(frozen=True)
class IntervalEstimate(Estimate):
    """A figure that has an interval wherever it is defined: by a formula where there is too little to draw from."""

    interval: Interval


def as_they_stand(figures: Figures, items: int) -> list[float]:
    """The figures with every item counting once."""
    return [float(value) for value in figures(np.ones((1, items)))[:, 0]]


def intervals(places: pd.DataFrame, figures: Figures, drawing: Drawing) -> list[Interval | Undefined]:
    """The interval of each figure of the items in these `places` (columns scene and model, in the items' order), or why
    it has none.

    A figure that too many draws leave undefined takes nothing from the others.
    """
    values = as_they_stand(figures, len(places))
    drawn = or_undefined(resampling, places["scene"], places["model"], drawing)
    if isinstance(drawn, Undefined):
        return [drawn] * len(values)
    return [or_undefined(drawn.interval_of, *each) for each in zip(values, drawn.values(figures), strict=True)]


def estimates(places: pd.DataFrame, figures: Figures, drawing: Drawing) -> list[Estimate]:
    """Each figure of the items in these `places` as it stands, with its interval; n is the number of the items."""
    values, n = as_they_stand(figures, len(places)), len(places)
    ranges = intervals(places, figures, drawing)
    return [Estimate(value, interval, n) for value, interval in zip(values, ranges, strict=True)]


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
            "a mean difference needs at least {fewest} items; there are {n}", fewest=FEWEST_ITEMS, n=items
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
            "a correlation needs at least {fewest} items; there are {n}", fewest=FEWEST_ITEMS, n=items
        )
    for scores in (first, second):
        if np.ptp(scores) < TINY:
            raise UndefinedStatistic(
                "a correlation needs scores that vary; all {n} on one side are {score:g}",
                n=n,
                score=scores[0],
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
