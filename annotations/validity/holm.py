"""Several metrics, several tests: p for each r, and p adjusted for how many there are.

Of seven r that are truly 0, one or more comes out below .05 in three of ten studies. Holm's (1979) adjustment keeps
that chance at .05 whatever the tests have to do with each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.special import ndtr

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import to_say
from annotations.reliability.pingouin_check import confirmed_pearson
from annotations.resampling.estimates import as_they_stand
from annotations.resampling.resampling import MOST_UNDEFINED_DRAWS, USUAL, Drawing, resampling
from annotations.validity.judge_expert_correlation import Sides, varying_scores
from annotations.validity.pearson import pearson_figures

WALD = to_say(
    "p of r over items, against 0: two-sided, Fisher's z over its standard error from resampling, as a standard normal"
    " (Wald)"
)
HOLM = to_say("p adjusted after Holm (1979) for the number of metrics")

FEWEST_ITEMS = 3
_TOO_FEW = to_say("r needs at least {fewest} items scored by the experts and {judge}; there are {n}")
_K = TypeVar("_K")


@dataclass(frozen=True)
class Wald:
    """A test of r against 0 (`WALD`)."""

    pearson: float
    z: float
    """Fisher's z, the inverse hyperbolic tangent of r."""
    se: float
    """The standard deviation of z over the draws."""
    p: float
    n: int
    """Items."""
    way: str
    """Of resampling, such as `two-way cluster bootstrap`."""
    draws: int
    """Draws that the standard error rests on."""
    seed: int


def wald(sides: Sides, metrics: Sequence[str], drawing: Drawing = USUAL) -> Wald:
    """Whether r of judge and experts on a metric, or on the means over several, differs from 0.

    Wald's test on Fisher's z: z = artanh(r), divided by the standard deviation of z over the draws of scenes and
    models, is taken as standard normal. It does not take the items as independent, as the usual test of r does. With
    few scenes and models the normal distribution is an approximation, and p somewhat too small.
    Raises UndefinedStatistic for fewer than three items, for scores that do not vary, or too seldom for draws, for r of
    1 or -1, and where there are too few scenes and models to resample.
    """
    pairs = varying_scores(sides, metrics, FEWEST_ITEMS, _TOO_FEW)
    n = len(pairs)
    expert, judged = pairs["expert"].to_numpy(dtype=float), pairs["judge"].to_numpy(dtype=float)
    figures = pearson_figures(expert, judged)
    [own] = as_they_stand(figures, n)
    pearson = confirmed_pearson(own, expert, judged)
    drawn = resampling(pairs["scene"], pairs["model"], drawing)
    [values] = drawn.values(figures)
    inside = values[np.abs(values) < 1]
    if abs(pearson) >= 1 or len(inside) < len(values) * (1 - MOST_UNDEFINED_DRAWS):
        raise UndefinedStatistic(
            "r is {r:.3f}, and in {outside:,} of {draws:,} draws it has no value, or is 1 or -1: Fisher's z has no"
            " standard error",
            r=pearson,
            outside=len(values) - len(inside),
            draws=len(values),
        )
    z, se = float(np.arctanh(pearson)), float(np.arctanh(inside).std(ddof=1))
    return Wald(pearson, z, se, float(2 * ndtr(-abs(z) / se)), n, drawn.way, len(inside), drawing.seed)


def holm(p: Mapping[_K, float]) -> dict[_K, float]:
    """Each p adjusted for how many there are (Holm, 1979), under the same names and in the same order.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none falls below one before it, or beyond 1.
    """
    rising = sorted(p, key=lambda name: p[name])
    adjusted: dict[_K, float] = {}
    highest = 0.0
    for before, name in enumerate(rising):
        highest = max(highest, min(1.0, (len(p) - before) * p[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p}
