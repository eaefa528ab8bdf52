"""Estimates: several figures of the same items, each with the interval that the same draws give it.

A figure is worked out once as it stands, with every item counting once, and again in each draw of a resampling (see
`annotations.resampling`). All figures of the items come from one function, so that they share their sums.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from annotations.errors import UndefinedStatistic
from annotations.resampling import By, Floats, Interval, Resampling, resampling
from annotations.undefined import Undefined

Figures = Callable[[Floats], Floats]
"""From counts (draws x items) to the values of all figures (figures x draws), NaN where a draw leaves one undefined."""

_TINY = 1e-12
"""A variance, as a share of that of all scores, below which scores do not vary."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its evidence."""

    estimate: float
    interval: Interval | Undefined
    """95 %, by resampling; undefined where there is too little to draw from, though the figure itself is defined."""
    n: int
    """Of what it was computed from, which the figure's own description names."""


def as_they_stand(figures: Figures, items: int) -> list[float]:
    """The figures with every item counting once."""
    return [float(value) for value in figures(np.ones((1, items)))[:, 0]]


def intervals(places: pd.DataFrame, figures: Figures, *, by: By, draws: int, seed: int) -> list[Interval | Undefined]:
    """The interval of each figure of the items in these `places` (columns scene and model, in the items' order).

    A figure that too many draws leave undefined takes nothing from the others.
    """
    number = len(figures(np.ones((1, len(places)))))
    try:
        drawn = resampling(places["scene"], places["model"], by=by, draws=draws, seed=seed)
    except UndefinedStatistic as undefined:
        return [Undefined(str(undefined))] * number
    each = _sharing(figures, number)
    try:
        return list(drawn.interval(*each))
    except UndefinedStatistic:
        return [_interval(drawn, statistic) for statistic in each]


def pearson_terms(x: Floats, y: Floats) -> Floats:
    """What r of `x` and `y` is summed up from: 1, x, y, x * x, y * y and x * y (items x 6), x and y standardized.

    An item that lacks one of them (NaN) adds nothing.
    """
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = (_standardized(np.where(both, side, np.nan)) for side in (x, y))
    return np.stack([both.astype(float), x, y, x * x, y * y, x * y], axis=1)


def pearson_of_sums(sums: Floats) -> Floats:
    """r from sums of `pearson_terms` (6 x draws); NaN where either side does not vary."""
    n, x, y = sums[:3]
    return pearson_of_squares(sums[3:] - shares(np.stack([x * x, y * y, x * y]), n), n)


def pearson_of_squares(squares: Floats, n: Floats) -> Floats:
    """r from the sums of x * x, y * y and x * y about the means (3 x draws) of `n` pairs; NaN where either side does
    not vary."""
    xx, yy, xy = squares
    varies = (xx > _TINY * n) & (yy > _TINY * n)
    r = np.divide(xy, np.sqrt(np.abs(xx * yy)), out=np.full(len(n), np.nan), where=varies)
    return np.asarray(np.clip(r, -1, 1), dtype=float)


def shares(sums: Floats, n: Floats) -> Floats:
    """The sums over n, and 0 where there is nothing."""
    return np.divide(sums, n, out=np.zeros_like(sums), where=n > 0)


def _standardized(scores: Floats) -> Floats:
    """With mean 0 and standard deviation 1, and 0 for NaN."""
    if np.isnan(scores).all():
        return np.zeros_like(scores)
    spread = np.nanstd(scores)
    return np.nan_to_num((scores - np.nanmean(scores)) / (spread if spread > 0 else 1))


def _interval(drawn: Resampling, statistic: Callable[[Floats], Floats]) -> Interval | Undefined:
    try:
        return drawn.interval(statistic)[0]
    except UndefinedStatistic as undefined:
        return Undefined(str(undefined))


def _sharing(figures: Figures, number: int) -> list[Callable[[Floats], Floats]]:
    """Each figure by itself; of all that are asked for the same counts in turn, only the first works them out."""
    last: list[Floats] = []

    def values(at: int, counts: Floats) -> Floats:
        if not last or last[0] is not counts:
            last[:] = [counts, figures(counts)]
        return np.asarray(last[1][at], dtype=float)

    return [partial(values, at) for at in range(number)]
