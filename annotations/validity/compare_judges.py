"""Comparing two judges: does one agree better with the same experts on the same items?

Both r rest on the same experts and items, and depend on each other the more, the more the judges agree; two intervals
that overlap therefore decide nothing. The interval of the difference by resampling scenes and models does (see
`annotations.resampling.resampling`). Williams' test and Zou's interval know that the r depend on each other, but take
the items as independent, which items of one scene or model are not: their interval is too narrow then, and their p too
small.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import stdtr

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, to_say
from annotations.reliability.cronbach_alpha import SAME_SCORES
from annotations.reliability.pingouin_check import confirmed_correlations
from annotations.resampling.estimates import Estimate, estimates
from annotations.resampling.resampling import USUAL, Drawing, Floats, Interval
from annotations.validity.judge_expert_correlation import Sides
from annotations.validity.pearson import fisher_interval, pearson_matrix, pearson_of_sums, pearson_terms

DIFFERENCE = to_say("difference: r of the first judge with the experts' means minus r of the second, on the same items")
WILLIAMS = to_say("Williams' t (1959), with n - 3 degrees of freedom, two-sided; takes the items as independent")
ZOU = to_say(
    "interval of the difference by Zou (2007) for correlations that share a variable; takes items as independent"
)

FEWEST_ITEMS = 4
_TINY = 1e-12


@dataclass(frozen=True)
class Williams:
    """Whether two correlations with the same variable differ (`WILLIAMS`)."""

    t: float
    df: int
    p: float


@dataclass(frozen=True)
class Comparison:
    """Two judges beside the same experts, on the items that the experts and both judges scored."""

    first: str
    second: str
    metrics: tuple[str, ...]
    """One, or several whose mean is an item's score."""
    first_r: Estimate
    """Of the first judge with the experts' means."""
    second_r: Estimate
    between: float
    """r of the two judges."""
    difference: Estimate
    """`DIFFERENCE`, with the interval by resampling."""
    williams: Williams | Undefined
    zou: Interval | Undefined
    """`ZOU`."""
    n: int
    """Items."""
    left_out: int
    """Items that some of the three scored, and not all."""


def compare(sides: tuple[Sides, Sides], metrics: Sequence[str], drawing: Drawing = USUAL) -> Comparison:
    """Two judges on a metric, or on the means over several.

    Raises UndefinedStatistic for fewer than four items that all scored, and where one of them gave all the same score.
    """
    first, second = sides
    trio, scored = _trio(first, second, metrics)
    n = len(trio)
    scores = trio[["expert", "first", "second"]].to_numpy(dtype=float).T
    terms = np.concatenate([pearson_terms(scores[0], judged) for judged in scores[1:]], axis=1)

    def figures(counts: Floats) -> Floats:
        one, other = (pearson_of_sums(sums) for sums in np.split((counts @ terms).T, 2))
        return np.stack([one, other, one - other])

    first_r, second_r, difference = estimates(trio, figures, drawing)
    r = confirmed_correlations(pearson_matrix(scores.T), scores.T)
    first_r, second_r = replace(first_r, estimate=float(r[0, 1])), replace(second_r, estimate=float(r[0, 2]))
    between = float(r[1, 2])
    rs = first_r.estimate, second_r.estimate, between
    return Comparison(
        first.judge,
        second.judge,
        tuple(metrics),
        first_r,
        second_r,
        between,
        difference,
        or_undefined(williams, *rs, n),
        or_undefined(_zou, rs, n),
        n,
        left_out=scored - n,
    )


def williams(r12: float, r13: float, r23: float, n: int) -> Williams:
    """Whether the correlations of variable 1 with 2 and with 3 differ, over `n` independent items.

    Williams' (1959) improvement of Hotelling's test, in the form of Steiger (1980, formula 7).
    Raises UndefinedStatistic for fewer than four items, for correlations that no three variables can have, and where 2
    and 3 are the same but for scale.
    """
    determinant = _determinant(r12, r13, r23, n)
    middle = (r12 + r13) / 2
    below = 2 * determinant * (n - 1) / (n - 3) + middle**2 * (1 - r23) ** 3
    if below < _TINY:
        raise UndefinedStatistic(
            "the judges order the items alike (r = {r:.3f}): there is no difference to test", r=r23
        )
    t = float((r12 - r13) * np.sqrt((n - 1) * (1 + r23) / below))
    return Williams(t, n - 3, float(2 * stdtr(n - 3, -abs(t))))


def zou_interval(r12: float, r13: float, r23: float, n: int) -> tuple[float, float]:
    """The 95 % interval of the difference of the correlations of variable 1 with 2 and with 3, over `n` independent
    items (Zou, 2007): from the intervals of both by Fisher's z, and the correlation of the two estimates.

    Raises UndefinedStatistic as `williams` does, and where one of both is 1 or -1.
    """
    _determinant(r12, r13, r23, n)
    free = (1 - r12**2) * (1 - r13**2)
    if free < _TINY:
        raise UndefinedStatistic(
            "r of {first:.3f} and {second:.3f}: one that is 1 or -1 has no interval by Fisher's z",
            first=r12,
            second=r13,
        )
    alike = ((r23 - r12 * r13 / 2) * (1 - r12**2 - r13**2 - r23**2) + r23**3) / free
    one, other = fisher_interval(r12, n), fisher_interval(r13, n)
    down, up = _joined(r12 - one.low, other.high - r13, alike), _joined(one.high - r12, r13 - other.low, alike)
    return r12 - r13 - down, r12 - r13 + up


def _trio(first: Sides, second: Sides, metrics: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """The places and scores of the items that the experts and both judges scored, and of how many any of them did."""
    one, other = (side.means(metrics).set_index("item") for side in (first, second))
    scored = one.index.union(other.index)
    judges = one.rename(columns={"judge": "first"}).join(other["judge"].rename("second"))
    trio = judges.dropna(subset=["expert", "first", "second"])
    n = len(trio)
    if n < FEWEST_ITEMS:
        raise UndefinedStatistic(
            "comparing {first} and {second} needs at least {fewest} items that both and the experts scored; there"
            " are {n}",
            first=first.called,
            second=second.called,
            fewest=FEWEST_ITEMS,
            n=n,
        )
    for side, name in (("expert", Message("the experts")), ("first", first.called), ("second", second.called)):
        if np.isclose(np.ptp(trio[side].to_numpy(dtype=float)), 0):
            raise UndefinedStatistic(SAME_SCORES, n=n, name=name)
    return trio, len(scored)


def _joined(one: float, other: float, alike: float) -> float:
    return float(np.sqrt(max(one**2 + other**2 - 2 * alike * one * other, 0)))


def _determinant(r12: float, r13: float, r23: float, n: int) -> float:
    """Of the matrix of the three correlations; raises UndefinedStatistic where there can be no such matrix."""
    if n < FEWEST_ITEMS:
        raise UndefinedStatistic(
            "correlations are compared over at least {fewest} items; there are {n}", fewest=FEWEST_ITEMS, n=n
        )
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant < -_TINY or max(abs(r12), abs(r13), abs(r23)) > 1:
        raise UndefinedStatistic(
            "no three variables correlate by {first:g}, {second:g} and {third:g}",
            first=r12,
            second=r13,
            third=r23,
        )
    return max(determinant, 0.0)


def _zou(rs: tuple[float, float, float], n: int) -> Interval:
    return Interval(*zou_interval(*rs, n), "zou")
