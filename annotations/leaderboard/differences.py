"""Differences of models: which of two models is better, in the same scenes?

The scores of two models in one scene share what is hard in it, so that their difference is surer than their means. A
score is taken as the sum of an effect of its model, one of its scene and an error of the same variance everywhere; the
differences between the models' effects, over the scenes that each has, have simultaneous 95 % intervals and adjusted p
by the studentized range (Tukey, 1953; Kramer, 1957, where some scenes of a model are missing, for which it is an
approximation). All of them hold at once in 95 % of studies, however many models there are. They take the scenes as
drawn, and the models and raters as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from annotations.errors import UndefinedStatistic
from annotations.leaderboard.standings import SAME, scene_means
from annotations.resampling.jackknife import FEWEST_CLUSTERS, Floats, Interval

LEVEL = 0.05
"""Of the adjusted p."""
WAY = "Tukey-Kramer, simultaneous over all pairs"


@dataclass(frozen=True)
class Difference:
    """Two models on one metric, the better one first."""

    better: str
    other: str
    difference: float
    """Of the effects, in points of the scale; 0 or more."""
    interval: Interval
    studentized: float
    """The difference in units of which the largest of all pairs has the studentized range."""
    models: int
    df: int

    @property
    def p(self) -> float:
        """Adjusted for the number of pairs."""
        return _tail(self.studentized, self.models, self.df)

    @property
    def told_apart(self) -> bool:
        """Whether the order is more than chance: the interval lies above 0, which is where p is below .05."""
        return self.interval.low > 0


@dataclass(frozen=True)
class Differences:
    """All pairs of models on one metric, or on the mean over several."""

    models: tuple[str, ...]
    """The best first."""
    pairs: tuple[Difference, ...]
    """In the order of the models."""
    left_out: tuple[str, ...]
    """Models that share no scene with another one."""
    scenes: int
    """With scores of two models at least."""
    df: int
    """Degrees of freedom of the error."""

    def behind(self, model: str) -> tuple[str, ...]:
        """The models that it is told apart from, and better than."""
        return tuple(one.other for one in self.pairs if one.better == model and one.told_apart)

    def beside(self, model: str) -> tuple[str, ...]:
        """The models that it is not told apart from, the best first."""
        level = {one.other if one.better == model else one.better for one in self.pairs if not one.told_apart
                 and model in (one.better, one.other)}  # fmt: skip
        return tuple(other for other in self.models if other in level)

    @property
    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """Between which ranks each model lies: behind those that are told apart from it, before those it is."""
        ahead = {model: sum(one.other == model and one.told_apart for one in self.pairs) for model in self.models}
        return {model: (1 + ahead[model], len(self.models) - len(self.behind(model))) for model in self.models}


def model_differences(items: pd.DataFrame, metrics: Sequence[str]) -> Differences:
    """All pairs of models, by the means of their items in each scene over `metrics`.

    `items` has one row an item: `scene`, `model`, and a column for each metric; a scene counts for a model that has a
    score of it on all metrics. Raises UndefinedStatistic for fewer than two models, fewer than five scenes that they
    share, groups of models without a common scene, and where no error can be told.
    """
    every = scene_means(items, metrics).dropna().mean(axis=1).unstack("model").sort_index(axis=1)
    grid = every[every.notna().sum(axis=1) > 1].dropna(axis=1, how="all")
    scenes, models = grid.shape
    if models < 2:
        raise UndefinedStatistic("differences need two models with scores on all metrics in the same scene")
    if scenes < FEWEST_CLUSTERS:
        raise UndefinedStatistic(
            "differences between models need at least {fewest} scenes shared by several models; found {n}",
            fewest=FEWEST_CLUSTERS,
            n=scenes,
        )
    effects, covariance, df = _fitted(grid.to_numpy(dtype=float))
    order = sorted(range(models), key=lambda at: (-round(float(effects[at]) / SAME), str(grid.columns[at])))
    names = [str(grid.columns[at]) for at in order]
    first, second = np.array(list(combinations(order, 2))).T
    apart = effects[first] - effects[second]
    se = np.sqrt(covariance[first, first] + covariance[second, second] - 2 * covariance[first, second])
    half, studentized = _point(models, df) / np.sqrt(2) * se, np.sqrt(2) * apart / se
    pairs = [
        Difference(better, other, float(each), Interval(float(each - h), float(each + h), WAY), float(q), models, df)
        for (better, other), each, h, q in zip(combinations(names, 2), apart, half, studentized, strict=True)
    ]
    alone = tuple(str(model) for model in every.columns.difference(grid.columns))
    return Differences(tuple(names), tuple(pairs), alone, scenes, df)


def _fitted(grid: Floats) -> tuple[Floats, Floats, int]:
    """The models' effects, their covariances and the degrees of freedom of the error, by least squares; scenes x
    models, NaN where a model has no score in a scene."""
    scenes, models = grid.shape
    scene, model = np.nonzero(~np.isnan(grid))
    design = np.zeros((len(scene), models + scenes))
    design[np.arange(len(scene)), model] = design[np.arange(len(scene)), models + scene] = 1
    inverse = np.linalg.pinv(design.T @ design)
    rank = int(np.linalg.matrix_rank(design))
    if rank < models + scenes - 1:
        raise UndefinedStatistic(
            "some models share no scene with the others, neither directly nor through other models"
        )
    scores = grid[scene, model]
    solution = inverse @ design.T @ scores
    df = len(scores) - rank
    error = float(((scores - design @ solution) ** 2).sum())
    if df < 1:
        raise UndefinedStatistic(
            "there are as many model and scene effects as scores, so the error cannot be estimated"
        )
    if error < SAME:
        raise UndefinedStatistic(
            "the models differ by the same amounts in all scenes, so the error cannot be estimated"
        )
    return solution[:models], inverse[:models, :models] * error / df, df


@lru_cache(maxsize=256)
def _point(models: int, df: int) -> float:
    """Which the studentized range exceeds with a chance of `LEVEL`; it takes 10 ms to find."""
    return float(_studentized_range().ppf(1 - LEVEL, models, df))


@lru_cache(maxsize=4096)
def _tail(studentized: float, models: int, df: int) -> float:
    """The chance of a studentized range beyond a value; it takes 10 ms to find."""
    return float(_studentized_range().sf(studentized, models, df))


def _studentized_range() -> Any:
    """scipy's: it takes half a second to import, which a board without differences need not wait for."""
    return import_module("scipy.stats").studentized_range
