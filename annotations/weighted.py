"""Pearson's r where items count several times, as in the draws of a resampling: all draws from their sums at once."""

import numpy as np

from annotations.resampling import Floats

_TINY = 1e-12
"""A variance, as a share of that of all scores, below which scores do not vary."""


def weighted_pearson(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Pearson's r in each draw; NaN where either side does not vary. `counts` are draws x items, `x` and `y` hold one
    value for each item."""
    return pearson_of_sums((counts @ pearson_terms(x, y)).T)


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
