"""The leaderboard: how well each model plays and crafts scenes (paper, sections 6.2 and 6.5, tables 1 and 4).

A model's score on a metric is the mean over scenes of the mean of its items in each scene, so that scenes with many
characters do not count for more; the standard deviation is that over scenes. Intervals are Student's t over scenes.
Ranks come from drawing scenes anew, the same ones for all models: what all models find in a hard scene does not make
their order uncertain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from annotations.errors import UndefinedStatistic
from annotations.resampling.draws import USUAL_DRAWS, Draws, scene_counts
from annotations.resampling.jackknife import FEWEST_CLUSTERS, UPPER, Floats
from annotations.rubrics.rubric import RESERVED

Ints = NDArray[np.int64]
Place = Literal["best", "second"]

LIMITS = (2.5, 97.5)
"""Percentiles between which 95 % lie."""
FEWEST_ITEMS = 6
"""Without which a mean has no interval: of five whole scores it would hold the truth in 97 of 100 studies, as five
equal ones have none."""
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

    def of(self, metric: int) -> "DrawnRanks":
        """Those on one metric, of arrays by metric and model."""
        return DrawnRanks(self.best[metric], self.worst[metric], self.first[metric])


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
    """The 95 % interval of the mean, by Student's t over scenes; None where there are too few, or too few items, or all
    have the same mean."""
    rank: int
    """1 is the best; models with equal means share the better rank."""
    best_rank: int | None
    worst_rank: int | None
    """Between which ranks the model lies in 95 % of the draws."""
    first: float | None
    """The share of draws in which no other model is better."""
    scenes: int
    items: int


def leaderboard(frame: pd.DataFrame, metrics: Sequence[str], draws: Draws = USUAL_DRAWS) -> list[Standing]:
    """The standings of all models on each of the metrics, and overall, the best first.

    `frame` holds the ratings of one rater, or the mean of several: the columns `item`, `scene`, `model`, `metric` and
    `score`. A missing score is missing for its own metric, and its scene for the overall mean of the model.
    Raises UndefinedStatistic if there is no score.
    """
    given = frame.dropna(subset=["score"])
    index = ["item", "scene", "model"]
    scores = given.pivot_table(index=index, columns="metric", values="score", aggfunc="mean", observed=True)
    return standings(scores.reindex(columns=[*metrics]).reset_index(), metrics, draws)


def standings(items: pd.DataFrame, metrics: Sequence[str], draws: Draws = USUAL_DRAWS) -> list[Standing]:
    """The same of a table with one row an item: `scene`, `model`, and a column for each metric, NaN where none is."""
    scored = items.dropna(subset=[*metrics], how="all")
    if scored.empty:
        raise UndefinedStatistic("there are no scores")
    by_scene, given = scene_means(scored, metrics), scored.groupby("model", observed=True)[[*metrics]].count()
    models, scenes = ([*by_scene.index.unique(level)] for level in ("model", "scene"))
    grid = by_scene.reindex(pd.MultiIndex.from_product([scenes, models])).to_numpy(float)
    means = grid.reshape(len(scenes), len(models), len(metrics)).transpose(2, 0, 1)
    means = np.concatenate([means, means.mean(axis=0, keepdims=True)])
    counts = given.assign(**{RESERVED: _in_overall(scored, by_scene)}).reindex(models)
    ranks = _ranks(means, draws)
    return [
        standing
        for place, metric in enumerate([*metrics, RESERVED])
        for standing in _standings(metric, counts[metric], means[place], None if ranks is None else ranks.of(place))
    ]


def scene_means(items: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The mean of each model in each scene, by scene and model; a column for each metric, NaN where it has none."""
    return items.groupby(["scene", "model"], observed=True, sort=True)[[*metrics]].mean()


def _in_overall(items: pd.DataFrame, by_scene: pd.DataFrame) -> "pd.Series[int]":
    """How many items of each model are in its overall mean: those of the scenes that have a mean on every metric."""
    sizes = items.groupby(["scene", "model"], observed=True, sort=True).size()
    return sizes[by_scene.notna().all(axis=1)].groupby(level="model", observed=True).sum()


def _ranks(means: Floats, draws: Draws) -> DrawnRanks | None:
    """Ranks by draws scenes, of means by metric, scene and model; None for too few scenes to draw from.

    All metrics at once: they have the same draws.
    """
    metrics, scenes, models = means.shape
    if scenes < FEWEST_CLUSTERS:
        return None
    drawn = _drawn(means.transpose(1, 0, 2).reshape(scenes, -1), scene_counts(scenes, draws))
    return ranks_in(drawn.reshape(-1, metrics, models))


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


def _standings(metric: str, items: pd.Series, means: Floats, ranks: DrawnRanks | None) -> list[Standing]:
    """The standings on one metric, of means by scene and model; `items` counts those of each model."""
    there = ~np.isnan(means)
    scenes = there.sum(axis=0)
    score = {place: float(means[there[:, place], place].mean()) for place in range(len(items)) if scenes[place]}
    found = []
    for place, mean in score.items():
        of_model = means[there[:, place], place]
        enough = items.iloc[place] >= FEWEST_ITEMS
        low, high = (student_interval(of_model) if enough else None) or (None, None)
        found.append(
            Standing(
                model=str(items.index[place]),
                metric=metric,
                mean=mean,
                sd=float(np.std(of_model, ddof=1)) if scenes[place] > 1 else None,
                low=low,
                high=high,
                rank=1 + sum(other > mean + SAME for other in score.values()),
                best_rank=None if ranks is None else int(ranks.best[place]),
                worst_rank=None if ranks is None else int(ranks.worst[place]),
                first=None if ranks is None else float(ranks.first[place]),
                scenes=int(scenes[place]),
                items=int(items.iloc[place]),
            )
        )
    return sorted(found, key=lambda one: (one.rank, one.model))


def student_interval(means: Floats) -> tuple[float, float] | None:
    """The 95 % interval of the mean of these means of scenes, each scene one draw; None for fewer than five, and
    where all are the same: how they spread can't be told then."""
    n = len(means)
    if n < FEWEST_CLUSTERS or np.ptp(means) < SAME:
        return None
    half = float(stdtrit(n - 1, UPPER)) * float(means.std(ddof=1)) / n**0.5
    return float(means.mean()) - half, float(means.mean()) + half


def best_two(ranks: Mapping[str, float]) -> dict[str, Place]:
    """Who has the lowest rank, and who the next one, which a table sets in bold and underlines as the paper does;
    several where several share it."""
    lowest = sorted(set(ranks.values()))[:2]
    names: tuple[Place, Place] = ("best", "second")
    places = dict(zip(lowest, names, strict=False))
    return {name: places[rank] for name, rank in ranks.items() if rank in places}


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

    None where there are fewer than five scenes, and where all have the same score.
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
    low, high = student_interval(given) or (None, None)
    return CraftingScore(
        crafter,
        origin,
        metric,
        mean,
        float(given.std(ddof=1)) if n > 1 else None,
        None if low is None else max(low, ends[0]),
        None if high is None else min(high, ends[1]),
        n,
    )
