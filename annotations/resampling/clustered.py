"""Means, shares and correlations in clusters: the scores of one scene, or of one item, depend on each other.

A score of an item goes with its other scores: they are for the same text, given in one sitting. So intervals take
clusters, and not scores, as independent.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic
from annotations.reliability.pingouin_check import confirmed_pearson
from annotations.resampling.estimates import FEWEST_SCORES, TINY, Estimate, enough_cases, errors, interval_of
from annotations.resampling.jackknife import (
    CORRELATION,
    MEAN,
    SHARE,
    ByExpert,
    Drawn,
    Error,
    Figures,
    Floats,
    Ints,
    Scale,
)
from annotations.validity.pearson import pearson_of_sums, pearson_terms

ScenesOrItems = Literal["scenes", "items"]


@dataclass(frozen=True)
class ClusteredEstimate(Estimate):
    """A mean, in points of the scale, a share, or Pearson's r, of scores of which those of one cluster depend on each
    other; n counts the scores, or pairs of scores."""

    clusters: int
    """Scenes, or items."""


def clustered_mean(
    scores: Floats, cluster: Ints, clusters: ScenesOrItems = "scenes", by_expert: ByExpert | None = None
) -> ClusteredEstimate:
    """The mean of `scores`, each of which has the number of its cluster; with `by_expert` experts are drawn, too.

    Raises UndefinedStatistic where there is no score.
    """
    if not len(scores):
        raise UndefinedStatistic("there are no scores")
    sums = _sums(np.column_stack([np.ones_like(scores), scores]), cluster)
    interval = interval_of(
        _error(partial(_mean, sums), sums, len(scores), MEAN, clusters=clusters, by_expert=by_expert)
    )
    return ClusteredEstimate(float(scores.mean()), interval, len(scores), len(sums))


def clustered_share(hits: Floats, cluster: Ints) -> ClusteredEstimate:
    """The share of `hits` that are 1, the others being 0, each of which has the number of its scene.

    Raises UndefinedStatistic where there is none.
    """
    if not len(hits):
        raise UndefinedStatistic("there is nothing to count")
    sums = _sums(np.column_stack([np.ones_like(hits), hits]), cluster)
    interval = interval_of(_error(partial(_mean, sums), sums, len(hits), SHARE))
    return ClusteredEstimate(float(hits.mean()), enough_cases(interval, len(hits)), len(hits), len(sums))


def error_of_mean(scores: Floats, cluster: Ints) -> Error:
    """The standard error of the mean of `scores`, each of which has the number of its scene.

    Raises UndefinedStatistic where there are too few scenes.
    """
    sums = _sums(np.column_stack([np.ones_like(scores), scores]), cluster)
    found = _error(partial(_mean, sums), sums, len(scores), MEAN)
    if isinstance(found, Undefined):
        raise UndefinedStatistic(found.reason)
    return found


def clustered_pearson(first: Floats, second: Floats, cluster: Ints) -> ClusteredEstimate:
    """Pearson's r of two arrays, each pair of which has the number of its scene.

    Raises UndefinedStatistic for fewer than three pairs, and where either array does not vary.
    """
    n = len(first)
    if n < FEWEST_SCORES:
        raise UndefinedStatistic(
            "a correlation needs at least {fewest} pairs of scores; found {n}", fewest=FEWEST_SCORES, n=n
        )
    for scores in (first, second):
        if np.ptp(scores) < TINY:
            raise UndefinedStatistic(
                "a correlation needs scores that vary; all {n} scores on one side are {score:g}", n=n, score=scores[0]
            )
    sums = _sums(pearson_terms(first, second), cluster)
    r = confirmed_pearson(float(pearson_of_sums(sums.sum(axis=0)[:, None])[0]), first, second)
    error = _error(lambda counts: pearson_of_sums((counts @ sums).T)[None], sums, n, CORRELATION)
    return ClusteredEstimate(r, interval_of(error), n, len(sums))


def _mean(sums: Floats, counts: Floats) -> Floats:
    n, total = (counts @ sums).T
    return np.asarray(total / n, dtype=float)[None]


def _error(
    figure: Figures,
    sums: Floats,
    items: int,
    scale: Scale,
    *,
    clusters: ScenesOrItems = "scenes",
    by_expert: ByExpert | None = None,
) -> Error | Undefined:
    """The error of a figure of so many items, by counts of the clusters that `sums` holds."""
    drawn: Drawn = "scenes" if by_expert is None else "scenes and experts"
    places = pd.DataFrame({"scene": range(len(sums))})
    of: Drawn = drawn if clusters == "scenes" else "independent items"
    [error] = errors(places, figure, of, [scale], by_expert, items=items)
    return error


def _sums(values: Floats, cluster: Ints) -> Floats:
    """The sums of each cluster (clusters x columns)."""
    _, code = np.unique(cluster, return_inverse=True)
    return np.stack([np.bincount(code, weights=column) for column in values.T], axis=1)
