"""Levels: is it items, scenes or models about which judge and experts agree?

Scores differ because some scenes are easier than others, because some models are better, and because an item came out
well. Pearson's r over all items mixes the three. Within scenes, what scenes differ in is gone; between the means of
models, most of what else scores differ in is gone, so that r is often far higher there, and rests on few pairs.

Between models it is the models that are drawn, and the scenes that are as they are: their means are as independent
pairs of scores, and r has Fisher's interval (1921), from `FEWEST_MODELS` on. Means of few models correlate as chance
will have it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, Readable, to_say
from annotations.reliability.cronbach_alpha import SAME_SCORES
from annotations.resampling.estimates import Estimate, interval_of
from annotations.resampling.jackknife import USUAL, Drawn, Figures, Floats, Interval, Ints
from annotations.validity.judge_expert_correlation import (
    Paired,
    Sides,
    both_scores,
    confirmed_r,
    error_of_r,
    r_of_pairs,
)
from annotations.validity.pearson import fisher_interval, pearson_within

ITEMS = to_say("items: Pearson's r over all pairs of scores, regardless of scene and model")
WITHIN_SCENES = to_say(
    "within scenes: Pearson's r between both sides' deviations from their scene means, over scenes with at"
    " least two pairs of scores"
)
MODELS = to_say("models: Pearson's r between both sides' model means; n is the number of models")

POOLED_OVERALL = to_say("overall, pooled: one pair of scores (judge, experts' mean) for each metric of each item")
ROW_MEAN_OVERALL = to_say("overall, row mean: one pair of means over the metrics (judge, experts' mean) for each item")
MODEL_MEAN_OVERALL = to_say(
    "overall, model mean: one pair of means for each model, each the mean of the row means of its items"
)

FEWEST = 3
FEWEST_MODELS = 5
"""Models without which r between their means has no interval."""
_SAME_DEVIATIONS = to_say("all {n} deviations from the scene means are the same for {name}")
_SAME_MEANS = to_say("all {n} model means are the same for {name}")


@dataclass(frozen=True)
class Level:
    """Pearson's r of judge and experts at one level."""

    definition: str
    """`ITEMS`, `WITHIN_SCENES` or `MODELS`, or `MODEL_MEAN_OVERALL`."""
    pearson: Estimate
    """Its n: pairs of scores at the first two levels, models at the third."""
    left_out: int
    """Pairs of scores that are alone in their scene; 0 at the other levels."""


@dataclass(frozen=True)
class Levels:
    """The same scores at three levels."""

    definition: str
    """What a pair of scores is: the metric, or one of the definitions of overall."""
    items: Level | Undefined
    within_scenes: Level | Undefined
    models: Level | Undefined
    n: int
    """Pairs of scores."""
    scenes: int
    left_out: int
    """Pairs without a score from one of the sides, or, for means, without one on some metric."""


@dataclass(frozen=True)
class OverallLevels:
    """Overall in each of its definitions."""

    pooled: Levels
    """`POOLED_OVERALL`."""
    row_mean: Levels
    """`ROW_MEAN_OVERALL`."""

    @property
    def model_mean(self) -> Level | Undefined:
        """`MODEL_MEAN_OVERALL`: the row means at the level of models."""
        models = self.row_mean.models
        return models if isinstance(models, Undefined) else replace(models, definition=MODEL_MEAN_OVERALL)


def metric_levels(sides: Sides, metric: str, drawn: Drawn = USUAL) -> Levels:
    """Judge and experts on one metric at the three levels; a level that the ratings do not determine says why."""
    return _levels(sides, metric, drawn, lambda beside: (beside.means([metric]), beside.pairs([metric])))


