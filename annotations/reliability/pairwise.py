"""Scores with gaps: what becomes of the rows of an alpha that are not complete?

Either they are left out, or each covariance comes from all rows that have both of its columns, and each variance from
all rows that have its column (available cases). A few missing scores then cost little, where by complete rows they
cost every row that they touch. Both are right where scores are missing completely at random; only then are rows with a
gap like the others (Little & Rubin, 2019, chapter 3). Covariances of different rows can contradict each other: no
scores whatever have them, their matrix is not positive semi-definite, and no alpha is made of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from annotations.i18n.messages import to_say
from annotations.resampling.jackknife import Floats, Ints

Gaps = Literal["complete rows", "pairs of scores"]
"""What an alpha rests on: rows without a gap, or all rows, pair by pair."""
USUAL_GAPS: Gaps = "complete rows"
ALPHA_RESTS_ON: Mapping[Gaps, str] = {
    "complete rows": to_say("alpha uses rows without missing scores"),
    "pairs of scores": to_say(
        "alpha uses all rows with at least two scores: each covariance comes from the rows that have both"
        " scores, each variance from those that have the score; scores are assumed to be missing completely at"
        " random"
    ),
}
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class PairSums:
    """Per item the sums over its rows that covariances of scores with gaps are made of."""

    sums: Floats
    """Items x (4 x pairs of columns): rows with both, sums of the first, of the second, and of their products."""
    spread: Floats
    """The standard deviation of each column."""

    def covariances(self, counts: Floats) -> Floats:
        """Draws x columns x columns, each divided by its number of rows less 1, for `counts` (draws x items)."""
        first, second = np.triu_indices(len(self.spread))
        n, one, two, products = np.split(counts @ self.sums, 4, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = (products - one * two / n) / (n - 1)
        table = np.empty((len(counts), len(self.spread), len(self.spread)))
        table[:, first, second] = table[:, second, first] = np.where(n > 1, upper, np.nan)
        return np.asarray(table * np.outer(self.spread, self.spread), dtype=float)


def pair_sums(scores: Floats, item: Ints, items: int) -> PairSums:
    """The sums of `scores` (rows x columns, NaN for a gap; each column has a score); `item` is each row's item, a
    number below `items`."""
    spread, there = np.nanstd(scores, axis=0), ~np.isnan(scores)
    standardized = np.nan_to_num((scores - np.nanmean(scores, axis=0)) / np.where(spread > 0, spread, 1))
    first, second = np.triu_indices(scores.shape[1])
    both = there[:, first] & there[:, second]
    one, two = standardized[:, first] * both, standardized[:, second] * both
    terms = np.hstack([both, one, two, one * two])
    sums = np.zeros((items, terms.shape[1]))
    np.add.at(sums, item, terms)
    return PairSums(sums, spread)


def covariances_of_pairs(scores: Floats) -> Floats:
    """Columns x columns: covariances of `scores` (rows x columns, NaN for a gap), each over the rows that have both."""
    sums = pair_sums(scores, np.zeros(len(scores), dtype=np.intp), 1)
    return np.asarray(sums.covariances(np.ones((1, 1)))[0], dtype=float)


def contradict(covariances: Floats) -> bool:
    """Whether no scores whatever have these covariances."""
    return bool(np.linalg.eigvalsh(covariances).min() < -_TINY * np.trace(covariances))


def fewest_shared(table: pd.DataFrame) -> tuple[int, str, str]:
    """The fewest rows that two columns share, and which two these are."""
    there = table.notna().to_numpy(dtype=int)
    shared = there.T @ there
    first, second = np.triu_indices(len(shared), 1)
    at = int(shared[first, second].argmin())
    return int(shared[first[at], second[at]]), str(table.columns[first[at]]), str(table.columns[second[at]])


def rows_used(table: pd.DataFrame, gaps: Gaps) -> pd.DataFrame:
    """The rows that an alpha rests on: those without a gap, or those with two scores at least."""
    there = table.notna().to_numpy().sum(axis=1)
    used = there >= (len(table.columns) if gaps == "complete rows" else 2)
    return table if used.all() else table[used]
