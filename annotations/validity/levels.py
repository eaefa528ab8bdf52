"""Levels: is it items, scenes or models about which judge and experts agree?

Scores differ because some scenes are easier than others, because some models are better, and because an item came out
well. Pearson's r over all items mixes the three. Within scenes, what scenes differ in is gone; between the means of
models, most of what else scores differ in is gone, so that r is often far higher there, and rests on few pairs.

Where a scene is left out for an interval (see `annotations.resampling.jackknife`), the means are those of what is left.
Between models it is the models that are drawn, and the scenes that are as they are: their means are as independent
pairs of scores, and r has Fisher's interval (1921), from `FEWEST_MODELS` on. Means of few models correlate as chance
will have it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from annotations.errors import Undefined, or_undefined
from annotations.i18n.messages import Message, Readable, joined, to_say
from annotations.reliability.cronbach_alpha import SAME_SCORES
from annotations.reliability.pingouin_check import confirmed_pearson
from annotations.resampling.estimates import Estimate, as_they_stand, intervals
from annotations.resampling.jackknife import CORRELATION, USUAL, Drawn, Figures, Floats, Interval, Ints
from annotations.validity.judge_expert_correlation import Sides
from annotations.validity.pearson import fisher_interval, pearson_of_squares, pearson_of_sums, pearson_terms, shares

ITEMS = to_say("items: Pearson's r over all pairs of scores, whatever their scene and model")
WITHIN_SCENES = to_say(
    "within scenes: Pearson's r of both sides' deviations from their mean in the scene,"
    " over scenes with at least two pairs of scores"
)
MODELS = to_say("models: Pearson's r of the models' means on both sides; n is the number of models")

POOLED_OVERALL = to_say("overall, pooled: a pair of scores for each metric of each item, of judge and experts' mean")
ROW_MEAN_OVERALL = to_say(
    "overall, row mean: a pair of means over the metrics for each item, of judge and experts' mean"
)
MODEL_MEAN_OVERALL = to_say("overall, model mean: a pair of means for each model, over the row means of its items")

FEWEST = 3
FEWEST_MODELS = 5
"""Models without which r between their means has no interval."""
_SIDES = ["expert", "judge"]
_FEW_PAIRS = to_say("r needs at least {fewest} pairs of scores; there are {n}")
_FEW_MODELS = to_say("r needs at least {fewest} models; there are {n}")
_SAME_DEVIATIONS = to_say("all {n} deviations from the scenes' means are the same for {name}")
_SAME_MEANS = to_say("all {n} means of models are the same for {name}")


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
    return _levels(sides.means([metric]), sides.called, metric, drawn)


def overall_levels(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> OverallLevels:
    """Judge and experts on all `metrics` at the three levels, with overall in each of its definitions."""
    pooled = pd.concat([sides.means([metric]) for metric in metrics], ignore_index=True)
    return OverallLevels(
        _levels(pooled, sides.called, POOLED_OVERALL, drawn),
        row_mean_levels(sides, metrics, drawn),
    )


def row_mean_levels(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> Levels:
    """Judge and experts on the means over all `metrics` (`ROW_MEAN_OVERALL`)."""
    return _levels(sides.means(metrics), sides.called, ROW_MEAN_OVERALL, drawn)


def _levels(scored: pd.DataFrame, judge: Readable, definition: str, drawn: Drawn) -> Levels:
    """The levels of a table with the columns scene, model, expert and judge, NaN where a side gave no score."""
    pairs = scored.dropna(subset=_SIDES)
    scores = pairs[_SIDES]
    by_scene = scores.groupby(pairs["scene"])
    deviations, means = scores - by_scene.transform("mean"), scores.groupby(pairs["model"]).mean()
    n, scenes, alone = len(pairs), len(by_scene), int((by_scene.size() == 1).sum())
    reasons = (
        _too_few(n, _FEW_PAIRS) or _same(scores, judge, SAME_SCORES),
        _too_few_within(n - alone, scenes - alone) or _same(deviations, judge, _SAME_DEVIATIONS),
        _too_few(len(means), _FEW_MODELS) or _same(means, judge, _SAME_MEANS),
    )
    evidence = ((ITEMS, n, 0), (WITHIN_SCENES, n - alone, alone), (MODELS, len(means), 0))
    levels: list[Level | Undefined] = [Undefined(reason or joined(())) for reason in reasons]
    if not all(reasons):
        places, figures = _drawn_again(pairs, deviations)
        values = as_they_stand(figures, len(places))
        if drawn == "independent items" and definition != POOLED_OVERALL:  # pairs of one item are not independent
            # deviations from the means of k scenes are as good as k - 1 fewer independent ones
            independent = (n, n - scenes + 1, len(means))
            ranges: list[Interval | Undefined] = [
                fisher_interval(*each) for each in zip(values, independent, strict=True)
            ]
        else:
            ranges = intervals(places, figures, drawn, [CORRELATION] * 3)
        ranges[2] = _between_models(values[2], len(means))
        for at, (own, interval, sides) in enumerate(zip(values, ranges, (scores, deviations, means), strict=True)):
            name, pairs_used, left_out = evidence[at]
            if not reasons[at]:
                pearson = or_undefined(confirmed_pearson, own, *sides.to_numpy(dtype=float).T)
                levels[at] = (
                    pearson
                    if isinstance(pearson, Undefined)
                    else Level(name, Estimate(pearson, interval, pairs_used), left_out)
                )
    items, within_scenes, models = levels
    return Levels(definition, items, within_scenes, models, n, scenes, len(scored) - n)


def _between_models(pearson: float, models: int) -> Interval | Undefined:
    if models < FEWEST_MODELS:
        return Undefined(
            Message(
                "an interval of r between models needs at least {fewest} models; there are {n}",
                fewest=FEWEST_MODELS,
                n=models,
            )
        )
    return fisher_interval(pearson, models)


def _too_few(n: int, message: str) -> Message | None:
    return Message(message, fewest=FEWEST, n=n) if n < FEWEST else None


def _too_few_within(n: int, scenes: int) -> Message | None:
    """Deviations from the means of k scenes are as good as n - k independent ones, and r needs two."""
    if n - scenes >= FEWEST - 1:
        return None
    return Message(
        "r within scenes needs several pairs of scores in a scene; there are {n} in {scenes} such scenes",
        n=n,
        scenes=scenes,
    )


def _same(values: pd.DataFrame, judge: Readable, message: str) -> Message | None:
    for side, name in (("expert", Message("the experts")), ("judge", judge)):
        if np.isclose(np.ptp(values[side].to_numpy(dtype=float)), 0):
            return Message(message, n=len(values), name=name)
    return None


def _drawn_again(pairs: pd.DataFrame, deviations: pd.DataFrame) -> tuple[pd.DataFrame, Figures]:
    """r at the three levels, from counts of the cells of the complete table scenes x models.

    A cell holds the sums over its pairs of scores, and may be empty; only a complete table tells how often each model
    was drawn.
    """
    (scene, scenes), (model, models) = (pd.factorize(pairs[name], sort=True) for name in ("scene", "model"))
    shape = len(scenes), len(models)
    whole, within = (_sums(each, scene * shape[1] + model, shape) for each in (pairs[_SIDES], deviations))
    everywhere = np.concatenate([whole, within[3:]]).reshape(9, -1)
    by_scene = np.ascontiguousarray(within[:3].transpose(1, 0, 2))
    by_model = np.ascontiguousarray(np.concatenate([np.ones((1, *shape)), whole[:3]]).transpose(2, 0, 1))

    def figures(counts: Floats) -> Floats:
        flat = np.ascontiguousarray(counts.T)
        cells = flat.reshape(*shape, -1)
        totals = everywhere @ flat
        in_scenes = (by_scene @ cells).transpose(1, 0, 2)
        of_models = (by_model @ cells.transpose(1, 0, 2)).transpose(1, 0, 2)
        return np.stack([pearson_of_sums(totals[:6]), _within(totals[6:], in_scenes), _between(of_models)])

    return pd.DataFrame({"scene": np.repeat(scenes, shape[1]), "model": np.tile(models, shape[0])}), figures


def _sums(sides: pd.DataFrame, cell: Ints, shape: tuple[int, int]) -> Floats:
    """The sums of `pearson_terms` in each cell (6 x scenes x models)."""
    terms = pearson_terms(*sides.to_numpy(dtype=float).T)
    sums = [np.bincount(cell, weights=term, minlength=shape[0] * shape[1]) for term in terms.T]
    return np.asarray(sums, dtype=float).reshape(6, *shape)


def _within(squares: Floats, in_scenes: Floats) -> Floats:
    """r of what is left of both sides when the mean of the scene in the draw is taken off.

    `squares` are the sums of x * x, y * y and x * y (3 x draws), `in_scenes` each scene's number of pairs and sums of
    x and y (3 x scenes x draws).
    """
    n, x, y = in_scenes
    per_pair = shares(np.ones_like(n), n)
    x_mean, y_mean = x * per_pair, y * per_pair
    means = [(first * second).sum(axis=0) for first, second in ((x, x_mean), (y, y_mean), (x, y_mean))]
    return pearson_of_squares(squares - np.stack(means), n.sum(axis=0))


def _between(of_models: Floats) -> Floats:
    """r of the models' means, from how often each model was drawn, its number of pairs and its sums of x and y
    (4 x models x draws)."""
    drawn, n, *sums = of_models
    weight = np.where(n > 0, drawn, 0)
    x, y = (shares(side, n) for side in sums)
    return pearson_of_sums(
        np.stack([(weight * term).sum(axis=0) for term in (np.ones_like(x), x, y, x * x, y * y, x * y)])
    )
