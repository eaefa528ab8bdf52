"""Repeats of a judge: what is the mean of several of its scores for one item worth, and how many are worth their price?

The variance of a judge's scores has two components: items, and chance (the same item judged again). The reliability of
the judge with itself is the share of items, ICC(1,1) for one score and Spearman-Brown's step-up of it for the mean of m
scores, m r / (1 + (m - 1) r) (Spearman, 1910; Brown, 1910). Chance has nothing to do with what experts think, so that
it lowers r with them by the root of this reliability (Spearman, 1904): m scores instead of one raise r by
sqrt(reliability of m / reliability of one), whatever r is. A score more multiplies r by
sqrt(1 + (1 - r) / (m (1 + m r))).
"""

from dataclasses import dataclass
from math import ceil, sqrt

from annotations.errors import Undefined
from annotations.i18n.messages import Message
from annotations.reliability.intraclass import IntraclassCorrelation
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval

TIMES = (2, 3, 5, 10)
"""How many scores the means have that are shown."""
WORTH = 0.01
"""A score more that raises r with the experts by less than this share of it is not worth its price."""


@dataclass(frozen=True)
class RepeatedMean(Estimate):
    """The reliability of the mean of several scores of a judge for one item.

    The interval is that of ICC(1,1), stepped up from 0 where it begins below: no share of a variance does.
    """

    times: int
    """Scores for each item; as many times the price of one."""
    gain: float
    """By which share the mean's r with the experts is higher than that of one score."""


@dataclass(frozen=True)
class MeansOfRepeats:
    """What repeats of a judge would bring, from ICC(1,1)."""

    means: tuple[RepeatedMean, ...]
    """For each of `TIMES`."""
    worth: int
    """Scores for each item from which on one more raises r with the experts by less than `WORTH` of it."""


def repeats_of(once: IntraclassCorrelation | Undefined) -> MeansOfRepeats | Undefined:
    """What repeats would bring to a judge whose single scores have the reliability `once`, ICC(1,1)."""
    if isinstance(once, Undefined):
        return once
    if once.estimate <= 0:
        return Undefined(Message("scores of the same item differ as much as scores of different items"))
    return MeansOfRepeats(tuple(_mean(once, times) for times in TIMES), _worth(once.estimate))


def _mean(once: IntraclassCorrelation, times: int) -> RepeatedMean:
    interval = once.interval
    if isinstance(interval, Interval):
        low, high = (_stepped_up(end, times) for end in (max(interval.low, 0), interval.high))
        interval = Interval(low, high, interval.way)
    reliability = _stepped_up(once.estimate, times)
    return RepeatedMean(reliability, interval, once.n, times, sqrt(reliability / once.estimate) - 1)


def _stepped_up(r: float, times: int) -> float:
    return times * r / (1 + (times - 1) * r)


def _worth(r: float) -> int:
    """The first m with (1 - r) / (m (1 + m r)) at most (1 + WORTH)^2 - 1."""
    most = (1 - r) / ((1 + WORTH) ** 2 - 1)
    return max(1, ceil((sqrt(1 + 4 * r * most) - 1) / (2 * r)))
