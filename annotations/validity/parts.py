"""Parts: does a judge agree with the experts in each language, and on each model?

Where one language is rated higher than the other by both sides, or one model, r over all items is high even if a judge
tells nothing apart within them. So beside r over all items stand r in each language and of each model, and r within
languages, for which the mean of the language is taken off on both sides.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import to_say
from annotations.resampling.estimates import Estimate, as_they_stand, interval_of
from annotations.resampling.jackknife import USUAL, Drawn, Figures, Interval
from annotations.validity.judge_expert_correlation import (
    TOO_FEW,
    Paired,
    Sides,
    both_scores,
    error_of_r,
    r_of_pairs,
    varying,
)
from annotations.validity.pearson import pearson_within

WITHIN_LANGUAGES = to_say("within languages: Pearson's r between both sides' deviations from their language means")
FEWEST_ITEMS = 3


@dataclass(frozen=True)
class ValidityByPart:
    """Pearson's r of judge and experts on a metric, or on the means over several, over the items of a part."""

    by_language: Mapping[str, Estimate | Undefined]
    """Empty where the ratings are of one language, or name none."""
    within_languages: Estimate | Undefined | None
    """`WITHIN_LANGUAGES`; None alike."""
    by_model: Mapping[str, Estimate | Undefined]
    """Empty where there is one model. Intervals of a single model never take models as drawn."""


def validity_by_part(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> ValidityByPart:
    """Of a judge beside the experts; what a part does not determine is undefined with the reason."""
    r = partial(_estimate, sides, metrics, of=r_of_pairs)
    of_one_model: Drawn = "scenes" if drawn == "scenes and models" else drawn
    languages = _values(sides, "language")
    return ValidityByPart(
        {name: or_undefined(r, drawn, part=("language", name)) for name in languages},
        or_undefined(within_languages, sides, metrics, drawn) if languages else None,
        {name: or_undefined(r, of_one_model, part=("model", name)) for name in _values(sides, "model")},
    )


def run_apart(pooled: Estimate, within: Estimate) -> bool:
    """Whether r over all items says something else than r within parts: it is of another sign, and its interval
    excludes 0, or the intervals of both have nothing in common."""
    if not isinstance(pooled.interval, Interval) or not isinstance(within.interval, Interval):
        return False
    low, high = pooled.interval.low, pooled.interval.high
    opposite = pooled.estimate * within.estimate < 0 and low * high > 0
    return opposite or within.interval.high < low or high < within.interval.low


def _values(sides: Sides, column: str) -> list[str]:
    """The values of a column of the items; none where it is not there, or has one."""
    values = sorted(sides.items[column].dropna().unique()) if column in sides.items else []
    return values if len(values) > 1 else []


def within_languages(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> Estimate:
    """r of both sides' deviations from their mean in the language (`WITHIN_LANGUAGES`)."""

    def figures(pairs: pd.DataFrame) -> Figures:
        group, _ = pd.factorize(pairs["language"], use_na_sentinel=False)
        return pearson_within(*both_scores(pairs), group)

    return _estimate(sides, metrics, drawn, figures)


def _estimate(
    sides: Sides,
    metrics: Sequence[str],
    drawn: Drawn,
    of: Callable[[pd.DataFrame], Figures],
    part: tuple[str, str] | None = None,
) -> Estimate:
    """Of the items that have a value in a column, where a part is given."""

    def pairs_of(beside: Sides) -> pd.DataFrame:
        pairs = beside.pairs(metrics)
        if part is not None:
            pairs = pairs[pairs[part[0]] == part[1]]
        return varying(pairs, beside, FEWEST_ITEMS, TOO_FEW)

    paired = Paired(sides, pairs_of)
    pairs = paired.pairs
    [r] = as_they_stand(of(pairs), len(pairs))
    if np.isnan(r):
        raise UndefinedStatistic("in each language, one side gave all items the same score")
    return Estimate(r, interval_of(error_of_r(paired, of, drawn)), len(pairs))
