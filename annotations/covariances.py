"""Covariances of several columns of scores in every draw of a resampling at once.

A draw counts items, and everything a covariance needs is a weighted sum over items: so one product of matrices, draws
x items times items x sums, gives the covariances of all pairs of columns in all draws.
"""

from dataclasses import dataclass

import numpy as np

from annotations.resampling import Floats, Ints

_TINY = 1e-12
"""A variance, as a share of the column's variance over all rows, below which its scores are the same."""


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


def correlations(covariances: Floats) -> Floats:
    """Pearson's r from covariances (draws x columns x columns); NaN where a column does not vary."""
    spread = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    return np.asarray(np.clip(covariances / (spread[:, :, None] * spread[:, None, :]), -1, 1), dtype=float)


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


def pearson_matrix(scores: Floats) -> Floats:
    """Pearson's r of each pair of columns of `scores` (rows x columns); NaN where a column does not vary."""
    sums = item_sums(scores, np.zeros(len(scores), dtype=np.intp), 1)
    return np.asarray(correlations(sums.covariances(np.ones((1, 1))))[0], dtype=float)
