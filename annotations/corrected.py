"""A leaderboard corrected by experts: experts scored a sample, a judge scored everything.

The judge's mean of a model is precise and perhaps biased; the experts' mean over their few items is unbiased and wide.
Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, 2023) takes the judge's mean over the
items that the experts did not score, and corrects it by how far the judge is off where both scored:

    lambda * mean(judge, judge only) + mean(experts - lambda * judge, both)

The weight lambda makes the interval as narrow as the judge allows (PPI++; Angelopoulos, Duchi & Zrnic, 2023): near 0
where the judge knows nothing of what experts think. The corrected mean is right however poor the judge is, so long as
the experts' items are a random sample of the model's items. The published interval is normal and takes items as
independent. Here, items of one scene are not, and Student's t answers for the few scenes that experts get through.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from annotations.clustered import MeanDifference, mean_difference
from annotations.errors import UndefinedStatistic
from annotations.estimates import IntervalEstimate
from annotations.resampling import Floats, Interval, Ints
from annotations.undefined import Undefined, or_undefined
from annotations.validity import Sides
from annotations.wording import say, to_say

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
        raise UndefinedStatistic(say("no item is scored on all of {metrics}", metrics=say(", ").join(metrics)))
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
            say(
                "a corrected mean needs at least {fewest} items scored by experts and judge; there are {n}",
                fewest=FEWEST_LABELLED,
                n=n,
            )
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


def _model_means(model: str, items: pd.DataFrame, judge: str) -> ModelMeans:
    by_experts, by_judge = items["expert"].notna().to_numpy(), items["judge"].notna().to_numpy()
    expert, judged = items["expert"].to_numpy(dtype=float), items["judge"].to_numpy(dtype=float)
    scene = pd.factorize(items["scene"], sort=True)[0]
    both, alone = by_experts & by_judge, by_judge & ~by_experts
    corrected = or_undefined(
        prediction_powered_mean, expert[both], judged[both], scene[both], judged[alone], scene[alone]
    )
    plain = or_undefined(plain_mean, expert[by_experts], scene[by_experts])
    nothing = Undefined(say("{judge} scored no item of {model}", judge=judge, model=model))
    mean = float(judged[by_judge].mean()) if by_judge.any() else nothing
    return ModelMeans(model, corrected, plain, mean, int(by_judge.sum()))


def _check_scenes(scene: Ints, message: str) -> None:
    """Raises UndefinedStatistic with the message where there are too few."""
    scenes = len(np.unique(scene))
    if scenes < FEWEST_SCENES:
        raise UndefinedStatistic(say(message, fewest=FEWEST_SCENES, n=scenes))


def _degrees_of_freedom(one: MeanDifference, other: MeanDifference) -> float:
    """Of the sum of two independent means (Satterthwaite, 1946)."""
    shares = [(part.se**2, part.items - 1) for part in (one, other)]
    whole = sum(variance for variance, _ in shares)
    below = sum(variance**2 / degrees for variance, degrees in shares)
    return whole**2 / below if below > 0 else one.items - 1
