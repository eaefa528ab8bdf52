"""Estimates: figures of the same items, worked out together, with intervals by the jackknife.

A figure is worked out once as it stands, with every item counting once, and again without each cluster (see
`annotations.resampling.jackknife`). All figures of the items come from one function, so that they share their sums.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, to_say
from annotations.resampling.jackknife import (
    TOO_FEW_CLUSTERS,
    ByExpert,
    Drawn,
    Error,
    Figures,
    Floats,
    Interval,
    Jackknife,
    Scale,
    jackknife,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Estimate:
    """A figure with its evidence."""

    estimate: float
    interval: Interval | Undefined
    """95 %; undefined where there is too little to tell it from, though the figure itself is defined."""
    n: int
    """Of what it was computed from, which the figure's own description names."""


def as_they_stand(figures: Figures, items: int) -> list[float]:
    """The figures with every item counting once."""
    return [float(value) for value in figures(np.ones((1, items)))[:, 0]]


def errors(
    places: pd.DataFrame,
    figures: Figures,
    drawn: Drawn,
    scales: Sequence[Scale],
    by_expert: ByExpert | None = None,
    *,
    items: int | None = None,
) -> list[Error | Undefined]:
    """The error of each figure of the items in these `places` (columns scene and model, in the items' order), or why it
    has none; `scales` are the figures' own, and `by_expert` what they come to without each expert.

    A row is an item, but where a column `item` says which it is of, or a row sums up several and `items` tells how many
    there are. A figure that is undefined without one of the clusters takes nothing from the others.
    """
    found = or_undefined(jackknife, places, figures, drawn, by_expert)
    if isinstance(found, Undefined):
        return [found] * len(scales)
    if items is None:
        items = places["item"].nunique() if "item" in places else len(places)
    return [or_undefined(_error, found, at, scale, items) for at, scale in enumerate(scales)]


def _error(found: Jackknife, figure: int, scale: Scale, items: int) -> Error:
    error, few = found.error(figure, scale), TOO_FEW_CLUSTERS["items"]
    if items < scale.fewest:
        raise UndefinedStatistic(few, fewest=scale.fewest, n=items)
    return error


def intervals(
    places: pd.DataFrame,
    figures: Figures,
    drawn: Drawn,
    scales: Sequence[Scale],
    by_expert: ByExpert | None = None,
) -> list[Interval | Undefined]:
    """The interval of each figure, or why it has none; see `errors`."""
    return [interval_of(error) for error in errors(places, figures, drawn, scales, by_expert)]


def without_each(variants: Callable[[], Iterable[T]], of: Callable[[T], tuple[Figures, int]], count: int) -> ByExpert:
    """What `count` figures come to in each of some variants of the ratings, of which each lacks one expert; `of` gives
    the figures of a variant and the number of its items, and raises UndefinedStatistic where there are none."""

    def found() -> Floats:
        columns = [np.empty((count, 0))]
        for variant in variants():
            got = or_undefined(of, variant)
            values = [np.nan] * count if isinstance(got, Undefined) else as_they_stand(*got)
            columns.append(np.array(values)[:, None])
        return np.hstack(columns)

    return found


def interval_of(error: Error | Undefined) -> Interval | Undefined:
    """The interval that an error makes, or why there is none."""
    return error if isinstance(error, Undefined) else or_undefined(lambda: error.interval)


def estimates(
    places: pd.DataFrame,
    figures: Figures,
    drawn: Drawn,
    scales: Sequence[Scale],
    by_expert: ByExpert | None = None,
) -> list[Estimate]:
    """Each figure of the items in these `places` as it stands, with its interval; n is the number of the items."""
    values, n = as_they_stand(figures, len(places)), len(places)
    ranges = intervals(places, figures, drawn, scales, by_expert)
    return [Estimate(value, interval, n) for value, interval in zip(values, ranges, strict=True)]


FEWEST_SCORES = 3
"""With two scores every correlation is about 1 or -1, and no spread is worth its name."""
TINY = 1e-9
"""Scores closer than this are the same: what tells them apart is arithmetic."""
FEWEST_OF_SHARE = 40
"""What is counted goes up by steps: with fewer, the interval of a share holds the truth too often, and is too wide."""


def enough_cases(interval: Interval | Undefined, n: int) -> Interval | Undefined:
    """The interval of a share of `n`, or of scores that go by steps, where n is large enough for one."""
    if isinstance(interval, Undefined) or n >= FEWEST_OF_SHARE:
        return interval
    few = to_say("this interval needs at least {fewest} cases; found {n}")
    return Undefined(Message(few, fewest=FEWEST_OF_SHARE, n=n))
