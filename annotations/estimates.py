"""Estimates: several figures of the same items, each with the interval that the same draws give it.

A figure is worked out once as it stands, with every item counting once, and again in each draw of a resampling (see
`annotations.resampling`). All figures of the items come from one function, so that they share their sums.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from annotations.errors import UndefinedStatistic
from annotations.resampling import Drawing, Floats, Interval, Resampling, resampling
from annotations.undefined import Undefined

Figures = Callable[[Floats], Floats]
"""From counts (draws x items) to the values of all figures (figures x draws), NaN where a draw leaves one undefined."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its evidence."""

    estimate: float
    interval: Interval | Undefined
    """95 %, by resampling; undefined where there is too little to draw from, though the figure itself is defined."""
    n: int
    """Of what it was computed from, which the figure's own description names."""


def as_they_stand(figures: Figures, items: int) -> list[float]:
    """The figures with every item counting once."""
    return [float(value) for value in figures(np.ones((1, items)))[:, 0]]


def intervals(places: pd.DataFrame, figures: Figures, drawing: Drawing) -> list[Interval | Undefined]:
    """The interval of each figure of the items in these `places` (columns scene and model, in the items' order).

    A figure that too many draws leave undefined takes nothing from the others.
    """
    number = len(figures(np.ones((1, len(places)))))
    try:
        drawn = resampling(places["scene"], places["model"], drawing)
    except UndefinedStatistic as undefined:
        return [Undefined(str(undefined))] * number
    each = _sharing(figures, number)
    try:
        return list(drawn.interval(*each))
    except UndefinedStatistic:
        return [_interval(drawn, statistic) for statistic in each]


def _interval(drawn: Resampling, statistic: Callable[[Floats], Floats]) -> Interval | Undefined:
    try:
        return drawn.interval(statistic)[0]
    except UndefinedStatistic as undefined:
        return Undefined(str(undefined))


def _sharing(figures: Figures, number: int) -> list[Callable[[Floats], Floats]]:
    """Each figure by itself; of all that are asked for the same counts in turn, only the first works them out."""
    last: list[Floats] = []

    def values(at: int, counts: Floats) -> Floats:
        if not last or last[0] is not counts:
            last[:] = [counts, figures(counts)]
        return np.asarray(last[1][at], dtype=float)

    return [partial(values, at) for at in range(number)]
