"""Krippendorff's alpha: how far do raters agree, whoever rated which item?

Alpha is 1 - D_o / D_e (Krippendorff, 2019, chapter 12). D_o is the mean squared distance between two scores of the same
item, D_e that between any two scores. It is 1 when the scores of each item are the same, 0 when those of an item are no
closer than scores of different items, and negative when they are farther apart. Raters may differ from item to item:
all items count that have two scores or more, an item with m scores as m of them.

What a distance is follows from the level of measurement. Of *ordinal* scores, such as ratings, it is the number of
scores between the two, half of those that equal them included: the distance of their mid-ranks. Of *interval* scores it
is their difference, and *nominal* ones are equal or not. Only ordinal distances depend on all scores, and so are made
anew in each draw.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import Message
from annotations.marking.rating import Dropped
from annotations.reliability.agreement import RatedItems
from annotations.resampling.estimates import TINY, Estimate, as_they_stand, intervals, without_each
from annotations.resampling.jackknife import USUAL, Drawn, Figures, Floats, intraclass_scale

Level = Literal["ordinal", "interval", "nominal"]

_NO_SPREAD = 1e-12
_DIGITS = 9
"""Scores that differ in later decimals only are ties: what tells them apart is arithmetic."""
_BLOCK = 250_000
"""Numbers (draws x patterns, or distinct scores) that are worked on at once: 2 MB, which a processor keeps near."""


@dataclass(frozen=True)
class KrippendorffAlpha(Estimate):
    """Krippendorff's alpha; n counts the items with at least two scores, which are all that was used.

    The interval takes the raters as they are, unless experts are drawn.
    """

    metric: str
    level: Level
    ratings: int
    """Scores of these items."""
    raters: int
    """Who gave them."""
    dropped: tuple[Dropped, ...]
    warning: Message | None


@dataclass(frozen=True, eq=False)
class _Tally:
    """How often each distinct score was given to each item. Items with the same scores, whoever gave them, are one
    pattern: on a scale of five points there are few.
    """

    patterns: csr_array
    """Items x patterns: 1 where the item has it."""
    values: Floats
    """The distinct scores, rising."""
    times: csr_array
    """Patterns x values."""
    ratings: Floats
    """Of an item with each pattern: m."""


def krippendorff_alpha(rated: RatedItems, level: Level = "ordinal", drawn: Drawn = USUAL) -> KrippendorffAlpha:
    """Krippendorff's alpha of some items (see `annotations.reliability.agreement.rated_items`).

    `drawn` is what the interval takes as drawn. Raises UndefinedStatistic for fewer than two items with two scores,
    and for scores that do not vary.
    """
    several, dropped = rated.by_several
    scores = several.scores.to_numpy(dtype=float)
    items, ratings = len(scores), int(np.isfinite(scores).sum())
    if items < 2:
        raise UndefinedStatistic(
            "alpha needs at least two items with two scores on {metric}; found 1", metric=rated.metric
        )
    if np.nanmax(scores) - np.nanmin(scores) < TINY:
        raise UndefinedStatistic(
            "all {n} scores on {metric} are {score:g}",
            n=ratings,
            metric=rated.metric,
            score=np.nanmin(scores),
        )
    alpha = _statistic(_tally(scores), level)
    [estimate] = as_they_stand(alpha, items)
    warning = Message("alpha is negative: scores of the same item differ more than scores of different items")
    by_expert = without_each(rated.without_each, partial(_figures, level=level), 1)
    [interval] = intervals(several.places, alpha, drawn, [intraclass_scale(ratings / items)], by_expert)
    return KrippendorffAlpha(
        estimate,
        interval,
        items,
        rated.metric,
        level,
        ratings,
        raters=scores.shape[1],
        dropped=dropped,
        warning=warning if estimate < 0 else None,
    )


def _figures(rated: RatedItems, level: Level) -> tuple[Figures, int]:
    scores = rated.by_several[0].scores.to_numpy(dtype=float)
    return _statistic(_tally(scores), level), len(scores)


def _tally(scores: Floats) -> _Tally:
    rows, which = np.unique(np.sort(scores.round(_DIGITS), axis=1), axis=0, return_inverse=True)
    patterns = csr_array((np.ones(len(which)), (np.arange(len(which)), which)))
    pattern, rater = np.nonzero(np.isfinite(rows))
    values, code = np.unique(rows[pattern, rater], return_inverse=True)
    times = csr_array((np.ones(len(code)), (pattern, code)))
    return _Tally(patterns, values, times, np.bincount(pattern).astype(float))


def _statistic(tally: _Tally, level: Level) -> Figures:
    """Alpha as the only figure; NaN where scores do not vary."""

    def alpha(counts: Floats) -> Floats:
        blocks = np.array_split(counts, 1 + len(counts) * max(tally.times.shape) // _BLOCK)
        return np.concatenate([_of_level(tally, block @ tally.patterns, level) for block in blocks])[None]

    return alpha


def _of_level(tally: _Tally, counts: Floats, level: Level) -> Floats:
    """Alpha from how often each pattern counts (draws x patterns)."""
    given = np.asarray(counts @ tally.times, dtype=float)
    match level:
        case "ordinal":
            return _alpha(tally, counts, given, given.cumsum(axis=1) - given / 2)
        case "interval":
            centered = tally.values - tally.values.mean()
            return _alpha(tally, counts, given, (centered / np.abs(centered).max())[None])
        case "nominal":
            return _nominal(tally, counts, given)


def _alpha(tally: _Tally, counts: Floats, given: Floats, places: Floats) -> Floats:
    """Alpha where the distance of two scores is that of their `places` (draws x values, or one row for all draws).

    `counts` is draws x patterns, `given` draws x values: how often each score was given. Squared distances are summed
    over all ordered pairs of m places x: 2 (m sum x^2 - (sum x)^2).
    """
    squares, sums = places**2 @ tally.times.T, places @ tally.times.T
    within = (tally.ratings * squares - sums**2) / (tally.ratings - 1)
    n = counts @ tally.ratings
    overall = n * (given * places**2).sum(axis=1) - (given * places).sum(axis=1) ** 2
    return _ratio((counts * within).sum(axis=1), overall, n)


def _nominal(tally: _Tally, counts: Floats, given: Floats) -> Floats:
    """The same where two scores are equal or not: m^2 ordered pairs less those of equal scores."""
    equal = np.asarray((tally.times**2).sum(axis=1), dtype=float)
    n = counts @ tally.ratings
    within = (tally.ratings**2 - equal) / (tally.ratings - 1)
    return _ratio(counts @ within, n**2 - (given**2).sum(axis=1), n)


def _ratio(within: Floats, overall: Floats, n: Floats) -> Floats:
    """Alpha from the distances within items, each item's divided by m - 1, and those of all n scores."""
    varied = overall > _NO_SPREAD * n**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(varied, 1 - (n - 1) * within / overall, np.nan), dtype=float)
