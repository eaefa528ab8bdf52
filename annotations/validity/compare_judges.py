"""Comparing two judges: does one agree better with the same experts on the same items?

Both r rest on the same experts and items, and depend on each other the more, the more the judges agree; two intervals
that overlap therefore decide nothing. The interval of the difference does, and its p: leaving out scenes moves both r
at once (see `annotations.resampling.jackknife`). Tests that take the items as independent (Williams, 1959; Zou, 2007)
reject up to twice as often as they say where items of one scene resemble each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, to_say
from annotations.reliability.cronbach_alpha import SAME_SCORES
from annotations.reliability.pingouin_check import confirmed_correlations
from annotations.resampling.estimates import Estimate, errors, interval_of, without_each
from annotations.resampling.jackknife import CORRELATION, PLAIN, USUAL, Drawn, Figures, Floats
from annotations.validity.judge_expert_correlation import Sides
from annotations.validity.pearson import pearson_matrix, pearson_of_sums, pearson_terms

DIFFERENCE = to_say("difference: r of the first judge with the experts' mean minus r of the second, on the same items")
P_OF_DIFFERENCE = to_say(
    "p of the difference: tested against 0, two-sided, Student's t with the jackknife standard error"
)

FEWEST_ITEMS = 4


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
    """`DIFFERENCE`."""
    p: float | Undefined
    """`P_OF_DIFFERENCE`."""
    n: int
    """Items."""
    left_out: int
    """Items that some of the three scored, and not all."""


def compare(sides: tuple[Sides, Sides], metrics: Sequence[str], drawn: Drawn = USUAL) -> Comparison:
    """Two judges on a metric, or on the means over several.

    Raises UndefinedStatistic for fewer than four items that all scored, and where one of them gave all the same score.
    """
    first, second = sides
    trio, scored = _trio(first, second, metrics)
    n = len(trio)
    scores = trio[["expert", "first", "second"]].to_numpy(dtype=float).T

    def beside(both: tuple[Sides, Sides]) -> tuple[Figures, int]:
        kept, _ = _trio(*both, metrics)
        return _figures(kept), len(kept)

    by_expert = without_each(lambda: zip(first.without_each(), second.without_each(), strict=True), beside, 3)
    of = errors(trio, _figures(trio), drawn, (CORRELATION, CORRELATION, PLAIN), by_expert)
    r = confirmed_correlations(pearson_matrix(scores.T), scores.T)
    first_r, second_r, between = (float(one) for one in (r[0, 1], r[0, 2], r[1, 2]))
    values = first_r, second_r, first_r - second_r
    p = of[2] if isinstance(of[2], Undefined) else or_undefined(getattr, of[2], "p")
    estimated = (Estimate(value, interval_of(error), n) for value, error in zip(values, of, strict=True))
    one, other, difference = estimated
    return Comparison(
        first.judge,
        second.judge,
        tuple(metrics),
        one,
        other,
        between,
        difference,
        p,
        n,
        left_out=scored - n,
    )


def _figures(trio: pd.DataFrame) -> Figures:
    """r of both judges with the experts' means, and their difference."""
    scores = trio[["expert", "first", "second"]].to_numpy(dtype=float).T
    terms = np.concatenate([pearson_terms(scores[0], judged) for judged in scores[1:]], axis=1)

    def figures(counts: Floats) -> Floats:
        one, other = (pearson_of_sums(sums) for sums in np.split((counts @ terms).T, 2))
        return np.stack([one, other, one - other])

    return figures


def _trio(first: Sides, second: Sides, metrics: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """The places and scores of the items that the experts and both judges scored, and of how many any of them did."""
    one, other = (side.means(metrics).set_index("item") for side in (first, second))
    scored = one.index.union(other.index)
    judges = one.rename(columns={"judge": "first"}).join(other["judge"].rename("second"))
    trio = judges.dropna(subset=["expert", "first", "second"])
    n = len(trio)
    if n < FEWEST_ITEMS:
        raise UndefinedStatistic(
            "comparing {first} and {second} needs at least {fewest} items scored by both judges and the"
            " experts; found {n}",
            first=first.called,
            second=second.called,
            fewest=FEWEST_ITEMS,
            n=n,
        )
    for side, name in (("expert", Message("the experts")), ("first", first.called), ("second", second.called)):
        if np.isclose(np.ptp(trio[side].to_numpy(dtype=float)), 0):
            raise UndefinedStatistic(SAME_SCORES, n=n, name=name)
    return trio, len(scored)
