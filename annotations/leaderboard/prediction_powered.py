"""A leaderboard corrected by experts: they scored a sample, a judge scored everything.

The judge's mean of a model is precise and perhaps biased; the experts' mean over their few items is unbiased and wide.
Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, 2023) takes the judge's mean over the
items that the experts did not score, and corrects it by how far the judge is off where both scored:

    lambda * mean(judge, judge only) + mean(experts - lambda * judge, both)

The weight lambda makes the interval as narrow as the judge allows (PPI++; Angelopoulos, Duchi & Zrnic, 2023): near 0
where the judge knows nothing of what experts think. The corrected mean is right however poor the judge is, so long as
the experts' items are a random sample of the model's items. The published interval is normal and takes items as
independent. Here, items of one scene are not: scenes are left out, lambda is found anew each time, and Student's t
answers for the few scenes that experts get through.

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

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, Readable, joined, listed, to_say
from annotations.leaderboard.standings import SAME, DrawnRanks, Standing, ranks_in
from annotations.resampling.clustered import ClusteredEstimate, clustered_mean
from annotations.resampling.draws import USUAL_DRAWS, Draws, scene_counts
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import (
    FEWEST_CLUSTERS,
    MEAN,
    USUAL,
    Drawn,
    Floats,
    Interval,
    Ints,
    Jackknife,
    check_experts,
)
from annotations.rubrics.rubric import RESERVED
from annotations.validity.judge_expert_correlation import Sides

Bools = NDArray[np.bool_]

FEWEST_LABELLED = 5
"""Items of a model that both experts and judge scored. With fewer, neither lambda nor the spread of what is left can be
told."""
_TINY = 1e-12
WAY = to_say("jackknife by scenes, prediction-powered")
WAY_WITH_EXPERTS = to_say("jackknife by scenes and by experts, prediction-powered")
_WITH_EXPERTS: Drawn = "scenes and experts"


@dataclass(frozen=True)
class CorrectedMean(Estimate):
    """A prediction-powered mean, in points of the scale; n counts the items that experts and judge scored."""

    weight: float
    """Lambda, from 0 (the judge is not used) to 1 (the judge counts in full)."""
    unlabelled: int
    """Items that the judge alone scored."""


@dataclass(frozen=True)
class ModelMeans:
    """One model on the leaderboard."""

    model: str
    corrected: CorrectedMean | Undefined
    experts: ClusteredEstimate | Undefined
    """The mean of all items that experts scored."""
    judge: float | Undefined
    """The plain mean of all items that the judge scored; it has no interval, since its bias is unknown."""
    n_judge: int
    """Items behind the judge's mean."""


