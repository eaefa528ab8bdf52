"""Selective rating: are the items that one side scored like those that it did not?

A judge's means are corrected by experts as if these had scored a random sample of the items, and a judge that fails on
hard items is compared on the easy ones. So the other side's scores tell on both: the judge's mean on items that experts
scored minus its mean on the rest, and the experts' mean on items that the judge scored minus theirs on the rest. Models
are compared with themselves: the difference is that of least squares with an effect of each model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message
from annotations.resampling.estimates import Estimate, estimates, without_each
from annotations.resampling.jackknife import FEWEST_ITEMS, MEAN, USUAL, Drawn, Figures, Floats, Interval
from annotations.validity.judge_expert_correlation import Sides


@dataclass(frozen=True)
class SelectiveRating:
    """How far one side's scores tell apart what the other side scored, in points of the scale."""

    by_judge: Estimate | Undefined
    """The judge's mean on items that experts scored, minus that on items that they did not."""
    by_experts: Estimate | Undefined
    """The experts' mean on items that the judge scored, minus that on items that it did not."""


def selective_rating(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> SelectiveRating:
    """On a metric, or on the means over several."""
    return SelectiveRating(
        or_undefined(_difference, sides, metrics, ("judge", "expert"), drawn),
        or_undefined(_difference, sides, metrics, ("expert", "judge"), drawn),
    )


def selected(found: Estimate) -> bool:
    """Whether what was scored differs from the rest by more than chance."""
    return isinstance(found.interval, Interval) and found.interval.low * found.interval.high > 0


def _difference(sides: Sides, metrics: Sequence[str], between: tuple[str, str], drawn: Drawn) -> Estimate:
    """Of the scores of the first side, between what the second scored and the rest."""

    def of(beside: Sides) -> tuple[Figures, int]:
        given = beside.means(metrics).dropna(subset=[between[0]])
        return _figures(given, *between), len(given)

    given = sides.means(metrics).dropna(subset=[between[0]])
    by_expert = without_each(sides.without_each, of, 1)
    [found] = estimates(given, _figures(given, *between), drawn, [MEAN], by_expert)
    if np.isnan(found.estimate):
        raise UndefinedStatistic("no model has both items that the other side scored and items that it did not score")
    fewest = int(given[between[1]].notna().value_counts().min())
    if isinstance(found.interval, Undefined) or fewest >= FEWEST_ITEMS:
        return found
    return replace(found, interval=Undefined(_too_few(fewest)))


def _too_few(n: int) -> Message:
    return Message(
        "an interval needs at least {fewest} items of each kind, scored by the other side and not scored by it;"
        " the smaller group has {n}",
        fewest=FEWEST_ITEMS,
        n=n,
    )


def _figures(given: pd.DataFrame, side: str, other: str) -> Figures:
    scored = given[other].notna().to_numpy()
    if scored.all() or not scored.any():
        raise UndefinedStatistic("the other side scored all items, or none")
    scores, (model, names) = given[side].to_numpy(dtype=float), pd.factorize(given["model"])
    of_model = np.eye(len(names))[model]
    parts = [of_model * which[:, None] for which in (scored, ~scored)]
    columns = np.hstack([*parts, *(part * scores[:, None] for part in parts)])

    def figures(counts: Floats) -> Floats:
        n, others, total, of_others = np.split(counts @ columns, 4, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = n * others / (n + others)
            apart = np.where(weight > 0, total / n - of_others / others, 0)
            weight = np.where(weight > 0, weight, 0)
            return np.asarray((weight * apart).sum(axis=1) / weight.sum(axis=1), dtype=float)[None]

    return figures
