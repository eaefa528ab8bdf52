"""Prediction-powered means: fixed numbers of ppi_py 0.2.3, worked by hand, and covering the truth in simulations."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from annotations.errors import Undefined, UndefinedStatistic
from annotations.leaderboard.prediction_powered import (
    CorrectedMean,
    PlainMean,
    corrected_leaderboard,
    plain_mean,
    power_tuning,
    prediction_powered_mean,
)
from annotations.validity.judge_expert_correlation import Sides, sides_of
from tests.annotations.tables import frame_of, rating
from tests.fakes.in_english import in_english

EXPERTS = np.array([1, 2, 2, 3, 4, 5, 3, 4.0])
JUDGED = np.array([2, 2, 3, 3, 4, 4, 2, 5.0])
ALONE = np.array([1, 2, 3, 3, 3, 4, 5, 2, 2, 4, 3, 1.0])


def corrected(experts: np.ndarray, judged: np.ndarray, alone: np.ndarray) -> CorrectedMean:
    """Every item in a scene of its own."""
    return prediction_powered_mean(experts, judged, np.arange(len(experts)), alone, np.arange(len(alone)))


def test_the_mean_is_that_of_ppi_py() -> None:
    # ppi_mean_pointestimate(EXPERTS, JUDGED, ALONE), and lambda on the way to it.
    mean = corrected(EXPERTS, JUDGED, ALONE)
    assert mean.weight == pytest.approx(0.4418604651162791, abs=1e-12)
    assert mean.estimate == pytest.approx(2.83430233, abs=1e-8)
    assert (mean.n, mean.unlabelled) == (8, 12)


def test_the_interval_is_ppi_py_s_but_for_divisors_and_student_s_t() -> None:
    # ppi_mean_ci(..., alpha=.05) is [2.1381932, 3.53041145]: normal, and with variances divided by n, not n - 1.
    mean = corrected(EXPERTS, JUDGED, ALONE)
    rectifier, imputed = EXPERTS - mean.weight * JUDGED, mean.weight * ALONE
    published = 1.959963984540054 * np.sqrt(rectifier.var() / 8 + imputed.var() / 12)
    assert published == pytest.approx((3.53041145 - 2.1381932) / 2, abs=1e-8)
    parts = rectifier.var(ddof=1) / 8, imputed.var(ddof=1) / 12
    assert mean.se == pytest.approx(np.sqrt(sum(parts)))
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / 7 + parts[1] ** 2 / 11)
    half = student.ppf(0.975, degrees) * mean.se
    assert (mean.interval.low, mean.interval.high) == pytest.approx((mean.estimate - half, mean.estimate + half))


def test_a_perfect_judge_worked_by_hand() -> None:
    # Covariance 2 over 5, variance of 1 2 3 4 5 1 2 3 4 5 with divisor 9 is 20/9: lambda = 2 / (2 x 20/9) = .45.
    scores = np.array([1, 2, 3, 4, 5.0])
    assert power_tuning(scores, scores, scores) == pytest.approx(0.45)
    # With ten times the items of the judge's: 2 / (1.1 x 110/54), the variance of 55 scores.
    assert power_tuning(scores, scores, np.tile(scores, 10)) == pytest.approx(2 / (1.1 * 110 / 54))


def test_a_judge_who_says_nothing_or_the_reverse_is_not_used() -> None:
    for judged, alone in ((np.full(8, 3.0), np.full(12, 3.0)), (6 - EXPERTS, ALONE)):
        mean = corrected(EXPERTS, judged, alone)
        assert mean.weight == 0
        plain = plain_mean(EXPERTS, np.arange(8))
        assert (mean.estimate, mean.se) == (pytest.approx(plain.estimate), pytest.approx(plain.se))
        assert (mean.interval.low, mean.interval.high) == pytest.approx((plain.interval.low, plain.interval.high))


def simulated(seed: int, *, items: int, labelled: int) -> tuple[CorrectedMean, PlainMean]:
    """Two items a scene, of which scenes explain half; the judge is a point too kind. The true mean is 3."""
    random = np.random.default_rng(seed)
    scene = np.repeat(np.arange(items // 2), 2)
    truth = 3 + random.normal(0, 0.7, items // 2)[scene] + random.normal(0, 0.7, items)
    judged = truth + 1 + random.normal(0, 0.4, items)
    expert = truth[:labelled] + random.normal(0, 0.3, labelled)
    mean = prediction_powered_mean(expert, judged[:labelled], scene[:labelled], judged[labelled:], scene[labelled:])
    return mean, plain_mean(expert, scene[:labelled])


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
    assert full.experts == plain_mean(EXPERTS, np.arange(8))
    assert full.judge == pytest.approx(np.mean(judged))
    assert full.n_judge == 20
    assert in_english(found["few"].corrected) == Undefined(
        "a corrected mean needs at least 5 items scored by experts and judge; there are 4"
    )
    few = found["few"].experts
    assert isinstance(few, PlainMean)
    assert (few.estimate, few.n) == (2.5, 4)
    assert in_english(found["all"].corrected) == Undefined(
        "a corrected mean needs items of at least 3 scenes scored by the judge alone; there are 0"
    )
    assert in_english(found["none"].experts) == Undefined(
        "a mean with an interval needs items of at least 3 scenes scored by the experts; there are 0"
    )
    assert in_english(found["unjudged"].judge) == Undefined("gpt scored no item of unjudged")


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
    with pytest.raises(UndefinedStatistic, match="no item is scored on all of BA"):
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
        assert isinstance(whole, PlainMean)
        assert (means.corrected.n, means.corrected.unlabelled) == (20, 76)
        covered += means.corrected.interval.low < whole.estimate < means.corrected.interval.high
    assert covered >= 9
