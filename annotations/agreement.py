"""Agreement: how often are two raters' scores of the same item equal, or at most one point apart?

Every pair of scores of an item counts once, so that an item with m scores has m (m - 1) / 2 pairs. Raters who use few
scores agree often even where they do not look at the items, so that the share expected by chance stands beside: two
raters keep the scores they gave, but on items dealt out at random (Cohen, 1960, for each pair of raters; the mean over
pairs of raters counts each as often as they met on an item).
"""

from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from annotations.between_raters import RatedItems, rated_by_several
from annotations.clustered import TINY
from annotations.estimates import intervals
from annotations.rating import Dropped
from annotations.resampling import USUAL, Drawing, Floats, Interval
from annotations.undefined import Undefined
from annotations.wording import to_say

CHANCE = to_say(
    "by chance: each rater keeps the scores given, on items dealt out at random; mean over the pairs of raters"
)


@dataclass(frozen=True)
class Share:
    """A share of the pairs of scores, from 0 to 1."""

    observed: float
    interval: Interval | Undefined
    """95 % of what was observed, by resampling; the raters are taken as they are."""
    by_chance: float
    """What `CHANCE` says; an observed share no greater than this is no agreement."""


@dataclass(frozen=True)
class Agreement:
    """How often raters agree on one metric."""

    metric: str
    exact: Share
    """Of pairs that are equal."""
    within_one: Share
    """Of pairs that are at most one point apart."""
    pairs: int
    items: int
    """Items with at least two scores, which are all that was used."""
    raters: int
    """Who gave them."""
    dropped: tuple[Dropped, ...]


def agreement(rated: RatedItems, drawing: Drawing = USUAL) -> Agreement:
    """How often the raters of some items agree (see `annotations.between_raters.rated_items`).

    `by` says what is drawn anew for the intervals. Raises UndefinedStatistic where no item has scores of two raters.
    """
    several, dropped = rated_by_several(rated)
    scores = several.scores.to_numpy(dtype=float)
    pairs, equal, near = _pairs(scores), _agreeing(scores, 0), _agreeing(scores, 1)
    of_equal, of_near = intervals(several.places, partial(_shares, np.stack([equal, near]), pairs), drawing)
    n = int(pairs.sum())
    return Agreement(
        rated.metric,
        exact=Share(float(equal.sum() / n), of_equal, _by_chance(scores, 0)),
        within_one=Share(float(near.sum() / n), of_near, _by_chance(scores, 1)),
        pairs=n,
        items=len(scores),
        raters=scores.shape[1],
        dropped=dropped,
    )


def _pairs(scores: Floats) -> Floats:
    """How many pairs of scores each item (a row) has."""
    given = np.isfinite(scores).sum(axis=1)
    return np.asarray(given * (given - 1) / 2, dtype=float)


def _agreeing(scores: Floats, most: int) -> Floats:
    """How many pairs of scores of each item are at most `most` points apart."""
    apart = (np.abs(one - other) for one, other in combinations(scores.T, 2))
    return np.asarray(sum((each < most + TINY).astype(float) for each in apart))


def _shares(agreeing: Floats, pairs: Floats, counts: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((agreeing @ counts.T) / (counts @ pairs), dtype=float)


def _by_chance(scores: Floats, most: int) -> float:
    """The share of pairs at most `most` points apart that `CHANCE` describes."""
    scored = np.isfinite(scores)
    values = np.unique(scores[scored])
    given = np.stack([_times(column[there], values) for column, there in zip(scores.T, scored.T, strict=True)])
    used = given / given.sum(axis=1, keepdims=True)
    below = np.column_stack([np.zeros(len(used)), used.cumsum(axis=1)])
    first, past = np.searchsorted(values, [values - most - TINY, values + most + TINY])
    chance = used @ (below[:, past] - below[:, first]).T
    met = np.triu(scored.T.astype(float) @ scored, 1)
    return float((met * chance).sum() / met.sum())


def _times(scores: Floats, values: Floats) -> Floats:
    """How often each of the distinct `values` is among the scores."""
    return np.bincount(np.searchsorted(values, scores), minlength=len(values)).astype(float)
