"""Intraclass correlation: how much of what tells scores apart is the items, and how much the raters?

A two-way analysis of variance splits the variance of a complete table of n items x k raters into that of the items'
means (mean square MSR), of the raters' means (MSC) and the rest (MSE). Six correlations are built from them, with the
names of McGraw & Wong (1996):

- ICC(A,1), absolute agreement: a rater who is always one point stricter takes something away.
- ICC(C,1), consistency: only the order and the distances of the items count, the raters' levels do not.
- ICC(1,1), one-way: whatever differs between the raters of an item is error, as it is where the columns are not the
  same persons from item to item.

They tell what a single rater's score is worth; ICC(A,k), ICC(C,k) and ICC(1,k) tell it of the mean of all k raters.
Raters who differ from item to item are another matter: here only items count that all raters scored.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
from scipy.special import fdtri

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import Message, to_say
from annotations.reliability.agreement import RatedItems
from annotations.reliability.cronbach_alpha import IncompleteRow, incomplete_rows
from annotations.reliability.pingouin_check import confirmed_intraclass
from annotations.resampling.estimates import Estimate, intervals, without_each
from annotations.resampling.jackknife import (
    ALPHA,
    END_OF_RANGE,
    USUAL,
    Drawn,
    Figures,
    Floats,
    Interval,
    intraclass_scale,
)

Name = Literal["ICC(1,1)", "ICC(1,k)", "ICC(C,1)", "ICC(C,k)", "ICC(A,1)", "ICC(A,k)"]
NAMES: tuple[Name, ...] = get_args(Name)

F_INTERVAL = "F, items as independent"

FEWEST_ITEMS = 3
"""With two items every correlation is about 1 or -1, whatever was measured."""
_TINY = 1e-12
"""Shares of the variance below this are arithmetic."""
_TOO_FEW = to_say("{icc} needs at least {fewest} items scored on {metric} by all {k} raters; found {n}")
_TOO_FEW_OF_ALL = to_say(
    "{icc} needs at least {fewest} items scored on {metric} by all {k} raters; found {n}; {several} items have"
    " two or more raters: see Krippendorff's alpha, which uses them"
)


@dataclass(frozen=True)
class IntraclassCorrelation(Estimate):
    """One of the six; n counts the items that all raters scored, which are all that was used.

    The jackknife takes the raters as they are, unless experts are drawn; the F interval takes them as drawn, and the
    items as independent.
    """

    name: Name
    metric: str
    raters: int
    """k."""
    dropped: tuple[IncompleteRow, ...]
    warning: Message | None


@dataclass(frozen=True, eq=False)
class _MeanSquares:
    """The analysis of variance of a table, or of one table per draw."""

    items: Floats
    """MSR."""
    raters: Floats
    """MSC."""
    error: Floats
    """MSE."""
    within: Floats
    """Of the scores within items: MSC and MSE together."""
    n: Floats
    k: int


def intraclass(rated: RatedItems, name: Name, drawn: Drawn = USUAL) -> IntraclassCorrelation:
    """The intraclass correlation `name` of some items (see `annotations.reliability.agreement.rated_items`).

    With independent items the interval is that of F, which no scene and no model widens. Raises UndefinedStatistic for
    fewer than three complete items, and for scores that do not vary.
    """
    complete = rated.only(rated.scores.notna().all(axis="columns"))
    scores = _standardized(complete, rated, name)
    n, k = scores.shape
    squares = _mean_squares(np.ones((1, n)), scores)
    estimate = float(_correlation(squares, name)[0])
    if np.isnan(estimate):
        raise UndefinedStatistic(
            "the mean scores of the {n:,} items on {metric} hardly vary, so {icc} cannot be computed",
            n=n,
            metric=rated.metric,
            icc=name,
        )
    estimate = confirmed_intraclass(estimate, scores, name)
    warning = Message("{icc} is negative: scores of the same item differ more than scores of different items", icc=name)
    interval: Interval | Undefined
    if drawn == "independent items":
        interval = _f_interval(squares, name)
    else:
        [interval] = intervals(
            complete.places,
            _figures_of(scores, name),
            drawn,
            [ALPHA if name.endswith("k)") else intraclass_scale(k)],
            without_each(rated.without_each, partial(_figures, name=name), 1),
        )
    dropped = incomplete_rows(rated.scores)
    return IntraclassCorrelation(
        estimate, interval, n, name, rated.metric, k, dropped, warning if estimate < 0 else None
    )


def _figures(rated: RatedItems, name: Name) -> tuple[Figures, int]:
    """The correlation of the items that all of these raters scored, and their number."""
    complete = rated.only(rated.scores.notna().all(axis="columns"))
    return _figures_of(_standardized(complete, rated, name), name), len(complete.scores)


def _figures_of(scores: Floats, name: Name) -> Figures:
    return lambda counts: _correlation(_mean_squares(counts, scores), name)[None]


def _standardized(complete: RatedItems, rated: RatedItems, name: Name) -> Floats:
    """The complete table with mean 0 and variance 1, which changes no correlation."""
    n, k = len(complete.scores), len(rated.scores.columns)
    if n < FEWEST_ITEMS:
        several = int((rated.scores.notna().sum(axis="columns") >= 2).sum())
        message = _TOO_FEW_OF_ALL if several > n else _TOO_FEW
        raise UndefinedStatistic(message, icc=name, fewest=FEWEST_ITEMS, metric=rated.metric, k=k, n=n, several=several)
    scores = complete.scores.to_numpy(dtype=float)
    if np.allclose(np.ptp(scores, axis=0), 0):
        raise UndefinedStatistic("each rater gave all {n:,} items the same score on {metric}", n=n, metric=rated.metric)
    return np.asarray((scores - scores.mean()) / scores.std(), dtype=float)


def _mean_squares(counts: Floats, scores: Floats) -> _MeanSquares:
    """The analysis of variance in each draw, where an item (a row of `scores`) counts `counts` (draws x items) times.

    A mean square that is nothing but arithmetic is 0.
    """
    k = scores.shape[1]
    parts = np.column_stack([np.ones(len(scores)), scores.mean(axis=1) ** 2, (scores**2).sum(axis=1), scores])
    sums = counts @ parts
    n, item_squares, squares = sums.T[:3]
    with np.errstate(divide="ignore", invalid="ignore"):
        raters = sums[:, 3:] / n[:, None]
        total = squares - n * k * raters.mean(axis=1) ** 2
        between_items = k * (item_squares - n * raters.mean(axis=1) ** 2)
        between_raters = n * k * raters.var(axis=1)
        rest = total - between_items - between_raters
        between_items, between_raters, rest = (
            np.where(part > _TINY * squares, part, 0) for part in (between_items, between_raters, rest)
        )
        return _MeanSquares(
            items=between_items / (n - 1),
            raters=between_raters / (k - 1),
            error=rest / ((n - 1) * (k - 1)),
            within=(between_raters + rest) / (n * (k - 1)),
            n=n,
            k=k,
        )


def _correlation(squares: _MeanSquares, name: Name) -> Floats:
    """The correlation in each draw; NaN where the variance that it is a share of is none."""
    noise = squares.within if name.startswith("ICC(1") else squares.error
    with np.errstate(divide="ignore", invalid="ignore"):
        levels = (squares.raters - squares.error) / squares.n if name.startswith("ICC(A") else np.zeros(len(noise))
        of_mean = squares.items + levels
        whole = of_mean if name.endswith("k)") else of_mean + (squares.k - 1) * (noise + levels)
        varied = (whole > _TINY) & (squares.items + squares.error > _TINY)
        return np.asarray(np.where(varied, (squares.items - noise) / whole, np.nan), dtype=float)


def _f_interval(squares: _MeanSquares, name: Name) -> Interval | Undefined:
    """The interval of McGraw & Wong (1996, table 7) for one table; that of a mean of k raters is stepped up from it."""
    k = squares.k
    if 1 - (r := float(_correlation(squares, name)[0])) < _TINY:
        return Undefined(Message(END_OF_RANGE, value=r))
    low, high = _f_limits_of_agreement(squares) if name.startswith("ICC(A") else _f_limits(squares, name)
    if name.endswith("k)"):
        if low <= -1 / (k - 1):
            return Undefined(
                Message("the F interval of {icc} has no lower limit: the items' mean scores vary too little", icc=name)
            )
        low, high = (k * limit / (1 + (k - 1) * limit) for limit in (low, high))
    return Interval(low, high, F_INTERVAL)


def _f_limits(squares: _MeanSquares, name: Name) -> tuple[float, float]:
    """Of ICC(1,1) and ICC(C,1)."""
    n, k, items = float(squares.n[0]), squares.k, float(squares.items[0])
    one_way = name.startswith("ICC(1")
    noise, rest = (squares.within, n * (k - 1)) if one_way else (squares.error, (n - 1) * (k - 1))
    most, least = (float(fdtri(n - 1, rest, point) * noise[0]) for point in (0.975, 0.025))
    return (items - most) / (items + (k - 1) * most), (items - least) / (items + (k - 1) * least)


def _f_limits_of_agreement(squares: _MeanSquares) -> tuple[float, float]:
    """Of ICC(A,1); the degrees of freedom of the raters and the rest together are Satterthwaite's."""
    n, k = float(squares.n[0]), squares.k
    items, raters, error = (float(each[0]) for each in (squares.items, squares.raters, squares.error))
    r = float(_correlation(squares, "ICC(A,1)")[0])
    odds = k * r / (n * (1 - r))
    of_raters, of_error = odds * raters, (1 + odds * (n - 1)) * error
    freedom = (of_raters + of_error) ** 2 / (of_raters**2 / (k - 1) + of_error**2 / ((n - 1) * (k - 1)))
    noise = k * raters + (k * n - k - n) * error
    most, least = (float(fdtri(n - 1, freedom, point)) for point in (0.975, 0.025))
    low, high = (n * (items - each * error) / (each * noise + n * items) for each in (most, least))
    return low, high
