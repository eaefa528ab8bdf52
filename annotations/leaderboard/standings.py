"""The leaderboard: how well each model plays and crafts scenes (paper, sections 6.2 and 6.5, tables 1 and 4).

A model's score on a metric is the mean over scenes of the mean of its items in each scene, so that scenes with many
characters do not count for more; the standard deviation is that over scenes. Intervals and ranks come from drawing
scenes anew, the same ones for all models: what all models find in a hard scene does not make their order uncertain.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from annotations.errors import UndefinedStatistic
from annotations.resampling.resampling import FEWEST_CLUSTERS, USUAL, Drawing, Floats, scene_counts
from annotations.rubrics.rubric import RESERVED

Ints = NDArray[np.int64]
Place = Literal["best", "second"]

LIMITS = (2.5, 97.5)
"""Percentiles between which 95 % lie."""
SAME = 1e-9
"""Means that differ by no more are equal: in what order scores are added up must not decide a rank."""


@dataclass(frozen=True, eq=False)
class DrawnRanks:
    """What draws tell of ranks; the last axis of each array is that of the models."""

    best: Ints
    worst: Ints
    """Between which ranks a model lies in 95 % of the draws."""
    first: Floats
    """The share of draws in which no other model is better."""


@dataclass(frozen=True)
class Standing:
    """One model on one metric, or on average over all of them."""

    model: str
    metric: str
    """A key of the rubric, or `overall`: the mean over the metrics."""
    mean: float
    sd: float | None
    """Over scenes; None where there is one."""
    low: float | None
    high: float | None
    """The 95 % interval of the mean, by percentiles of draws of scenes; None where there are too few scenes."""
    rank: int
    """1 is the best; models with equal means share the better rank."""
    best_rank: int | None
    worst_rank: int | None
    """Between which ranks the model lies in 95 % of the draws."""
    first: float | None
    """The share of draws in which no other model is better."""
    scenes: int
    items: int


def leaderboard(frame: pd.DataFrame, metrics: Sequence[str], drawing: Drawing = USUAL) -> list[Standing]:
    """The standings of all models on each of the metrics, and overall, the best first.

    `frame` holds the ratings of one rater, or the mean of several: the columns `item`, `scene`, `model`, `metric` and
    `score`. A missing score is missing for its own metric, and its scene for the overall mean of the model.
    Raises UndefinedStatistic if there is no score.
    """
    given = frame.dropna(subset=["score"])
    index = ["item", "scene", "model"]
    scores = given.pivot_table(index=index, columns="metric", values="score", aggfunc="mean", observed=True)
    return standings(scores.reindex(columns=[*metrics]).reset_index(), metrics, drawing)


def standings(items: pd.DataFrame, metrics: Sequence[str], drawing: Drawing = USUAL) -> list[Standing]:
    """The same of a table with one row an item: `scene`, `model`, and a column for each metric, NaN where none is."""
    scored = items.dropna(subset=[*metrics], how="all")
    if scored.empty:
        raise UndefinedStatistic("there is no score")
    by_scene, given = scene_means(scored, metrics), scored.groupby("model", observed=True)[[*metrics]].count()
    models, scenes = ([*by_scene.index.unique(level)] for level in ("model", "scene"))
    grid = by_scene.reindex(pd.MultiIndex.from_product([scenes, models])).to_numpy(float)
    means = grid.reshape(len(scenes), len(models), len(metrics)).transpose(2, 0, 1)
    means = np.concatenate([means, means.mean(axis=0, keepdims=True)])
    counts = given.assign(**{RESERVED: _in_overall(scored, by_scene)}).reindex(models)
    draws = _draws(means, drawing)
    return [
        standing
        for place, metric in enumerate([*metrics, RESERVED])
        for standing in _standings(metric, counts[metric], means[place], None if draws is None else draws.of(place))
    ]


def scene_means(items: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The mean of each model in each scene, by scene and model; a column for each metric, NaN where it has none."""
    return items.groupby(["scene", "model"], observed=True, sort=True)[[*metrics]].mean()


def _in_overall(items: pd.DataFrame, by_scene: pd.DataFrame) -> "pd.Series[int]":
    """How many items of each model are in its overall mean: those of the scenes that have a mean on every metric."""
    sizes = items.groupby(["scene", "model"], observed=True, sort=True).size()
    return sizes[by_scene.notna().all(axis=1)].groupby(level="model", observed=True).sum()


@dataclass(frozen=True, eq=False)
class _Draws:
    """What the draws of scenes tell: an array each of metrics x models, or one of the metrics' rows."""

    low: Floats
    high: Floats
    ranks: DrawnRanks

    def of(self, metric: int) -> "_Draws":
        ranks = DrawnRanks(self.ranks.best[metric], self.ranks.worst[metric], self.ranks.first[metric])
        return _Draws(self.low[metric], self.high[metric], ranks)


def _draws(means: Floats, drawing: Drawing) -> _Draws | None:
    """Limits and ranks by drawing scenes, of means by metric, scene and model; None for too few scenes to draw from.

    All metrics at once: they have the same draws.
    """
    metrics, scenes, models = means.shape
    if scenes < FEWEST_CLUSTERS:
        return None
    drawn = _drawn(means.transpose(1, 0, 2).reshape(scenes, -1), scene_counts(scenes, drawing))
    drawn = drawn.reshape(-1, metrics, models)
    gaps = np.isnan(drawn).any()
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # of a model without a scene
        limits = (np.nanpercentile if gaps else np.percentile)(drawn, LIMITS, axis=0)
    low, high = limits
    return _Draws(low, high, ranks_in(drawn))


