"""The leaderboard: how well each model plays, by metric and on average (paper, section 6.2, table 1).

A model's score on a metric is the mean over scenes of the mean of its items in each scene, so that scenes with many
characters do not count for more; the standard deviation is that over scenes. Intervals and ranks come from drawing
scenes anew, the same ones for all models: what all models find in a hard scene does not make their order uncertain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotations.errors import UndefinedStatistic
from annotations.resampling import FEWEST_CLUSTERS, USUAL, Drawing
from annotations.rubric import RESERVED
from annotations.wording import say

Floats = NDArray[np.float64]


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
    given = given[given["metric"].isin(metrics)]
    if given.empty:
        raise UndefinedStatistic(say("there is no score"))
    models = [str(model) for model in sorted(given["model"].unique())]
    scenes = [str(scene) for scene in sorted(given["scene"].unique())]
    cells = {metric: _cells(given[given["metric"] == metric], scenes, models) for metric in metrics}
    cells[RESERVED] = np.mean([cells[metric] for metric in metrics], axis=0)
    counts = _draws(len(scenes), drawing)
    found = []
    for metric, means in cells.items():
        own = given if metric == RESERVED else given[given["metric"] == metric]
        found += _standings(metric, models, means, counts, own.groupby("model")["item"].nunique())
    return found


def _cells(given: pd.DataFrame, scenes: list[str], models: list[str]) -> Floats:
    """The mean of each model in each scene (scenes x models); NaN where it has none."""
    means = given.pivot_table(index="scene", columns="model", values="score", aggfunc="mean", observed=True)
    return means.reindex(index=scenes, columns=models).to_numpy(float)


def _draws(scenes: int, drawing: Drawing) -> Floats | None:
    """How often each scene is drawn in each draw (draws x scenes); None where there are too few to draw from."""
    if scenes < FEWEST_CLUSTERS:
        return None
    generator = np.random.default_rng(drawing.seed)
    return generator.multinomial(scenes, np.full(scenes, 1 / scenes), size=drawing.draws).astype(float)


def _standings(
    metric: str, models: Sequence[str], means: Floats, counts: Floats | None, items: pd.Series
) -> list[Standing]:
    there = ~np.isnan(means)
    scenes = there.sum(axis=0)
    shown = [place for place in range(len(models)) if scenes[place]]
    score = {place: float(means[there[:, place], place].mean()) for place in shown}
    drawn = None if counts is None else _drawn(means[:, shown], there[:, shown], counts)
    ranks = None if drawn is None else _ranks(drawn)
    found = []
    for column, place in enumerate(shown):
        limits = _limits(drawn[:, column]) if drawn is not None and scenes[place] >= FEWEST_CLUSTERS else None
        between = None if ranks is None else _limits(ranks[:, column], method="nearest")
        sd = float(np.std(means[there[:, place], place], ddof=1)) if scenes[place] > 1 else None
        found.append(
            Standing(
                model=models[place],
                metric=metric,
                mean=score[place],
                sd=sd,
                low=limits and limits[0],
                high=limits and limits[1],
                rank=1 + sum(other > score[place] for other in score.values()),
                best_rank=between and int(between[0]),
                worst_rank=between and int(between[1]),
                first=None if ranks is None else float((ranks[:, column] == 1).mean()),
                scenes=int(scenes[place]),
                items=int(items.get(models[place], 0)),
            )
        )
    return sorted(found, key=lambda one: (one.rank, one.model))


def _limits(values: NDArray[Any], method: Literal["linear", "nearest"] = "linear") -> tuple[float, float]:
    """Between which values 95 % lie."""
    low, high = np.nanpercentile(values, [2.5, 97.5], method=method)
    return float(low), float(high)


def _drawn(means: Floats, there: NDArray[np.bool_], counts: Floats) -> Floats:
    """The mean of each model in each draw (draws x models); NaN where none of its scenes was drawn."""
    sums, weights = counts @ np.where(there, means, 0.0), counts @ there.astype(float)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / weights, dtype=float)


def _ranks(drawn: Floats) -> NDArray[np.int64]:
    """The rank of each model in each draw; one of which no scene was drawn is the last."""
    known = np.where(np.isnan(drawn), -np.inf, drawn)
    better = known[:, :, None] < known[:, None, :]
    return np.asarray(1 + better.sum(axis=2), dtype=np.int64)
