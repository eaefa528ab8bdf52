"""Repeats: does a rater who meets an item again, without being told, score it as before?"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotations.clustered import MeanDifference, mean_difference
from annotations.errors import RatingError, UndefinedStatistic
from annotations.raters import match
from annotations.undefined import Undefined, or_undefined
from annotations.wording import say

COLUMNS = ("item", "metric", "first", "second")


@dataclass(frozen=True)
class Stability:
    """How close a rater's second scores are to the first."""

    exact: float
    """Share, from 0 to 1, of metrics scored the same."""
    within_one: float
    """Share scored at most one point apart."""
    mean_absolute: float
    """Mean distance of the two scores, in points of the scale."""
    mean: float
    """Mean of second minus first; negative is stricter the second time."""
    n: int
    """Pairs with both scores."""
    left_out: int
    """Pairs that lack one, or both."""


@dataclass(frozen=True)
class Repeats:
    """A rater's stability, over all metrics and per metric."""

    overall: Stability
    drift: MeanDifference | Undefined
    """The overall mean of second minus first, with an interval that takes items as independent."""
    by_metric: Mapping[str, Stability | Undefined]


def repeats_of_rater(pairs: pd.DataFrame) -> Repeats:
    """The stability of one rater, from a table with one row per repeated item and metric.

    Its columns are `COLUMNS`: the first and the second score are floats, NaN where one is missing.
    Raises RatingError when they are not, and UndefinedStatistic when no pair has both scores.
    """
    if missing := [column for column in COLUMNS if column not in pairs]:
        raise RatingError(f"repeats: no column {', '.join(missing)}; the columns must be {','.join(COLUMNS)}")
    scores = pairs[["first", "second"]]
    if not all(map(pd.api.types.is_float_dtype, scores.dtypes)) or np.isinf(scores.to_numpy()).any():
        raise RatingError("repeats: first and second must hold finite floats, NaN where a score is missing")
    both = pairs.dropna(subset=["first", "second"])
    return Repeats(
        overall=_stability(pairs),
        drift=_drift(both),
        by_metric={str(metric): or_undefined(_stability, part) for metric, part in pairs.groupby("metric", sort=True)},
    )


def _stability(pairs: pd.DataFrame) -> Stability:
    both = pairs.dropna(subset=["first", "second"])
    if both.empty:
        raise UndefinedStatistic(say("none of the {n} repeated scores has both its first and its second", n=len(pairs)))
    first, second = (both[name].to_numpy(dtype=float) for name in ("first", "second"))
    same, change = match(first, second), second - first
    return Stability(
        exact=same.exact,
        within_one=same.within_one,
        mean_absolute=float(np.abs(change).mean()),
        mean=float(change.mean()),
        n=same.n,
        left_out=len(pairs) - same.n,
    )


def _drift(both: pd.DataFrame) -> MeanDifference | Undefined:
    change = (both["second"] - both["first"]).to_numpy(dtype=float)
    return or_undefined(mean_difference, change, pd.factorize(both["item"])[0])
