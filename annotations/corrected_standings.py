"""A leaderboard of a judge that experts correct: the prediction-powered mean of each model on each metric.

Unlike the plain leaderboard (see `leaderboard`) it takes the mean over items, not over scenes: it is in items that
experts and judge meet. Its interval tells what is known of one model. How sure the order is tells a prediction-powered
bootstrap (Zrnic, 2024): scenes are drawn anew, the same ones for all models, and each mean is corrected anew with the
weight that it has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotations.corrected import CorrectedMean, corrected_leaderboard
from annotations.errors import UndefinedStatistic
from annotations.leaderboard import SAME, DrawnRanks, Standing, ranks_in
from annotations.resampling import FEWEST_CLUSTERS, USUAL, Drawing, Floats, scene_counts
from annotations.rubric import RESERVED
from annotations.undefined import Undefined
from annotations.validity import Sides

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class CorrectedStandings:
    """What could be corrected, and why the rest could not."""

    standings: list[Standing]
    undefined: Mapping[tuple[str, str], Undefined]
    """By model and metric."""


def sides_of_tables(
    judge: str, experts: pd.DataFrame, judged: pd.DataFrame, metrics: Sequence[str], *, improvised: bool = False
) -> Sides:
    """The two sides of tables with one row an item: `item`, `scene`, `model`, and a column for each metric.

    `improvised` says whether the rehearsal gave some of the judge's scores.
    """
    of_experts, of_judge = (side.set_index("item") for side in (experts, judged))
    places = pd.concat([of_judge[["scene", "model"]], of_experts[["scene", "model"]]])
    items = places[~places.index.duplicated()].sort_index()
    expert, judged_by = (side[[*metrics]].reindex(items.index) for side in (of_experts, of_judge))
    return Sides(judge, items, expert, judged_by, improvised)


def corrected_standings(sides: Sides, metrics: Sequence[str], drawing: Drawing = USUAL) -> CorrectedStandings:
    """All models on each of the metrics, and overall, the best first.

    Raises UndefinedStatistic, with the reasons, where no mean can be corrected.
    """
    standings: list[Standing] = []
    undefined: dict[tuple[str, str], Undefined] = {}
    for name, of in (*((metric, (metric,)) for metric in metrics), (RESERVED, tuple(metrics))):
        found, missing = _means(sides, of)
        standings += _ranked(name, found, sides.means(of).dropna(subset=["judge"]), drawing)
        undefined |= {(model, name): reason for model, reason in missing.items()}
    if not standings:
        raise UndefinedStatistic("; ".join(dict.fromkeys(one.reason for one in undefined.values())))
    return CorrectedStandings(standings, undefined)


def _means(sides: Sides, metrics: Sequence[str]) -> tuple[dict[str, CorrectedMean], dict[str, Undefined]]:
    try:
        board = corrected_leaderboard(sides, metrics)
    except UndefinedStatistic as error:
        return {}, {model: Undefined(str(error)) for model in map(str, sides.items["model"].unique())}
    means = {model: of.corrected for model, of in board.items()}
    return (
        {model: mean for model, mean in means.items() if isinstance(mean, CorrectedMean)},
        {model: mean for model, mean in means.items() if isinstance(mean, Undefined)},
    )


def _ranked(
    name: str, means: Mapping[str, CorrectedMean], judged: pd.DataFrame, drawing: Drawing
) -> Iterator[Standing]:
    """The standings on one metric, from the items that the judge scored: scene, model, expert, judge."""
    scenes = judged.groupby("model", observed=True)["scene"].nunique()
    drawn = _drawn_ranks(means, judged, drawing)
    order = sorted(means.items(), key=lambda one: (-one[1].estimate, one[0]))
    for model, mean in order:
        place = [*means].index(model)
        yield Standing(
            model=model,
            metric=name,
            mean=mean.estimate,
            sd=None,
            low=mean.interval.low,
            high=mean.interval.high,
            rank=1 + sum(other.estimate > mean.estimate + SAME for other in means.values()),
            best_rank=None if drawn is None else int(drawn.best[place]),
            worst_rank=None if drawn is None else int(drawn.worst[place]),
            first=None if drawn is None else float(drawn.first[place]),
            scenes=int(scenes[model]),
            items=mean.n + mean.unlabelled,
        )


def _drawn_ranks(means: Mapping[str, CorrectedMean], judged: pd.DataFrame, drawing: Drawing) -> DrawnRanks | None:
    """The ranks of these models when scenes are drawn anew; None where a mean rests on too few scenes to draw from."""
    if not means:
        return None
    judged = judged[judged["model"].isin(means)]
    scene, scenes = pd.factorize(judged["scene"], sort=True)
    model = pd.Index(means).get_indexer(pd.Index(judged["model"]))
    expert, judge = (judged[side].to_numpy(dtype=float) for side in ("expert", "judge"))
    imputed = judge * np.array([mean.weight for mean in means.values()])[model]
    both = ~np.isnan(expert)

    def by_scene(values: Floats, where: Bools) -> Floats:
        """The sums of some items' values: scenes x models."""
        cells = scene[where] * len(means) + model[where]
        sums = np.bincount(cells, values[where], len(scenes) * len(means))
        return np.asarray(sums, dtype=float).reshape(len(scenes), len(means))

    ones = np.ones(len(judged))
    sizes = by_scene(ones, both), by_scene(ones, ~both)
    if min((size > 0).sum(axis=0).min() for size in sizes) < FEWEST_CLUSTERS:
        return None
    sums = np.hstack([by_scene(expert - imputed, both), by_scene(imputed, ~both), *sizes])
    off, alone, both_drawn, alone_drawn = np.split(scene_counts(len(scenes), drawing).T @ sums, 4, axis=1)
    with np.errstate(invalid="ignore"):
        return ranks_in(off / both_drawn + alone / alone_drawn)
