"""Prediction-powered means: fixed numbers of ppi_py 0.2.3, worked by hand, intervals by plain loops, and covering the
truth in simulations."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from annotations.errors import Undefined, UndefinedStatistic
from annotations.leaderboard.prediction_powered import (
    CorrectedMean,
    corrected_leaderboard,
    prediction_powered_mean,
)
from annotations.resampling.clustered import ClusteredEstimate, clustered_mean
from annotations.resampling.jackknife import Interval
from annotations.validity.judge_expert_correlation import Sides, sides_of
from tests.annotations.jackknifed import ENDS_WITHOUT_ONE, jackknifed
from tests.annotations.tables import frame_of, rating
from tests.fakes.in_english import in_english

EXPERTS = np.array([1, 2, 2, 3, 4, 5, 3, 4.0])
JUDGED = np.array([2, 2, 3, 3, 4, 4, 2, 5.0])
ALONE = np.array([1, 2, 3, 3, 3, 4, 5, 2, 2, 4, 3, 1.0])


def corrected(experts: np.ndarray, judged: np.ndarray, alone: np.ndarray) -> CorrectedMean:
    """Every item in a scene of its own."""
    scenes = np.arange(len(experts) + len(alone))
    return prediction_powered_mean(experts, judged, scenes[: len(experts)], alone, scenes[len(experts) :])


def test_the_mean_is_that_of_ppi_py() -> None:
    # ppi_mean_pointestimate(EXPERTS, JUDGED, ALONE), and lambda on the way to it.
    mean = corrected(EXPERTS, JUDGED, ALONE)
    assert mean.weight == pytest.approx(0.4418604651162791, abs=1e-12)
    assert mean.estimate == pytest.approx(2.83430233, abs=1e-8)
    assert (mean.n, mean.unlabelled) == (8, 12)


def mean_and_weight(experts: np.ndarray, judged: np.ndarray, alone: np.ndarray) -> tuple[float, float]:
    """The corrected mean of items, written out."""
    n, others = len(experts), len(alone)
    covariance = np.cov(experts, judged, ddof=0)[0, 1]
    weight = float(np.clip(covariance / ((1 + n / others) * np.var([*judged, *alone], ddof=1)), 0, 1))
    return weight * alone.mean() + (experts - weight * judged).mean(), weight


def variance(values: list[float]) -> float:
    """The jackknife's."""
    return (len(values) - 1) / len(values) * sum((value - np.mean(values)) ** 2 for value in values)


def test_the_interval_leaves_out_scenes_that_experts_scored_and_by_themselves_those_of_the_judge_alone() -> None:
    random = np.random.default_rng(3)
    scene, other = np.array([1, 1, 2, 3, 3, 3, 4, 5, 6, 6]), np.array([1, 7, 7, 8, 9, 9, 10, 2, 11, 11, 11])
    experts = random.normal(3, 1, len(scene))
    judged = experts + random.normal(0, 0.7, len(scene))
    alone = random.normal(3, 1, len(other))
    mean = prediction_powered_mean(experts, judged, scene, alone, other)

    def without(scenes: range) -> list[float]:
        """Lambda is found anew each time; of a scene that experts scored, the judge's own items go with it."""
        return [
            mean_and_weight(experts[scene != each], judged[scene != each], alone[other != each])[0] for each in scenes
        ]

    parts = [(variance(without(scenes)), len(scenes) - 1) for scenes in (range(1, 7), range(7, 12))]
    total = sum(part for part, _ in parts)
    degrees = total**2 / sum(part**2 / freedom for part, freedom in parts)
    half = student.ppf(0.975, degrees) * total**0.5
    assert (mean.estimate, mean.weight) == pytest.approx(mean_and_weight(experts, judged, alone), abs=1e-12)
    assert isinstance(mean.interval, Interval)
    assert (mean.interval.low, mean.interval.high) == pytest.approx(
        (mean.estimate - half, mean.estimate + half), abs=1e-9
    )
    assert mean.interval.way == "jackknife by scenes, prediction-powered"


def test_where_one_scene_has_all_that_the_judge_alone_scored_there_is_no_interval() -> None:
    mean = prediction_powered_mean(EXPERTS, JUDGED, np.arange(8), ALONE, np.full(12, 99))
    assert mean.estimate == pytest.approx(mean_and_weight(EXPERTS, JUDGED, ALONE)[0], abs=1e-12)
    assert in_english(mean.interval) == Undefined(ENDS_WITHOUT_ONE)


