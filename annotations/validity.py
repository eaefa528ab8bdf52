"""Validity: does a judge order the items as the experts do?

Per judge and metric, Pearson's r between the judge's score of an item and the mean of the experts' scores of that item
(paper, section 6.3, table 3), with every item counting once.

The interval. Items of one scene, and items of one model, resemble each other, so that n items carry less evidence than
n independent ones. By default scenes and models are drawn anew, each with replacement, and an item counts as often as
its scene was drawn times its model was drawn (the pigeonhole bootstrap of Owen, 2007); the interval lies between the
2.5th and 97.5th percentile of r over the draws. Of very few scenes, or models, draws tell too little, and the interval
would be too narrow: they are not drawn but stay as they are, and with few of both it is Fisher's interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotations.errors import UndefinedStatistic
from annotations.rating import Dropped

Interval = Literal["two-way cluster bootstrap", "one-way cluster bootstrap", "fisher"]
Floats = NDArray[np.float64]

RATED_OVERALL = "overall: the overall score as raters and judge gave it, taken as one more metric"
ROW_MEAN_OVERALL = "overall: each item's mean over the metrics, for the judge and for the experts' mean"

OVERALL = "overall"
DRAWS = 2000
FEWEST_CLUSTERS = 5
"""Scenes are drawn anew only where there are at least this many, and so are models."""
MOST_UNDEFINED_DRAWS = 0.05
"""The share of draws that may be constant, so that r is undefined in them, before resampling is given up."""


@dataclass(frozen=True)
class Correlation:
    """Pearson's r with its evidence."""

    pearson: float
    low: float
    high: float
    """95 % interval of the kind named in `interval`."""
    n: int
    """Items with a score from both sides."""
    scenes: int
    models: int
    interval: Interval
    draws: int
    """Draws that the interval rests on; 0 for Fisher's, which takes the items as independent."""
    seed: int
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, eq=False)
class Sides:
    """What the experts and one judge gave, as tables of item x metric; NaN where a side has no score."""

    judge: str
    items: pd.DataFrame
    """The scene and model of each item."""
    experts: pd.DataFrame
    """The means of their scores."""
    judged: pd.DataFrame

    def means(self, metrics: Sequence[str]) -> pd.DataFrame:
        """Per item its mean over `metrics` on both sides: item, scene, model, expert, judge; NaN where one is missing.

        Sorted by item, so that the order of the ratings never matters.
        """
        expert, judged = (side.reindex(columns=list(metrics)) for side in (self.experts, self.judged))
        scored = expert.notna().any(axis=1) | judged.notna().any(axis=1)
        sides = {"expert": expert.mean(axis=1, skipna=False), "judge": judged.mean(axis=1, skipna=False)}
        return self.items.assign(**sides)[scored].reset_index()


def sides_of(frame: pd.DataFrame, judges: Sequence[str]) -> dict[str, Sides]:
    """The experts beside each of these judges."""
    scored = frame[frame["score"].notna()]
    items = scored.drop_duplicates("item").set_index("item")[["scene", "model"]].sort_index()
    experts = _table(scored[scored["kind"] == "expert"], items)
    judged = scored[scored["kind"] == "judge"]
    return {judge: Sides(judge, items, experts, _table(judged[judged["rater"] == judge], items)) for judge in judges}