def overall_levels(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> OverallLevels:
    """Judge and experts on all `metrics` at the three levels, with overall in each of its definitions."""

    def pooled(beside: Sides) -> tuple[pd.DataFrame, pd.DataFrame]:
        means, pairs = zip(*((beside.means([metric]), beside.pairs([metric])) for metric in metrics), strict=True)
        return pd.concat(means, ignore_index=True), pd.concat(pairs, ignore_index=True)

    return OverallLevels(_levels(sides, POOLED_OVERALL, drawn, pooled), row_mean_levels(sides, metrics, drawn))


def row_mean_levels(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> Levels:
    """Judge and experts on the means over all `metrics` (`ROW_MEAN_OVERALL`)."""
    return _levels(sides, ROW_MEAN_OVERALL, drawn, lambda beside: (beside.means(metrics), beside.pairs(metrics)))


Scored = Callable[[Sides], tuple[pd.DataFrame, pd.DataFrame]]
"""Makes of a judge beside experts a table with the columns item, scene, model, expert and judge, NaN where a side gave
no score; and the part of it where both did."""


@dataclass(frozen=True, eq=False)
class _Given:
    """A judge beside the experts, and how intervals are made."""

    sides: Sides
    scored: Scored
    drawn: Drawn
    independent: bool
    """Whether pairs are independent of each other where items are."""

    def pairs(self, sides: Sides) -> pd.DataFrame:
        return self.scored(sides)[1]

    def interval(
        self, paired: Paired, figure: Callable[[pd.DataFrame], Figures], r: float, n: int
    ) -> Interval | Undefined:
        """Of r, which is as good as one of `n` independent pairs where they are independent."""
        independent = (r, n) if self.independent else None
        return interval_of(error_of_r(paired, figure, self.drawn, independent))

    def several(self, sides: Sides) -> pd.DataFrame:
        """The pairs that are not alone in their scene."""
        pairs = self.pairs(sides)
        scene = _scenes(pairs)
        alone = np.bincount(scene)[scene] == 1
        return pairs[~alone] if alone.any() else pairs


def _levels(sides: Sides, definition: str, drawn: Drawn, scored: Scored) -> Levels:
    whole, pairs = scored(sides)
    # pairs of one item are not independent of each other
    given = _Given(sides, scored, drawn, definition != POOLED_OVERALL)
    return Levels(
        definition,
        or_undefined(_items, given, pairs),
        or_undefined(_within_scenes, given, pairs),
        or_undefined(_models, pairs, sides.called),
        len(pairs),
        pairs["scene"].nunique(),
        len(whole) - len(pairs),
    )


def _items(given: _Given, pairs: pd.DataFrame) -> Level:
    n = len(pairs)
    if n < FEWEST:
        raise UndefinedStatistic("r needs at least {fewest} pairs of scores; found {n}", fewest=FEWEST, n=n)
    r = _pearson(*both_scores(pairs), given.sides.called, SAME_SCORES)
    return Level(ITEMS, Estimate(r, given.interval(Paired(given.sides, given.pairs), r_of_pairs, r, n), n), 0)


def _within_scenes(given: _Given, pairs: pd.DataFrame) -> Level:
    paired = Paired(given.sides, given.several)
    several = paired.pairs
    n, scenes = len(several), several["scene"].nunique()
    if n - scenes < FEWEST - 1:  # deviations from the means of k scenes are as good as n - k independent ones
        raise UndefinedStatistic(
            "r within scenes needs several pairs of scores per scene; found {n} pairs in {scenes} such scenes",
            n=n,
            scenes=scenes,
        )
    scene = _scenes(several)
    expert, judged = (side - (np.bincount(scene, side) / np.bincount(scene))[scene] for side in both_scores(several))
    r = _pearson(expert, judged, given.sides.called, _SAME_DEVIATIONS)
    interval = given.interval(paired, _r_within_scenes, r, n - scenes + 1)
    return Level(WITHIN_SCENES, Estimate(r, interval, n), len(pairs) - n)


def _r_within_scenes(pairs: pd.DataFrame) -> Figures:
    return pearson_within(*both_scores(pairs), _scenes(pairs))


def _scenes(pairs: pd.DataFrame) -> Ints:
    """The number of each pair's scene."""
    return pd.factorize(pairs["scene"])[0]


def _models(pairs: pd.DataFrame, judge: Readable) -> Level:
    model, names = pd.factorize(pairs["model"])
    n = len(names)
    if n < FEWEST:
        raise UndefinedStatistic("r needs at least {fewest} models; found {n}", fewest=FEWEST, n=n)
    expert, judged = (np.bincount(model, side) / np.bincount(model) for side in both_scores(pairs))
    r = _pearson(expert, judged, judge, _SAME_MEANS)
    few = to_say("an interval of r between models needs at least {fewest} models; found {n}")
    interval = Undefined(Message(few, fewest=FEWEST_MODELS, n=n)) if n < FEWEST_MODELS else fisher_interval(r, n)
    return Level(MODELS, Estimate(r, interval, n), 0)


def _pearson(expert: Floats, judged: Floats, judge: Readable, same: str) -> float:
    for side, name in ((expert, Message("the experts")), (judged, judge)):
        if np.isclose(np.ptp(side), 0):
            raise UndefinedStatistic(same, n=len(side), name=name)
    return confirmed_r(expert, judged)
