"""A leaderboard corrected by experts: they scored a sample, a judge scored everything.

The judge's mean of a model is precise and perhaps biased; the experts' mean over their few items is unbiased and wide.
Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, 2023) takes the judge's mean over the
items that the experts did not score, and corrects it by how far the judge is off where both scored:

    lambda * mean(judge, judge only) + mean(experts - lambda * judge, both)

The weight lambda makes the interval as narrow as the judge allows (PPI++; Angelopoulos, Duchi & Zrnic, 2023): near 0
where the judge knows nothing of what experts think. The corrected mean is right however poor the judge is, so long as
the experts' items are a random sample of the model's items. The published interval is normal and takes items as
independent. Here, items of one scene are not, and Student's t answers for the few scenes that experts get through.

Unlike the plain leaderboard (see `leaderboard`) it takes the mean over items, not over scenes: it is in items that
experts and judge meet. Its interval tells what is known of one model. How sure the order is tells a prediction-powered
bootstrap (Zrnic, 2024): scenes are drawn anew, the same ones for all models, and each mean is corrected anew with the
weight that it has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, Readable, joined, listed, to_say
from annotations.leaderboard.standings import SAME, DrawnRanks, Standing, ranks_in
from annotations.resampling.estimates import IntervalEstimate, MeanDifference, mean_difference
from annotations.resampling.resampling import FEWEST_CLUSTERS, USUAL, Drawing, Floats, Interval, Ints, scene_counts
from annotations.rubrics.rubric import RESERVED
from annotations.validity.judge_expert_correlation import Sides

FEWEST_LABELLED = 5
"""Items of a model that both experts and judge scored. With fewer, neither lambda nor the spread of what is left can be
told."""
FEWEST_SCENES = 3
"""Scenes are what the interval takes as independent."""
_SCENES_OF_BOTH = to_say(
    "a corrected mean needs items of at least {fewest} scenes scored by experts and judge; there are {n}"
)
_SCENES_OF_JUDGE = to_say(
    "a corrected mean needs items of at least {fewest} scenes scored by the judge alone; there are {n}"
)
_SCENES_OF_EXPERTS = to_say(
    "a mean with an interval needs items of at least {fewest} scenes scored by the experts; there are {n}"
)


@dataclass(frozen=True)
class CorrectedMean(IntervalEstimate):
    """A prediction-powered mean, in points of the scale; n counts the items that experts and judge scored.

    The interval is by Student's t, with scenes as clusters.
    """

    se: float
    weight: float
    """Lambda, from 0 (the judge is not used) to 1 (the judge counts in full)."""
    unlabelled: int
    """Items that the judge alone scored."""


@dataclass(frozen=True)
class PlainMean(IntervalEstimate):
    """The mean of all items that experts scored, in points of the scale; n counts the items.

    The interval is by Student's t, with scenes as clusters.
    """

    se: float
    scenes: int


@dataclass(frozen=True)
class ModelMeans:
    """One model on the leaderboard."""

    model: str
    corrected: CorrectedMean | Undefined
    experts: PlainMean | Undefined
    judge: float | Undefined
    """The plain mean of all items that the judge scored; it has no interval, since its bias is unknown."""
    n_judge: int
    """Items behind the judge's mean."""


def corrected_leaderboard(sides: Sides, metrics: Sequence[str]) -> Mapping[str, ModelMeans]:
    """Every model's means over `metrics`, by name. An item counts on a side that scored it on all of `metrics`.

    What the ratings of a model do not determine is `Undefined` with the reason. Raises UndefinedStatistic when nobody
    scored any item on all metrics.
    """
    means = sides.means(metrics)
    means = means[means[["expert", "judge"]].notna().any(axis=1)]
    if means.empty:
        raise UndefinedStatistic("no item is scored on all of {metrics}", metrics=listed(metrics))
    return {str(model): _model_means(str(model), items, sides.called) for model, items in means.groupby("model")}