def paired_means(frame: pd.DataFrame, judge: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Each item's mean over `metrics`, of items that both sides scored on all: item, scene, model, expert, judge.

    This is the data of a scatter plot.
    """
    return _both_sides(sides_of(frame, [judge])[judge].means(metrics))


def correlate(sides: Sides, metric: str, *, draws: int = DRAWS, seed: int = 0) -> Correlation:
    """How the judge's scores for `metric` go with the experts'. Raises UndefinedStatistic with the reason.

    Items that only one side scored are left out and listed as dropped.
    """
    return _correlation(sides.means([metric]), sides.judge, metric, draws, seed)


def correlate_overall(sides: Sides, metrics: Sequence[str], *, draws: int = DRAWS, seed: int = 0) -> Correlation:
    """The same for each item's mean over `metrics` (`ROW_MEAN_OVERALL`), of items that both sides scored on all."""
    return _correlation(sides.means(metrics), sides.judge, OVERALL, draws, seed)


def unpaired(sides: Sides, metrics: Sequence[str], name: str) -> tuple[Dropped, ...]:
    """The items left out of the correlation over `metrics`, which is called `name`: those one side did not score."""
    return _unpaired(sides.means(metrics), sides.judge, name)


def fisher_interval(pearson: float, n: int) -> tuple[float, float]:
    """The 95 % interval of r over `n` independent items by Fisher's z; with three items it is [-1, 1]."""
    if n <= 3:
        return -1.0, 1.0
    if abs(pearson) >= 1:
        return pearson, pearson
    half = 1.959963984540054 / np.sqrt(n - 3)
    low, high = np.tanh(np.arctanh(pearson) + np.array([-half, half]))
    return float(low), float(high)


def _table(ratings: pd.DataFrame, items: pd.DataFrame) -> pd.DataFrame:
    """The mean score by item and metric."""
    return ratings.groupby(["item", "metric"])["score"].mean().unstack().reindex(items.index)


def _both_sides(sides: pd.DataFrame) -> pd.DataFrame:
    return sides.dropna(subset=["expert", "judge"]).reset_index(drop=True)


def _correlation(sides: pd.DataFrame, judge: str, metric: str, draws: int, seed: int) -> Correlation:
    pairs = _both_sides(sides)
    n = len(pairs)
    if n < 3:
        raise UndefinedStatistic(
            f"a correlation needs at least 3 items scored by the experts and {judge}; there are {n}"
        )
    expert, judged = pairs["expert"].to_numpy(dtype=float), pairs["judge"].to_numpy(dtype=float)
    for name, scores in (("the experts", expert), (judge, judged)):
        if np.isclose(np.ptp(scores), 0):
            raise UndefinedStatistic(f"{name} gave all {n} items the same score, {scores[0]:g}, for {metric}")
    pearson = float(np.clip(np.corrcoef(expert, judged)[0, 1], -1, 1))
    resampled = _resampled(pairs, draws, seed)
    counts = {"scenes": pairs["scene"].nunique(), "models": pairs["model"].nunique()}
    dropped = _unpaired(sides, judge, metric)
    if resampled is None:
        low, high = fisher_interval(pearson, n)
        return Correlation(pearson, low, high, n, **counts, interval="fisher", draws=0, seed=seed, dropped=dropped)
    low, high = map(float, np.quantile(resampled, [0.025, 0.975]))
    both = min(counts.values()) >= FEWEST_CLUSTERS
    interval: Interval = "two-way cluster bootstrap" if both else "one-way cluster bootstrap"
    return Correlation(
        pearson, low, high, n, **counts, interval=interval, draws=len(resampled), seed=seed, dropped=dropped
    )


def _unpaired(sides: pd.DataFrame, judge: str, metric: str) -> tuple[Dropped, ...]:
    gaps = sides[sides[["expert", "judge"]].isna().any(axis=1)]
    lines = zip(gaps["item"], gaps["expert"].isna(), gaps["judge"].isna(), strict=True)
    return tuple(
        Dropped(str(item), metric, judge, "not paired", f"no score from the {_named(expert=expert, judge=judged)}")
        for item, expert, judged in lines
    )


def _named(*, expert: bool, judge: bool) -> str:
    return " and the ".join(name for name, missing in (("experts", expert), ("judge", judge)) if missing)


def _resampled(pairs: pd.DataFrame, draws: int, seed: int) -> Floats | None:
    """Pearson's r in each draw of scenes and models that determines it; None when there are too few clusters.

    An item's weight is a product of two counts, so each weighted sum is scenes' counts @ table @ models' counts, where
    the table holds the items' values by scene and model.
    """
    scene, scenes = pd.factorize(pairs["scene"], sort=True)
    model, models = pd.factorize(pairs["model"], sort=True)
    if max(len(scenes), len(models)) < FEWEST_CLUSTERS:
        return None
    scene_counts, model_counts = _drawn(len(scenes), len(models), draws, seed)
    x, y = (_standardized(pairs[side].to_numpy(dtype=float)) for side in ("expert", "judge"))
    values = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    tables = np.zeros((len(scenes), len(values), len(models)))
    np.add.at(tables, (scene[None, :], np.arange(len(values))[:, None], model[None, :]), values)
    by_model = (scene_counts @ tables.reshape(len(scenes), -1)).reshape(draws, len(values), len(models))
    weight, sum_x, sum_y, sum_xx, sum_yy, sum_xy = (by_model @ model_counts[:, :, None])[:, :, 0].T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = sum_x / weight, sum_y / weight
        spread = (sum_xx / weight - mean_x**2, sum_yy / weight - mean_y**2)
        r = (sum_xy / weight - mean_x * mean_y) / np.sqrt(spread[0] * spread[1])
    defined = (weight > 0) & (spread[0] > 1e-12) & (spread[1] > 1e-12)
    if defined.mean() < 1 - MOST_UNDEFINED_DRAWS:
        return None
    return np.asarray(np.clip(r[defined], -1, 1), dtype=float)


@lru_cache(maxsize=8)
def _drawn(scenes: int, models: int, draws: int, seed: int) -> tuple[Floats, Floats]:
    """How often each scene, and each model, comes up when as many as there are get drawn with replacement.

    One row per draw; `FEWEST_CLUSTERS` decides what is drawn, else the count is 1. All correlations over the same
    numbers of scenes and models share their draws.
    """
    random = np.random.default_rng(seed)
    counts = tuple(
        random.multinomial(clusters, np.full(clusters, 1 / clusters), size=draws).astype(float)
        if clusters >= FEWEST_CLUSTERS
        else np.ones((draws, clusters))
        for clusters in (scenes, models)
    )
    for drawn in counts:
        drawn.setflags(write=False)
    return counts[0], counts[1]


def _standardized(scores: Floats) -> Floats:
    return np.asarray((scores - scores.mean()) / scores.std(), dtype=float)