def corrected_leaderboard(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> Mapping[str, ModelMeans]:
    """Every model's means over `metrics`, by name. An item counts on a side that scored it on all of `metrics`.

    What the ratings of a model do not determine is `Undefined` with the reason. Raises UndefinedStatistic when nobody
    scored any item on all metrics.
    """
    means = sides.means(metrics)
    means = means[means[["expert", "judge"]].notna().any(axis=1)]
    if means.empty:
        raise UndefinedStatistic("no item has scores on all of {metrics}", metrics=listed(metrics))
    without = [_points(beside.means(metrics)) for beside in sides.without_each()] if drawn == _WITH_EXPERTS else None
    return {
        str(model): _model_means(str(model), items, sides.called, _of_model(str(model), without))
        for model, items in means.groupby("model")
    }


def _points(means: pd.DataFrame) -> Mapping[str, tuple[float, float]]:
    """Each model's corrected mean and that of the experts; NaN where one is undefined."""
    found = {}
    for model, items in means.groupby("model"):
        of = _model_means(str(model), items, "", None)
        corrected, experts = (
            np.nan if isinstance(one, Undefined) else one.estimate for one in (of.corrected, of.experts)
        )
        found[str(model)] = corrected, experts
    return found


def _of_model(model: str, without: Sequence[Mapping[str, tuple[float, float]]] | None) -> Floats | None:
    """The corrected means of a model, and those of the experts, without each expert (2 x experts)."""
    if without is None:
        return None
    return np.array([points.get(model, (np.nan, np.nan)) for points in without]).reshape(-1, 2).T


def prediction_powered_mean(
    experts: Floats,
    judged: Floats,
    scene: Ints,
    unlabelled: Floats,
    unlabelled_scene: Ints,
    *,
    by_expert: Floats | None = None,
) -> CorrectedMean:
    """The prediction-powered mean of items that both scored (`experts`, `judged`) and items of the judge alone.

    Scenes are whole numbers; `by_expert` are the means without each expert, where experts are drawn, too. Raises
    UndefinedStatistic for fewer than `FEWEST_LABELLED` labelled items, and where there are no unlabelled ones.
    """
    n, others = len(experts), len(unlabelled)
    if n < FEWEST_LABELLED:
        raise UndefinedStatistic(
            "a corrected mean needs at least {fewest} items scored by both the experts and the judge; found {n}",
            fewest=FEWEST_LABELLED,
            n=n,
        )
    if not others:
        raise UndefinedStatistic("a corrected mean needs items scored by the judge only; there are none")
    scenes = np.unique(np.concatenate([scene, unlabelled_scene]))
    sums = _scene_sums(experts, judged, np.searchsorted(scenes, scene), len(scenes))
    alone = _scene_sums(unlabelled, unlabelled, np.searchsorted(scenes, unlabelled_scene), len(scenes))
    whole = _corrected(sums.sum(axis=0), alone.sum(axis=0))
    labelled = sums[:, 0] > 0
    interval = (
        or_undefined(_interval, sums, alone, labelled, by_expert)
        if labelled.sum() >= FEWEST_CLUSTERS
        else _few(labelled)
    )
    return CorrectedMean(float(whole[0]), interval, n, float(whole[1]), others)


def _scene_sums(experts: Floats, judged: Floats, scene: Ints, scenes: int) -> Floats:
    """Of each scene the number of items, and the sums of the experts' and the judge's scores, of their products and of
    the judge's squares (scenes x 5)."""
    terms = (np.ones_like(judged), experts, judged, experts * judged, judged * judged)
    return np.stack([np.bincount(scene, weights=term, minlength=scenes) for term in terms], axis=1)


def _corrected(sums: Floats, alone: Floats) -> Floats:
    """The mean and lambda (2, or 2 x draws) from the sums of `_scene_sums` of labelled and of other items (5, or
    draws x 5)."""
    n, expert, judged, products, squares = sums.T
    others, imputed, _, _, their_squares = alone.T
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = products / n - expert * judged / n**2
        every, total = n + others, judged + imputed
        variance = (squares + their_squares - total**2 / every) / (every - 1)
        weight = np.where(variance > _TINY, np.clip(covariance / ((1 + n / others) * variance), 0, 1), 0.0)
        return np.stack([expert / n + weight * (imputed / others - judged / n), weight])


def _interval(sums: Floats, alone: Floats, labelled: Bools, by_expert: Floats | None) -> Interval:
    """By leaving out scenes with labelled items, and, by themselves, those of the judge alone: their variances add
    up."""
    groups = (labelled, ~labelled) if (~labelled).sum() != 1 else (np.ones_like(labelled),)
    left_out = [
        _corrected(sums.sum(axis=0) - sums[those], alone.sum(axis=0) - alone[those])[:1]
        for those in groups
        if those.any()
    ]
    if by_expert is not None:
        check_experts(len(by_expert))
        left_out.append(by_expert[None])
    way = WAY if by_expert is None else WAY_WITH_EXPERTS
    return Jackknife(_corrected(sums.sum(axis=0), alone.sum(axis=0))[:1], tuple(left_out), way).error(0, MEAN).interval


def _few(labelled: Bools) -> Undefined:
    return Undefined(
        Message(
            "an interval needs at least {fewest} scenes with items scored by both the experts and the judge; found {n}",
            fewest=FEWEST_CLUSTERS,
            n=int(labelled.sum()),
        )
    )


def _model_means(model: str, items: pd.DataFrame, judge: Readable, without: Floats | None) -> ModelMeans:
    by_experts, by_judge = items["expert"].notna().to_numpy(), items["judge"].notna().to_numpy()
    expert, judged = items["expert"].to_numpy(dtype=float), items["judge"].to_numpy(dtype=float)
    scene = pd.factorize(items["scene"], sort=True)[0]
    both, alone = by_experts & by_judge, by_judge & ~by_experts
    corrected = or_undefined(
        prediction_powered_mean,
        expert[both],
        judged[both],
        scene[both],
        judged[alone],
        scene[alone],
        by_expert=None if without is None else without[0],
    )
    by_expert = None if without is None else (lambda: without[1:])
    plain = or_undefined(clustered_mean, expert[by_experts], scene[by_experts], by_expert=by_expert)
    nothing = Undefined(Message("{judge} scored no items of {model}", judge=judge, model=model))
    mean = float(judged[by_judge].mean()) if by_judge.any() else nothing
    return ModelMeans(model, corrected, plain, mean, int(by_judge.sum()))


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


def corrected_standings(sides: Sides, metrics: Sequence[str], draws: Draws = USUAL_DRAWS) -> CorrectedStandings:
    """All models on each of the metrics, and overall, the best first.

    Raises UndefinedStatistic, with the reasons, where no mean can be corrected.
    """
    standings: list[Standing] = []
    undefined: dict[tuple[str, str], Undefined] = {}
    for name, of in (*((metric, (metric,)) for metric in metrics), (RESERVED, tuple(metrics))):
        found, missing = _means(sides, of)
        standings += _ranked(name, found, sides.means(of).dropna(subset=["judge"]), draws)
        undefined |= {(model, name): reason for model, reason in missing.items()}
    if not standings:
        raise UndefinedStatistic(joined(dict.fromkeys(one.reason for one in undefined.values())))
    return CorrectedStandings(standings, undefined)


def _means(sides: Sides, metrics: Sequence[str]) -> tuple[dict[str, CorrectedMean], dict[str, Undefined]]:
    try:
        board = corrected_leaderboard(sides, metrics)
    except UndefinedStatistic as error:
        return {}, {model: Undefined(error.message) for model in map(str, sides.items["model"].unique())}
    means = {model: of.corrected for model, of in board.items()}
    return (
        {model: mean for model, mean in means.items() if isinstance(mean, CorrectedMean)},
        {model: mean for model, mean in means.items() if isinstance(mean, Undefined)},
    )


def _ranked(name: str, means: Mapping[str, CorrectedMean], judged: pd.DataFrame, draws: Draws) -> Iterator[Standing]:
    """The standings on one metric, from the items that the judge scored: scene, model, expert, judge."""
    scenes = judged.groupby("model", observed=True)["scene"].nunique()
    drawn = _drawn_ranks(means, judged, draws)
    order = sorted(means.items(), key=lambda one: (-one[1].estimate, one[0]))
    for model, mean in order:
        place = [*means].index(model)
        yield Standing(
            model=model,
            metric=name,
            mean=mean.estimate,
            sd=None,
            low=None if isinstance(mean.interval, Undefined) else mean.interval.low,
            high=None if isinstance(mean.interval, Undefined) else mean.interval.high,
            rank=1 + sum(other.estimate > mean.estimate + SAME for other in means.values()),
            best_rank=None if drawn is None else int(drawn.best[place]),
            worst_rank=None if drawn is None else int(drawn.worst[place]),
            first=None if drawn is None else float(drawn.first[place]),
            scenes=int(scenes[model]),
            items=mean.n + mean.unlabelled,
        )


def _drawn_ranks(means: Mapping[str, CorrectedMean], judged: pd.DataFrame, draws: Draws) -> DrawnRanks | None:
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
    off, alone, both_drawn, alone_drawn = np.split(scene_counts(len(scenes), draws).T @ sums, 4, axis=1)
    with np.errstate(invalid="ignore"):
        return ranks_in(off / both_drawn + alone / alone_drawn)
