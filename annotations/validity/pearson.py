"""Pearson's r where items count several times, as in the draws of a resampling: all draws from their sums at once.

A draw counts items, and all that r and covariances need is weighted sums over items: one product of matrices, draws x
items times items x sums, gives them in all draws. `pearson_terms` are the sums for two columns with gaps, `ItemSums`
those for each pair of several complete columns. Fisher's interval (1921) takes the pairs of scores as independent.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.resampling.jackknife import CORRELATION, END_OF_RANGE, Error, Figures, Floats, Interval, Ints

FISHER = "fisher"
FEWEST_FOR_FISHER = 4
_TINY = 1e-12
"""A variance, as a share of that of all scores, below which scores do not vary."""


def pearson_figures(x: Floats, y: Floats) -> Figures:
    """Pearson's r of `x` and `y`, which hold one value for each item, as the only figure; NaN where either side does
    not vary."""
    terms = pearson_terms(x, y)
    return lambda counts: pearson_of_sums((counts @ terms).T)[None]


def pearson_within(x: Floats, y: Floats, group: Ints) -> Figures:
    """Pearson's r of both sides' deviations from the mean of their group in a draw, as the only figure; NaN where
    either side does not vary. `group` is each item's, a number from 0."""
    terms, groups = pearson_terms(x, y), int(group.max(initial=-1)) + 1
    cells = group[:, None] + groups * np.arange(terms.shape[1])
    items = np.broadcast_to(np.arange(len(terms))[:, None], terms.shape)
    sums_by_items = (groups * terms.shape[1], len(terms))
    summing = csr_array((terms.ravel(), (cells.ravel(), items.ravel())), shape=sums_by_items)

    def figures(counts: Floats) -> Floats:
        n, of_x, of_y, *squares = np.split(np.asarray(summing @ counts.T), terms.shape[1])  # each groups x draws
        means = (shares(product, n) for product in (of_x * of_x, of_y * of_y, of_x * of_y))
        within = [(square - mean).sum(axis=0) for square, mean in zip(squares, means, strict=True)]
        return pearson_of_squares(np.stack(within), n.sum(axis=0))[None]

    return figures


def pearson_terms(x: Floats, y: Floats) -> Floats:
    """What r of `x` and `y` is summed up from: 1, x, y, x * x, y * y and x * y (items x 6), x and y standardized.

    An item that lacks one of them (NaN) adds nothing.
    """
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = (_standardized(side, both) for side in (x, y))
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


def _standardized(scores: Floats, used: NDArray[np.bool_]) -> Floats:
    """With mean 0 and standard deviation 1 over the items that are used, and 0 for the others."""
    if not used.any():
        return np.zeros_like(scores)
    spread = scores[used].std()
    return np.where(used, (scores - scores[used].mean()) / (spread if spread > 0 else 1), 0)


@dataclass(frozen=True, eq=False)
class ItemSums:
    """Per item the sums over its rows that covariances are made of."""

    sums: Floats
    """Items x (number of rows, sums of standardized scores, sums of their products for each pair of columns)."""
    spread: Floats
    """The standard deviation of each column over all rows."""

    def covariances(self, counts: Floats) -> Floats:
        """Draws x columns x columns, divided by the number of rows, for `counts` (draws x items).

        The variance of a column that does not vary in a draw is NaN.
        """
        columns = len(self.spread)
        first, second = np.triu_indices(columns)
        weight, sums, products = np.split(counts @ self.sums, [1, 1 + columns], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = sums / weight
            upper = products / weight - mean[:, first] * mean[:, second]
        upper[:, first == second] = np.where(upper[:, first == second] > _TINY, upper[:, first == second], np.nan)
        table = np.empty((len(counts), columns, columns))
        table[:, first, second] = table[:, second, first] = upper
        return np.asarray(table * np.outer(self.spread, self.spread), dtype=float)


def item_sums(scores: Floats, item: Ints, items: int) -> ItemSums:
    """The sums of `scores` (rows x columns, without gaps); `item` is each row's item, a number below `items`."""
    spread = scores.std(axis=0)
    standardized = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1)
    first, second = np.triu_indices(scores.shape[1])
    terms = np.column_stack([np.ones(len(scores)), standardized, standardized[:, first] * standardized[:, second]])
    sums = np.zeros((items, terms.shape[1]))
    for column, term in enumerate(terms.T):
        sums[:, column] = np.bincount(item, weights=term, minlength=items)
    return ItemSums(sums, spread)


def correlations(covariances: Floats) -> Floats:
    """Pearson's r from covariances (draws x columns x columns); NaN where a column does not vary."""
    spread = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    return np.asarray(np.clip(covariances / (spread[:, :, None] * spread[:, None, :]), -1, 1), dtype=float)


def pearson_matrix(scores: Floats) -> Floats:
    """Pearson's r of each pair of columns of `scores` (rows x columns); NaN where a column does not vary."""
    sums = item_sums(scores, np.zeros(len(scores), dtype=np.intp), 1)
    return np.asarray(correlations(sums.covariances(np.ones((1, 1))))[0], dtype=float)


def fisher_interval(pearson: float, n: int) -> Interval | Undefined:
    """The 95 % interval of r over `n` independent pairs, by Fisher's z; of fewer than four pairs, and for an r of 1 or
    -1, there is none."""
    return or_undefined(lambda: fisher_error(pearson, n).interval)


def fisher_error(pearson: float, n: int) -> Error:
    """The error on which it rests. Raises UndefinedStatistic where there is none."""
    if n < FEWEST_FOR_FISHER:
        raise UndefinedStatistic(
            "Fisher's interval needs at least {fewest} pairs; found {n}", fewest=FEWEST_FOR_FISHER, n=n
        )
    if 1 - abs(pearson) < _TINY:
        raise UndefinedStatistic(END_OF_RANGE, value=pearson)
    return Error(float(np.arctanh(pearson)), float(1 / np.sqrt(n - 3)), np.inf, CORRELATION, FISHER)