def prediction_powered_mean(
    experts: Floats, judged: Floats, scene: Ints, unlabelled: Floats, unlabelled_scene: Ints
) -> CorrectedMean:
    """The prediction-powered mean of items that both scored (`experts`, `judged`) and items of the judge alone.

    Scenes are whole numbers; the two groups of items are taken as independent of each other. Raises UndefinedStatistic
    for fewer than `FEWEST_LABELLED` labelled items, no unlabelled ones, or fewer than three scenes of either.
    """
    n, others = len(experts), len(unlabelled)
    if n < FEWEST_LABELLED:
        raise UndefinedStatistic(
            "a corrected mean needs at least {fewest} items scored by experts and judge; there are {n}",
            fewest=FEWEST_LABELLED,
            n=n,
        )
    _check_scenes(scene, _SCENES_OF_BOTH)
    _check_scenes(unlabelled_scene, _SCENES_OF_JUDGE)
    weight = power_tuning(experts, judged, unlabelled)
    rectifier = mean_difference(experts - weight * judged, scene)
    imputed = mean_difference(weight * unlabelled, unlabelled_scene)
    estimate = rectifier.estimate + imputed.estimate
    se = float(np.hypot(rectifier.se, imputed.se))
    half = float(stdtrit(_degrees_of_freedom(rectifier, imputed), 0.975)) * se
    interval = Interval(estimate - half, estimate + half, "prediction-powered, scenes as clusters")
    return CorrectedMean(estimate, interval, n, se, weight, others)


def plain_mean(scores: Floats, scene: Ints) -> PlainMean:
    """The mean of `scores`, of which those of one scene depend on each other.

    Raises UndefinedStatistic for fewer than three scenes.
    """
    _check_scenes(scene, _SCENES_OF_EXPERTS)
    mean = mean_difference(scores, scene)
    interval = replace(mean.interval, way="Student's t, scenes as clusters")
    return PlainMean(mean.estimate, interval, mean.n, mean.se, mean.items)


def power_tuning(experts: Floats, judged: Floats, unlabelled: Floats) -> float:
    """Lambda of PPI++ for a mean: cov(experts, judge) / ((1 + n / N) * variance of the judge), kept within 0 and 1.

    The covariance is over the n labelled items, the variance over these and the N unlabelled ones. It is 0 for a judge
    who gives one score to everything.
    """
    n, others = len(experts), len(unlabelled)
    covariance = float(((experts - experts.mean()) * (judged - judged.mean())).mean())
    everything = np.concatenate([judged, unlabelled])
    if np.isclose(np.ptp(everything), 0):
        return 0.0
    return float(np.clip(covariance / ((1 + n / others) * everything.var(ddof=1)), 0, 1))


def _model_means(model: str, items: pd.DataFrame, judge: Readable) -> ModelMeans:
    by_experts, by_judge = items["expert"].notna().to_numpy(), items["judge"].notna().to_numpy()
    expert, judged = items["expert"].to_numpy(dtype=float), items["judge"].to_numpy(dtype=float)
    scene = pd.factorize(items["scene"], sort=True)[0]
    both, alone = by_experts & by_judge, by_judge & ~by_experts
    corrected = or_undefined(
        prediction_powered_mean, expert[both], judged[both], scene[both], judged[alone], scene[alone]
    )
    plain = or_undefined(plain_mean, expert[by_experts], scene[by_experts])
    nothing = Undefined(Message("{judge} scored no item of {model}", judge=judge, model=model))
    mean = float(judged[by_judge].mean()) if by_judge.any() else nothing
    return ModelMeans(model, corrected, plain, mean, int(by_judge.sum()))


def _check_scenes(scene: Ints, message: str) -> None:
    """Raises UndefinedStatistic with the message where there are too few."""
    scenes = len(np.unique(scene))
    if scenes < FEWEST_SCENES:
        raise UndefinedStatistic(message, fewest=FEWEST_SCENES, n=scenes)


def _degrees_of_freedom(one: MeanDifference, other: MeanDifference) -> float:
    """Of the sum of two independent means (Satterthwaite, 1946)."""
    shares = [(part.se**2, part.items - 1) for part in (one, other)]
    whole = sum(variance for variance, _ in shares)
    below = sum(variance**2 / degrees for variance, degrees in shares)
    return whole**2 / below if below > 0 else one.items - 1


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