def test_where_one_scene_is_the_judge_s_alone_it_is_left_out_as_one_of_all() -> None:
    scene, alone = np.arange(8), np.array([0, 1, 2, 3, 4, 5, *[99] * 6])
    mean = prediction_powered_mean(EXPERTS, JUDGED, scene, ALONE, alone)
    without = [
        mean_and_weight(EXPERTS[scene != each], JUDGED[scene != each], ALONE[alone != each])[0] for each in (*scene, 99)
    ]
    assert isinstance(mean.interval, Interval)
    assert (mean.interval.low, mean.interval.high) == pytest.approx(jackknifed(mean.estimate, without), abs=1e-9)


def half_of_ppi_py(experts: np.ndarray, judged: np.ndarray, alone: np.ndarray) -> float:
    """Half the width of its interval: normal, lambda taken as given, and variances divided by n, not n - 1."""
    weight = corrected(experts, judged, alone).weight
    parts = (experts - weight * judged).var() / len(experts), (weight * alone).var() / len(alone)
    return float(1.959963984540054 * sum(parts) ** 0.5)


def test_over_many_items_the_interval_is_ppi_py_s() -> None:
    # ppi_mean_ci(EXPERTS, JUDGED, ALONE, alpha=.05) is [2.1381932, 3.53041145].
    assert half_of_ppi_py(EXPERTS, JUDGED, ALONE) == pytest.approx((3.53041145 - 2.1381932) / 2, abs=1e-8)
    random = np.random.default_rng(1)
    experts, alone = random.normal(3, 1, 800), random.normal(3, 1.2, 1600)
    judged = experts + random.normal(0, 0.7, 800)
    many = corrected(experts, judged, alone)
    assert 0.4 < many.weight < 0.9
    assert isinstance(many.interval, Interval)
    assert many.interval.high - many.estimate == pytest.approx(half_of_ppi_py(experts, judged, alone), rel=0.02)


def test_of_few_scenes_that_experts_scored_there_is_a_mean_without_an_interval() -> None:
    found = prediction_powered_mean(EXPERTS, JUDGED, np.arange(8) % 4, ALONE, np.arange(12))
    assert found.estimate == pytest.approx(corrected(EXPERTS, JUDGED, ALONE).estimate)
    assert in_english(found.interval) == Undefined(
        "an interval needs at least 5 scenes with items scored by both the experts and the judge; found 4"
    )


def test_a_perfect_judge_worked_by_hand() -> None:
    # Covariance 2 over 5, variance of 1 2 3 4 5 1 2 3 4 5 with divisor 9 is 20/9: lambda = 2 / (2 x 20/9) = .45.
    scores = np.array([1, 2, 3, 4, 5.0])
    assert corrected(scores, scores, scores).weight == pytest.approx(0.45)
    # With ten times the items of the judge's: 2 / (1.1 x 110/54), the variance of 55 scores.
    assert corrected(scores, scores, np.tile(scores, 10)).weight == pytest.approx(2 / (1.1 * 110 / 54))


def test_a_judge_who_says_nothing_or_the_reverse_is_not_used() -> None:
    plain = clustered_mean(EXPERTS, np.arange(8))
    for judged, alone in ((np.full(8, 3.0), np.full(12, 3.0)), (6 - EXPERTS, ALONE)):
        mean = prediction_powered_mean(EXPERTS, judged, np.arange(8), alone, np.arange(12) + 99)
        assert (mean.weight, mean.estimate) == (0, pytest.approx(plain.estimate))
        assert isinstance(mean.interval, Interval)
        assert isinstance(plain.interval, Interval)
        assert (mean.interval.low, mean.interval.high) == pytest.approx((plain.interval.low, plain.interval.high))


