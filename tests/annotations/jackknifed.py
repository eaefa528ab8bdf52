"""The jackknife interval, written out: from what a statistic comes to without each scene; and why there is none."""

import math
from collections.abc import Callable, Sequence
from statistics import mean

from scipy import stats

Scale = tuple[Callable[[float], float], Callable[[float], float]]
"""To the scale on which the statistic is about normal, and back."""
PLAIN: Scale = (float, float)
CORRELATION: Scale = (math.atanh, math.tanh)
ALPHA: Scale = (lambda alpha: -math.log(1 - alpha), lambda value: 1 - math.exp(-value))
SHARE: Scale = (lambda share: math.log(share / (1 - share)), lambda value: 1 / (1 + math.exp(-value)))
POSITIVE: Scale = (math.log, math.exp)

ENDS_WITHOUT_ONE = (
    "if one of the scenes, models, experts or items is left out, the statistic cannot be computed"
    " or is at the limit of its range"
)
HARDLY_CHANGES = "the estimate hardly changes whatever is left out, so its error cannot be estimated"
"""Why a figure that has a value has no interval."""


def jackknifed(estimate: float, without: Sequence[float], scale: Scale = PLAIN) -> tuple[float, float]:
    """The 95 % interval of an estimate from its values `without` each cluster."""
    there, back = scale
    values, n = [there(value) for value in without], len(without)
    middle = mean(values)
    se = math.sqrt((n - 1) / n * sum((value - middle) ** 2 for value in values))
    half = float(stats.t.ppf(0.975, n - 1)) * se
    return back(there(estimate) - half), back(there(estimate) + half)
