"""Concordance against hand-worked and published values and scipy; what is constant; the laws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from scipy.stats import t as student

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Floats, Interval
from annotations.validity.concordance import Concordance, concordance
from tests.annotations.crossed_ratings import beside, crossed
from tests.annotations.jackknifed import CORRELATION, HARDLY_CHANGES, PLAIN, POSITIVE, jackknifed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def of(expert: list[float | None], judge: list[float | None]) -> Concordance:
    return concordance(beside(crossed({"ann": expert}, {"gpt": judge})), ["KA"])


def ends(estimate: Estimate) -> tuple[float, float]:
    assert isinstance(estimate.interval, Interval)
    return estimate.interval.low, estimate.interval.high


@pytest.fixture(scope="module")
def thirty() -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    rounded = [np.clip(np.round(truth + random.normal(0, 0.7, 30)), 1, 5).tolist() for _ in range(4)]
    return crossed(dict(zip(("ann", "bo", "cy"), rounded, strict=False)), {"gpt": rounded[3]})


def test_a_judge_that_is_one_point_milder() -> None:
    # Variances and covariance are 2/3, the bias is 1: Lin 2 * 2/3 / (2/3 + 2/3 + 1) = 4/7.
    c = of([1, 2, 3], [2, 3, 4])
    assert isinstance(c.spearman, Estimate)
    assert isinstance(c.lin, Estimate)
    assert c.spearman.estimate == pytest.approx(1, abs=1e-12)
    assert c.lin.estimate == pytest.approx(4 / 7, abs=1e-12)
    assert (c.bias.estimate, c.mae.estimate) == pytest.approx((1, 1), abs=1e-12)
    assert (c.limits.low.estimate, c.limits.high.estimate) == pytest.approx((1, 1), abs=1e-6)


def test_all_figures_worked_by_hand() -> None:
    # Experts 1 2 4, judge 2 2 3. Means 7/3; variances over n 14/9 and 2/9, covariance 5/9: Lin (10/9) / (16/9) = 5/8.
    # Differences 1 0 -1: bias 0, MAE 2/3, standard deviation (n - 1) 1. Ranks 1 2 3 and 1.5 1.5 3: 1.5 / sqrt(2 * 1.5).
    c = of([1, 2, 4], [2, 2, 3])
    assert isinstance(c.spearman, Estimate)
    assert isinstance(c.lin, Estimate)
    assert c.lin.estimate == pytest.approx(5 / 8, abs=1e-12)
    assert (c.bias.estimate, c.mae.estimate) == pytest.approx((0, 2 / 3), abs=1e-12)
    assert (c.limits.low.estimate, c.limits.high.estimate) == pytest.approx((-1.959964, 1.959964), abs=1e-6)
    assert c.spearman.estimate == pytest.approx(1.5 / np.sqrt(3), abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "published"),
    [
        ("coherence", 0.612942),
        ("engagingness", 0.604739),
        ("groundedness", 0.574954),
        ("naturalness", 0.513986),
        ("understandability", 0.467807),
        ("overall", 0.662583),
    ],
)
def test_published_rho_of_topical_chat(topical_chat: pd.DataFrame, metric: str, published: float) -> None:
    c = concordance(beside(topical_chat, "unieval"), [metric])
    assert isinstance(c.spearman, Estimate)
    assert c.spearman.estimate == pytest.approx(published, abs=5e-7)
    assert (c.spearman.n, c.n, c.scenes, c.models, c.left_out) == (360, 360, 60, 6, 0)


@pytest.mark.slow
@settings(max_examples=examples(15, 60))
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=40))
def test_rho_is_scipy_s_with_ties(pairs: list[tuple[int, int]]) -> None:
    x, y = (list(map(float, side)) for side in zip(*pairs, strict=True))
    c = of(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert isinstance(c.spearman, Undefined)
    else:
        assert isinstance(c.spearman, Estimate)
        assert c.spearman.estimate == pytest.approx(spearmanr(x, y).statistic, abs=1e-9)


def test_scores_that_differ_by_arithmetic_alone_are_tied() -> None:
    c = of([0.1 + 0.2, 0.3, 0.5, 0.7], [1, 2, 1, 3])
    assert isinstance(c.spearman, Estimate)
    assert c.spearman.estimate == pytest.approx(spearmanr([0.3, 0.3, 0.5, 0.7], [1, 2, 1, 3]).statistic, abs=1e-12)


def test_intervals_are_those_of_leaving_out_each_scene(thirty: pd.DataFrame) -> None:
    c = concordance(beside(thirty), ["KA"])
    pairs = beside(thirty).means(["KA"])
    rows = []
    for scene in sorted(set(pairs["scene"])):
        x, y = (pairs.loc[pairs["scene"] != scene, side].to_numpy() for side in ("expert", "judge"))
        apart = y - x
        lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + apart.mean() ** 2)
        rows.append([spearmanr(x, y).statistic, apart.mean(), np.abs(apart).mean(), lin, apart.std(ddof=1)])
    *values, spreads = np.array(rows).T.tolist()
    figures, scales = (c.spearman, c.bias, c.mae, c.lin), (CORRELATION, PLAIN, POSITIVE, CORRELATION)
    for estimate, without, scale in zip(figures, values, scales, strict=True):
        assert isinstance(estimate, Estimate)
        assert ends(estimate) == pytest.approx(jackknifed(estimate.estimate, without, scale), abs=1e-6)
        assert isinstance(estimate.interval, Interval)
        assert (estimate.interval.way, estimate.n) == ("jackknife by scenes", 30)
    check_limits(c, pairs["judge"] - pairs["expert"], np.array(values[1]), np.log(spreads))


def check_limits(c: Concordance, apart: "pd.Series[float]", biases: Floats, spreads: Floats) -> None:
    """A limit's interval joins the distances of the ends of both its parts (Zou, 2013), t with their joint degrees of
    freedom (Satterthwaite, 1946)."""
    sd, scenes = float(apart.std()), len(biases)
    of_bias, of_sd = ((scenes - 1) / scenes * ((each - each.mean()) ** 2).sum() for each in (biases, spreads))
    in_points = of_sd * (1.959964 * sd) ** 2
    df = (scenes - 1) * (of_bias + in_points) ** 2 / (of_bias**2 + in_points**2)
    half, times = student.ppf(0.975, df) * of_bias**0.5, np.exp(student.ppf(0.975, df) * of_sd**0.5)
    for limit, side, wider, narrower in ((c.limits.high, 1, times, 1 / times), (c.limits.low, -1, 1 / times, times)):
        assert limit.estimate == pytest.approx(c.bias.estimate + side * 1.959964 * sd, abs=1e-6)
        below, above = (np.hypot(half, 1.959964 * sd * (1 - end)) for end in (narrower, wider))
        assert ends(limit) == pytest.approx((limit.estimate - below, limit.estimate + above), abs=1e-6)
        assert limit.n == 30


def test_a_judge_without_variance_has_no_rho_and_no_concordance() -> None:
    c = of([1, 2, 3, 4], [3, 3, 3, 3])
    assert in_english(c.spearman) == Undefined("gpt gave all 4 items the same score")
    assert isinstance(c.lin, Estimate)
    assert c.lin.estimate == pytest.approx(0, abs=1e-12)
    assert (c.bias.estimate, c.mae.estimate) == pytest.approx((0.5, 1))


def test_one_score_everywhere_is_no_concordance() -> None:
    assert in_english(of([0.3, 0.1 + 0.2, 0.3], [0.3, 0.3, 0.3]).lin) == Undefined(
        "the experts and gpt gave all 3 items the same score"
    )


def test_fewer_than_five_scenes_leave_the_figures_without_intervals() -> None:
    expert, judge = [1, 2, 4, 5, 3, 3, 2, 1] * 2, [2, 2, 3, 4, 5, 2, 1, 1] * 2
    four, five = (
        concordance(beside(crossed({"ann": expert}, {"gpt": judge}, scenes=scenes)), ["KA"]) for scenes in (4, 5)
    )
    assert isinstance(four.bias.interval, Undefined)
    assert in_english(four.bias.interval.reason).startswith("an interval needs at least 5 scenes")
    assert {each.interval for each in (four.mae, four.limits.low, four.limits.high)} == {four.bias.interval}
    assert four.bias.estimate == five.bias.estimate == pytest.approx(-1 / 8)
    assert isinstance(five.bias.interval, Interval)


def test_without_a_single_difference_the_mean_error_is_at_the_end_of_its_range() -> None:
    c = of([1, 2, 4, 5, 3, 3] * 2, [1, 2, 4, 5, 3, 3] * 2)
    assert in_english(c.mae.interval) == Undefined("0 is at or beyond the end of its range")
    assert in_english(c.bias.interval) == Undefined(HARDLY_CHANGES)


def test_a_judge_that_is_always_one_point_milder_has_limits_without_an_interval() -> None:
    c = of([1, 2, 4, 3, 3, 2], [2, 3, 5, 4, 4, 3])
    assert (c.limits.low.estimate, c.limits.high.estimate) == pytest.approx((1, 1), abs=1e-6)
    assert isinstance(c.limits.low.interval, Undefined)
    assert c.limits.low.interval == c.limits.high.interval


def test_items_of_one_side_only_are_left_out_and_counted() -> None:
    c = of([1, 2, 4, 5, None], [2, 2, 3, None, 1])
    assert (c.n, c.left_out, c.mae.estimate) == (3, 2, pytest.approx(2 / 3))
    with pytest.raises(UndefinedStatistic, match="at least 3 items scored by the experts and gpt; found 2"):
        of([1, 2], [1, 2])


def test_where_models_are_drawn_too_their_variance_is_added() -> None:
    random = np.random.default_rng(4)
    truth, model = random.normal(3, 1, 60), np.repeat(random.normal(0, 1, 10), 6)
    judge = truth + model + random.normal(0, 0.5, 60)
    sides = beside(crossed({"ann": truth.tolist()}, {"gpt": judge.tolist()}))
    apart = (judge - truth).reshape(10, 6)

    def variance(axis: int) -> float:
        n = apart.shape[axis]
        without = np.array([np.delete(apart, at, axis).mean() for at in range(n)])
        return float((n - 1) / n * ((without - without.mean()) ** 2).sum())

    of_models, of_scenes = variance(0), variance(1)
    df = (of_models + of_scenes) ** 2 / (of_models**2 / 9 + of_scenes**2 / 5)
    half = student.ppf(0.975, df) * np.sqrt(of_models + of_scenes)
    both, one = (concordance(sides, ["KA"], drawn).bias.interval for drawn in ("scenes and models", "scenes"))
    assert isinstance(both, Interval)
    assert isinstance(one, Interval)
    assert (both.low, both.high) == pytest.approx((apart.mean() - half, apart.mean() + half), abs=1e-9)
    assert (both.way, one.way) == ("jackknife by scenes and by models", "jackknife by scenes")
    assert one.high - one.low < both.high - both.low


@settings(max_examples=examples(4, 10))
@given(st.permutations(range(120)), st.permutations(["ann", "bo", "cy"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(
    thirty: pd.DataFrame, order: list[int], names: list[str]
) -> None:
    renamed = thirty.iloc[order].replace({"rater": dict(zip(["ann", "bo", "cy"], names, strict=True))})
    one, other = (concordance(beside(frame), ["KA"]) for frame in (thirty, renamed))
    for name in ("spearman", "bias", "mae", "lin"):
        first, second = getattr(one, name), getattr(other, name)
        assert second.estimate == pytest.approx(first.estimate, abs=1e-9)
        assert (second.interval.low, second.interval.high) == pytest.approx(
            (first.interval.low, first.interval.high), abs=1e-9
        )
