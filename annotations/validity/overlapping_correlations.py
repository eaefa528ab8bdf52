"""Two correlations that share a variable, such as two judges' with the same experts, over independent items.

Williams' t (1959, in the form of Steiger, 1980) tests whether both are the same; Zou's interval (2007) says how far
apart they lie, from Fisher's interval of each and the correlation of both. They are what other papers report. Items of
one scene resemble each other, so that both promise more than they hold: `annotations.validity.compare_judges` has the
difference with an interval that takes scenes as drawn.
"""

from dataclasses import dataclass
from math import sqrt

from scipy.special import stdtr

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import to_say
from annotations.resampling.jackknife import END_OF_RANGE, Interval
from annotations.validity.pearson import FEWEST_FOR_FISHER, fisher_interval

ZOU = "zou"
INDEPENDENT = to_say(
    "Williams' test (1959) and Zou's interval (2007) take items as independent; items of one scene resemble each other,"
    " so both suggest more certainty than there is"
)
_TINY = 1e-12


@dataclass(frozen=True)
class Williams:
    """Williams' test of two correlations that share a variable."""

    t: float
    df: int
    p: float
    """Two-sided."""


def williams(first: float, second: float, between: float, n: int) -> Williams:
    """Whether two correlations with the same variable differ; `between` is that of the other two variables.

    Raises UndefinedStatistic for fewer than four items, and where the three correlations leave no error.
    """
    _check(n)
    mean = (first + second) / 2
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    if spread < _TINY:
        raise UndefinedStatistic("the two judges' scores determine each other, so their difference has no error")
    t = (first - second) * sqrt((n - 1) * (1 + between) / spread)
    return Williams(t, n - 3, float(2 * stdtr(n - 3, -abs(t))))


def zou(first: float, second: float, between: float, n: int) -> Interval:
    """The 95 % interval of the first correlation minus the second.

    Raises UndefinedStatistic for fewer than four items, and for a correlation of 1 or -1.
    """
    _check(n)
    one, other = _fisher(first, n), _fisher(second, n)
    unshared = 1 - first**2 - second**2 - between**2
    together = ((between - first * second / 2) * unshared + between**3) / ((1 - first**2) * (1 - second**2))

    def reach(of_first: float, of_second: float) -> float:
        return sqrt(max(0.0, of_first**2 + of_second**2 - 2 * together * of_first * of_second))

    below = reach(first - one.low, other.high - second)
    above = reach(one.high - first, second - other.low)
    return Interval(first - second - below, first - second + above, ZOU)


def _fisher(r: float, n: int) -> Interval:
    found = fisher_interval(r, n)
    if isinstance(found, Undefined):
        raise UndefinedStatistic(END_OF_RANGE, value=r)
    return found


def _check(n: int) -> None:
    if n < FEWEST_FOR_FISHER:
        raise UndefinedStatistic(
            "comparing two correlations needs at least {fewest} items; found {n}", fewest=FEWEST_FOR_FISHER, n=n
        )
