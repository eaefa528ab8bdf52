"""Several metrics, several tests: p for each r, and p adjusted for how many there are.

Of seven r that are truly 0, one or more comes out below .05 in three of ten studies. Holm's (1979) adjustment keeps
that chance at .05 whatever the tests have to do with each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from annotations.i18n.messages import to_say
from annotations.resampling.jackknife import USUAL, Drawn
from annotations.validity.judge_expert_correlation import TOO_FEW, Paired, Sides, r_with_error, varying_scores

P_OF_R = to_say(
    "p of r over items: tested against 0, two-sided; Fisher's z divided by its jackknife standard error, with"
    " Student's t (for independent items: standard error 1 / sqrt(n - 3), normal distribution)"
)
HOLM = to_say("p adjusted by Holm's method (1979) for the number of metrics and judges")

FEWEST_ITEMS = 3
_K = TypeVar("_K")


@dataclass(frozen=True)
class CorrelationTest:
    """A test of r against 0 (`P_OF_R`)."""

    pearson: float
    t: float
    """Fisher's z, the inverse hyperbolic tangent of r, over its standard error."""
    df: float
    """Degrees of freedom of Student's t."""
    p: float
    n: int
    """Items."""
    way: str
    """How the standard error was made, such as `jackknife by scenes`."""


def correlation_test(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> CorrelationTest:
    """Whether r of judge and experts on a metric, or on the means over several, differs from 0.

    It rests on the error of the interval that stands beside it. Raises UndefinedStatistic where there is none, for
    fewer than three items, and for scores that do not vary.
    """
    paired = Paired(sides, lambda beside: varying_scores(beside, metrics, FEWEST_ITEMS, TOO_FEW))
    r, error = r_with_error(paired, drawn)
    p = error.p  # undefined where nothing moves
    return CorrelationTest(r, error.value / error.se, error.df, p, len(paired.pairs), error.way)


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