def _drawn(means: Floats, counts: Floats) -> Floats:
    """The mean over scenes of each column (scenes x columns) in each draw (scenes x draws); NaN where no scene of it
    was drawn."""
    there = ~np.isnan(means)
    sums = _sums(np.where(there, means, 0.0), counts)
    if there.all():
        return sums / len(means)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / _sums(there.astype(float), counts), dtype=float)


def _sums(columns: Floats, counts: Floats) -> Floats:
    """The sum of each column in each draw, scene by scene.

    The product of the matrices is this, too, but in an order of its own on each kind of processor: files would differ
    in their last digits.
    """
    sums = np.zeros((columns.shape[1], counts.shape[1]))
    part = np.empty_like(sums)
    for row, drawn in zip(columns, counts, strict=True):
        np.multiply(row[:, None], drawn, out=part)
        sums += part
    return sums.T


def ranks_in(drawn: Floats) -> DrawnRanks:
    """The ranks of means by draw and model, with any axes between; a model that is NaN in a draw is the last in it."""
    known = np.where(np.isnan(drawn), -np.inf, drawn)
    better = known[..., :, None] + SAME < known[..., None, :]
    ranks = 1 + better.sum(axis=-1)
    best, worst = np.percentile(ranks, LIMITS, axis=0, method="nearest")
    return DrawnRanks(best, worst, (ranks == 1).mean(axis=0))


def _standings(metric: str, items: pd.Series, means: Floats, draws: _Draws | None) -> list[Standing]:
    """The standings on one metric, of means by scene and model; `items` counts those of each model."""
    there = ~np.isnan(means)
    scenes = there.sum(axis=0)
    score = {place: float(means[there[:, place], place].mean()) for place in range(len(items)) if scenes[place]}
    found = []
    for place, mean in score.items():
        drawn = None if draws is None or scenes[place] < FEWEST_CLUSTERS else draws
        found.append(
            Standing(
                model=str(items.index[place]),
                metric=metric,
                mean=mean,
                sd=float(np.std(means[there[:, place], place], ddof=1)) if scenes[place] > 1 else None,
                low=None if drawn is None else float(drawn.low[place]),
                high=None if drawn is None else float(drawn.high[place]),
                rank=1 + sum(other > mean + SAME for other in score.values()),
                best_rank=None if draws is None else int(draws.ranks.best[place]),
                worst_rank=None if draws is None else int(draws.ranks.worst[place]),
                first=None if draws is None else float(draws.ranks.first[place]),
                scenes=int(scenes[place]),
                items=int(items.iloc[place]),
            )
        )
    return sorted(found, key=lambda one: (one.rank, one.model))


def best_two(ranks: Mapping[str, float]) -> dict[str, Place]:
    """Who has the lowest rank, and who the next one, which a table sets in bold and underlines as the paper does;
    several where several share it."""
    lowest = sorted(set(ranks.values()))[:2]
    names: tuple[Place, Place] = ("best", "second")
    places = dict(zip(lowest, names, strict=False))
    return {name: places[rank] for name, rank in ranks.items() if rank in places}


_HIGH = 0.975


@dataclass(frozen=True)
class CraftingScore:
    """One cell of the table: the mean over scenes of their scores on a metric."""

    crafter: str
    """The method and models by which the scenes were crafted."""
    origin: str
    """`extracted` or `generated`."""
    metric: str
    mean: float
    sd: float | None
    """Over scenes; None where there is one."""
    low: float | None
    high: float | None
    """The 95 % interval of the mean by Student's t, each scene one draw, cut to the ends of the scale.

    None where there is one scene, and where all have the same score: how they spread can't be told then.
    """
    scenes: int


def crafting_scores(scores: pd.DataFrame, metrics: Sequence[str], ends: tuple[float, float]) -> list[CraftingScore]:
    """The cells of all crafters, origins and metrics that have a score.

    `scores` holds one row a scene and rater: `scene`, `crafter`, `origin` and a column for each metric, NaN where none
    was given. Of a scene with several raters the mean over them counts, each metric for itself.
    `ends` are the lowest and the highest score that can be given.
    """
    by_scene = scores.groupby(["crafter", "origin", "scene"], observed=True, sort=True)[[*metrics]].mean()
    found = []
    for (crafter, origin), rows in by_scene.groupby(level=["crafter", "origin"], observed=True, sort=True):
        for metric in metrics:
            given = rows[metric].dropna().to_numpy(float)
            if given.size:
                found.append(_cell((str(crafter), str(origin), metric), given, ends))
    return found


def _cell(
    of: tuple[str, str, str], given: "np.ndarray[tuple[int], np.dtype[np.float64]]", ends: tuple[float, float]
) -> CraftingScore:
    crafter, origin, metric = of
    n, mean = given.size, float(given.mean())
    if n == 1:
        return CraftingScore(crafter, origin, metric, mean, None, None, None, n)
    if given.min() == given.max():
        return CraftingScore(crafter, origin, metric, mean, 0.0, None, None, n)
    sd = float(given.std(ddof=1))
    half = float(stdtrit(n - 1, _HIGH)) * sd / n**0.5
    return CraftingScore(crafter, origin, metric, mean, sd, max(mean - half, ends[0]), min(mean + half, ends[1]), n)
