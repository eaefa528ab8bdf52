"""Estimates: several figures of the same items, each with the interval that the same draws give it.

A figure is worked out once as it stands, with every item counting once, and again in each draw of a resampling (see
`annotations.resampling`). All figures of the items come from one function, so that they share their sums. This is how
every interval by resampling is made.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.resampling import Drawing, Figures, Interval, resampling
from annotations.undefined import Undefined, or_undefined


@dataclass(frozen=True)
class Estimate:
    """A figure with its evidence."""

    estimate: float
    interval: Interval | Undefined
    """95 %, by resampling; undefined where there is too little to draw from, though the figure itself is defined."""
    n: int
    """Of what it was computed from, which the figure's own description names."""


@dataclass(frozen=True)
class IntervalEstimate(Estimate):
    """A figure that has an interval wherever it is defined: by a formula where there is too little to draw from."""

    interval: Interval


def as_they_stand(figures: Figures, items: int) -> list[float]:
    """The figures with every item counting once."""
    return [float(value) for value in figures(np.ones((1, items)))[:, 0]]


def intervals(places: pd.DataFrame, figures: Figures, drawing: Drawing) -> list[Interval | Undefined]:
    """The interval of each figure of the items in these `places` (columns scene and model, in the items' order), or why
    it has none.

    A figure that too many draws leave undefined takes nothing from the others.
    """
    values = as_they_stand(figures, len(places))
    drawn = or_undefined(resampling, places["scene"], places["model"], drawing)
    if isinstance(drawn, Undefined):
        return [drawn] * len(values)
    return [or_undefined(drawn.interval_of, *each) for each in zip(values, drawn.values(figures), strict=True)]


def estimates(places: pd.DataFrame, figures: Figures, drawing: Drawing) -> list[Estimate]:
    """Each figure of the items in these `places` as it stands, with its interval; n is the number of the items."""
    values, n = as_they_stand(figures, len(places)), len(places)
    ranges = intervals(places, figures, drawing)
    return [Estimate(value, interval, n) for value, interval in zip(values, ranges, strict=True)]