def simulated(seed: int, *, items: int, labelled: int) -> tuple[CorrectedMean, ClusteredEstimate]:
    """Two items a scene, of which scenes explain half; the judge is a point too kind. The true mean is 3."""
    random = np.random.default_rng(seed)
    scene = np.repeat(np.arange(items // 2), 2)
    truth = 3 + random.normal(0, 0.7, items // 2)[scene] + random.normal(0, 0.7, items)
    judged = truth + 1 + random.normal(0, 0.4, items)
    expert = truth[:labelled] + random.normal(0, 0.3, labelled)
    mean = prediction_powered_mean(expert, judged[:labelled], scene[:labelled], judged[labelled:], scene[labelled:])
    return mean, clustered_mean(expert, scene[:labelled])


@pytest.mark.slow
@pytest.mark.parametrize(("items", "labelled"), [(200, 40), (60, 16)])
def test_the_intervals_cover_the_truth_and_the_judge_makes_them_narrower(items: int, labelled: int) -> None:
    runs = [simulated(seed, items=items, labelled=labelled) for seed in range(600)]
    for which in (0, 1):
        covered = np.mean([run[which].interval.low < 3 < run[which].interval.high for run in runs])
        assert 0.92 < covered < 0.98
    assert np.mean([mean.estimate for mean, _ in runs]) == pytest.approx(3, abs=0.03)
    widths = np.mean(
        [[mean.interval.high - mean.interval.low, plain.interval.high - plain.interval.low] for mean, plain in runs],
        axis=0,
    )
    assert widths[0] < 0.85 * widths[1]


def rows(model: str, expert: list[float], judge: list[float]) -> list[dict[str, object]]:
    """Item i of a model is in scene i; the expert scores the first ones."""
    sides = (("e", "expert", expert), ("gpt", "judge", judge))
    return [
        rating(item=f"{model}/{i}", scene=f"s{i}", model=model, rater=rater, kind=kind, score=score)
        for rater, kind, scores in sides
        for i, score in enumerate(scores)
    ]


def board(*models: list[dict[str, object]]) -> Sides:
    return sides_of(frame_of(row for model in models for row in model), ["gpt"])["gpt"]


def test_a_leaderboard_has_every_model_with_what_can_be_said_of_it() -> None:
    judged = [*JUDGED, *ALONE]
    found = corrected_leaderboard(
        board(
            rows("full", EXPERTS.tolist(), judged),
            rows("few", [1, 2, 3, 4], judged),
            rows("all", EXPERTS.tolist(), JUDGED.tolist()),
            rows("none", [], [2.0, 3]),
            rows("unjudged", EXPERTS.tolist(), []),
        ),
        ["KA"],
    )
    assert list(found) == ["all", "few", "full", "none", "unjudged"]
    full = found["full"]
    assert full.corrected == corrected(EXPERTS, JUDGED, ALONE)
    assert full.experts == clustered_mean(EXPERTS, np.arange(8))
    assert full.judge == pytest.approx(np.mean(judged))
    assert full.n_judge == 20
    assert in_english(found["few"].corrected) == Undefined(
        "a corrected mean needs at least 5 items scored by both the experts and the judge; found 4"
    )
    few = found["few"].experts
    assert isinstance(few, ClusteredEstimate)
    assert (few.estimate, few.n) == (2.5, 4)
    assert isinstance(few.interval, Undefined)
    assert in_english(found["all"].corrected) == Undefined(
        "a corrected mean needs items scored by the judge only; there are none"
    )
    assert in_english(found["none"].experts) == Undefined("there are no scores")
    assert in_english(found["unjudged"].judge) == Undefined("gpt scored no items of unjudged")


def test_the_order_of_rows_and_the_names_of_scenes_change_nothing() -> None:
    ratings = rows("full", EXPERTS.tolist(), [*JUDGED, *ALONE])
    one = corrected_leaderboard(board(ratings), ["KA"])["full"]
    other = [row | {"scene": str(row["scene"])[::-1]} for row in reversed(ratings)]
    two = corrected_leaderboard(board(other), ["KA"])["full"]
    assert isinstance(one.corrected, CorrectedMean)
    assert isinstance(two.corrected, CorrectedMean)
    assert (one.corrected.interval.low, one.corrected.interval.high) == pytest.approx(
        (two.corrected.interval.low, two.corrected.interval.high)
    )


def test_nothing_scored_is_no_leaderboard() -> None:
    with pytest.raises(UndefinedStatistic, match="no item has scores on all of BA"):
        corrected_leaderboard(board(rows("full", [1.0, 2], [2.0])), ["BA"])


def test_hanna_with_a_fifth_of_the_items_labelled(hanna: pd.DataFrame) -> None:
    """The experts' mean of all items is the truth that a sample of scenes, and the judge, are to find."""
    scenes = sorted(set(hanna["scene"]))
    sample = set(np.random.default_rng(2).permutation(scenes)[:20])
    part = hanna[(hanna["kind"] == "judge") | hanna["scene"].isin(sample)]
    truth = corrected_leaderboard(sides_of(hanna, ["beluga-13b"])["beluga-13b"], ["coherence"])
    found = corrected_leaderboard(sides_of(part, ["beluga-13b"])["beluga-13b"], ["coherence"])
    assert len(found) == 11
    covered = 0
    for model, means in found.items():
        whole = truth[model].experts
        assert isinstance(means.corrected, CorrectedMean)
        assert isinstance(whole, ClusteredEstimate)
        assert (means.corrected.n, means.corrected.unlabelled) == (20, 76)
        covered += means.corrected.interval.low < whole.estimate < means.corrected.interval.high
    assert covered >= 9
