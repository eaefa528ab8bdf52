"""Spearman-Brown, alpha without a metric and the correlations between metrics, by hand and beside pingouin; the
interval of alpha beside the same done slowly."""

from random import Random

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.reliability.cronbach_alpha import Alpha, cronbach_alpha, feldt_interval, rater_table, trajectory_table
from annotations.reliability.item_analysis import (
    SpearmanBrown,
    inter_metric_correlations,
    metric_consistency,
    resampled_alpha_between,
    spearman_brown,
)
from annotations.resampling.jackknife import Interval
from tests.annotations.jackknifed import ALPHA, jackknifed
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

# Variances 5/3 each and covariance 1: r = 3/5, so the Spearman-Brown coefficient is 6/5 / (8/5) = 3/4, alpha's value.
TWO = {"IM": [1, 2, 3, 4], "AD": [2, 1, 4, 3]}


def scored(table: dict[str, list[float]], *, scenes: int = 2, raters: int = 1) -> pd.DataFrame:
    """Row i is item i // raters by rater i % raters; items go through the scenes, and then to the next model."""
    return frame_of(
        rating(
            item=f"i{row // raters:03}",
            scene=f"s{row // raters % scenes}",
            model=f"m{row // raters // scenes}",
            metric=metric,
            rater=f"e{row % raters}",
            kind="expert",
            score=score,
        )
        for metric, scores in table.items()
        for row, score in enumerate(scores)
    )


def simulated(metrics: int = 3, *, scenes: int = 8, models: int = 6, raters: int = 2) -> pd.DataFrame:
    random = np.random.default_rng(3)
    rows = scenes * models * raters
    common = random.normal(size=rows) + np.repeat(random.normal(size=(models, scenes)).ravel(), raters)
    table = {f"M{k}": (common + random.normal(size=rows)).tolist() for k in range(metrics)}
    return scored(table, scenes=scenes, raters=raters)


def test_spearman_brown_worked_by_hand() -> None:
    assert spearman_brown(0.6) == pytest.approx(0.75)
    assert spearman_brown(-0.5) == pytest.approx(-2)
    result = metric_consistency(scored(TWO), ["IM", "AD"])
    halves = result.spearman_brown
    assert halves is not None
    assert not isinstance(halves, Undefined)
    assert (halves.estimate, halves.pearson, halves.n) == (pytest.approx(0.75), pytest.approx(0.6), 4)
    assert result.alpha.estimate == pytest.approx(0.75)
    assert result.without == {}
    for interval in (halves.interval, result.interval, result.chosen.interval):
        assert isinstance(interval, Undefined)
        assert in_english(interval.reason).startswith("an interval needs at least 5 scenes")
    assert isinstance(result.alpha.interval, Interval)


def test_spearman_brown_is_above_alpha_where_the_metrics_spread_unequally() -> None:
    # Tripled, IM has variance 15 and covariance 3 with AD: alpha = 2 (1 - (15 + 5/3) / (15 + 5/3 + 6)) = 9/17.
    result = metric_consistency(scored({"IM": [3, 6, 9, 12], "AD": TWO["AD"]}), ["IM", "AD"])
    assert result.alpha.estimate == pytest.approx(9 / 17)
    assert result.spearman_brown is not None
    assert not isinstance(result.spearman_brown, Undefined)
    assert result.spearman_brown.estimate == pytest.approx(0.75)


def test_two_metrics_that_run_exactly_against_each_other_have_no_spearman_brown() -> None:
    result = metric_consistency(scored({"IM": [1, 2, 3, 4], "AD": [10, 8, 6, 4]}), ["IM", "AD"])
    assert isinstance(result.spearman_brown, Undefined)
    assert "r = -1" in in_english(result.spearman_brown.reason)
    with pytest.raises(UndefinedStatistic, match="does not vary"):
        spearman_brown(-1)


def test_alpha_if_a_metric_is_dropped_worked_by_hand() -> None:
    # BC repeats AD, so AD and BC alone have alpha 1, and IM with either of them 3/4.
    result = metric_consistency(scored({**TWO, "BC": TWO["AD"]}), ["IM", "AD", "BC"])
    without = {metric: alpha.estimate for metric, alpha in result.without.items() if isinstance(alpha, Alpha)}
    assert without == pytest.approx({"IM": 1, "AD": 0.75, "BC": 0.75})
    assert result.spearman_brown is None
    # Correlations 3/5, 3/5 and 1: their mean is 11/15.
    matrix = [[1, 0.6, 0.6], [0.6, 1, 1], [0.6, 1, 1]]
    assert [list(row) for row in result.correlations.matrix] == [pytest.approx(row) for row in matrix]
    assert result.correlations.mean == pytest.approx(11 / 15)
    assert (result.correlations.pairs, result.correlations.n) == (3, 4)


def test_feldt_s_interval_worked_by_hand() -> None:
    # F(9, 9) has its 97.5 % point at 4.026 (F tables): 1 - .2 x 4.026 = .195 and 1 - .2 / 4.026 = .950.
    found = feldt_interval(0.8, n=10, items=2)
    assert isinstance(found, Interval)
    assert (found.low, found.high) == (pytest.approx(0.1948, abs=2e-4), pytest.approx(0.9503, abs=1e-4))
    # F(10, 40): 97.5 % point 2.388, and its 2.5 % point is 1 / F(40, 10) = 1 / 3.255.
    found = feldt_interval(0.7, n=11, items=5)
    assert isinstance(found, Interval)
    assert (found.low, found.high) == (pytest.approx(0.2836, abs=2e-4), pytest.approx(0.9078, abs=1e-4))


def test_all_figures_beside_pingouin() -> None:
    frame, metrics = simulated(4), ["M0", "M1", "M2", "M3"]
    result = metric_consistency(frame, metrics)
    table = trajectory_table(frame, metrics)
    assert result.alpha.estimate == pytest.approx(pingouin.cronbach_alpha(table)[0])
    for metric, alpha in result.without.items():
        assert isinstance(alpha, Alpha)
        assert alpha.estimate == pytest.approx(pingouin.cronbach_alpha(table.drop(columns=metric))[0])
    for i, first in enumerate(metrics):
        for j, second in enumerate(metrics[:i]):
            r = pingouin.corr(table[first], table[second])["r"].iloc[0]
            assert result.correlations.matrix[i][j] == pytest.approx(r)
    assert (result.n, result.items, result.raters, result.scenes, result.models) == (96, 48, 2, 8, 6)


@pytest.mark.parametrize("metrics", [["M0", "M1"], ["M0", "M1", "M2"]])
def test_the_interval_is_that_of_a_plain_loop_that_leaves_out_each_scene(metrics: list[str]) -> None:
    frame = simulated()
    result = metric_consistency(frame, metrics)
    parts = [trajectory_table(frame[frame["scene"] != f"s{scene}"], metrics) for scene in range(8)]
    expected = jackknifed(result.alpha.estimate, [cronbach_alpha(part).estimate for part in parts], ALPHA)
    assert isinstance(result.interval, Interval)
    assert (result.interval.low, result.interval.high) == pytest.approx(expected, abs=1e-9)
    assert result.interval.way == "jackknife by scenes"
    assert result.chosen.interval == result.interval
    assert isinstance(result.alpha.interval, Interval)
    assert result.alpha.interval.way == "feldt"
    if len(metrics) == 2:
        assert result.spearman_brown is not None
        assert not isinstance(result.spearman_brown, Undefined)
        assert isinstance(result.spearman_brown.interval, Interval)
        halves = [spearman_brown(part.corr().iloc[0, 1]) for part in parts]
        made = result.spearman_brown.interval.low, result.spearman_brown.interval.high
        assert made == pytest.approx(jackknifed(result.spearman_brown.estimate, halves, ALPHA), abs=1e-9)


def test_between_raters_the_interval_leaves_out_each_scene_too() -> None:
    frame = simulated()
    result = resampled_alpha_between(frame, "M1")
    one = frame[frame["metric"] == "M1"]
    without = [cronbach_alpha(rater_table(one[one["scene"] != f"s{scene}"], "M1")).estimate for scene in range(8)]
    assert isinstance(result.interval, Interval)
    assert (result.interval.low, result.interval.high) == pytest.approx(
        jackknifed(result.alpha.estimate, without, ALPHA), abs=1e-9
    )


def test_models_can_be_drawn_too_where_there_are_eight() -> None:
    frame = simulated(models=8)
    by_both = metric_consistency(frame, ["M0", "M1"], "scenes and models").interval
    assert isinstance(by_both, Interval)
    assert by_both.way == "jackknife by scenes and by models"
    seven = metric_consistency(frame[frame["model"] < "m7"], ["M0", "M1"], "scenes and models").interval
    assert isinstance(seven, Undefined)
    assert in_english(seven.reason).startswith("an interval needs at least 8 models")


def test_of_independent_items_the_intervals_are_those_of_feldt_and_fisher() -> None:
    result = metric_consistency(simulated(), ["M0", "M1"], "independent items")
    assert result.chosen == result.alpha
    assert result.interval == feldt_interval(result.alpha.estimate, n=96, items=2)
    halves = result.spearman_brown
    assert halves is not None
    assert not isinstance(halves, Undefined)
    assert isinstance(halves.interval, Interval)
    ends = np.tanh(np.arctanh(halves.pearson) + np.array([-1, 1]) * 1.959963984540054 / 93**0.5)
    assert (halves.interval.low, halves.interval.high) == pytest.approx([2 * r / (1 + r) for r in ends], abs=1e-9)
    assert halves.interval.way == "fisher"


def test_metrics_that_are_one_have_no_interval() -> None:
    rated = simulated(1)
    twice = pd.concat([rated, rated.assign(metric="M1")])
    for drawn in ("scenes", "independent items"):
        result = metric_consistency(twice, ["M0", "M1"], drawn)
        assert result.alpha.estimate == pytest.approx(1)
        assert isinstance(result.interval, Undefined)
        assert isinstance(result.spearman_brown, SpearmanBrown)
        assert isinstance(result.spearman_brown.interval, Undefined)


def test_a_metric_that_does_not_vary_leaves_the_other_correlations() -> None:
    frame = scored({**TWO, "BC": [4, 4, 4, 4]})
    with pytest.raises(UndefinedStatistic, match="the same for BC"):
        metric_consistency(frame, ["IM", "AD", "BC"])
    correlations = inter_metric_correlations(frame, ["IM", "AD", "BC"])
    assert correlations.matrix[0][1] == pytest.approx(0.6)
    assert (
        in_english(correlations.matrix[2][2])
        == in_english(correlations.matrix[2][0])
        == Undefined("all 4 scores are the same for BC")
    )
    assert (correlations.mean, correlations.pairs) == (pytest.approx(0.6), 1)
    nothing = inter_metric_correlations(scored({"IM": [2, 2, 2], "AD": [1, 2, 3]}), ["IM", "AD"])
    assert in_english(nothing.mean) == Undefined("fewer than two metrics vary")


def test_incomplete_rows_are_left_out_of_everything_and_listed() -> None:
    frame = scored(TWO)
    gap = frame_of([rating(item="z", scene="s0", model="m0", metric="IM", rater="e0", kind="expert", score=5)])
    result = metric_consistency(pd.concat([frame, gap]), ["IM", "AD"])
    assert result.alpha.estimate == pytest.approx(0.75)
    assert (result.n, result.items) == (4, 4)
    assert [row.label for row in result.correlations.dropped] == [("z", "e0")]


def test_too_little_for_correlations_is_said() -> None:
    with pytest.raises(UndefinedStatistic, match="need two metrics; found 1"):
        inter_metric_correlations(scored(TWO), ["IM"])
    with pytest.raises(UndefinedStatistic, match="at least 3 rows with scores on each of IM, AD; found 2"):
        inter_metric_correlations(scored({"IM": [1, 2], "AD": [2, 3]}), ["IM", "AD"])


@settings(max_examples=examples(3, 10))
@given(st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(random: Random) -> None:
    frame, metrics = simulated(), ["M0", "M1", "M2"]
    order = random.sample(range(len(frame)), len(frame))
    other = frame.iloc[order].assign(rater=frame["rater"].map({"e0": "zoe", "e1": "al"}))
    one, two = (metric_consistency(each, metrics) for each in (frame, other))
    assert isinstance(one.interval, Interval)
    assert isinstance(two.interval, Interval)
    figures = [(each.alpha.estimate, each.correlations.mean) for each in (one, two)]
    assert figures[0] == pytest.approx(figures[1])
    assert (one.interval.low, one.interval.high) == pytest.approx((two.interval.low, two.interval.high))


def test_hanna_s_experts_rate_alike_within_scenes(hanna: pd.DataFrame) -> None:
    experts = hanna[hanna["kind"] == "expert"]
    result = metric_consistency(experts, sorted(set(experts["metric"])))
    assert isinstance(result.interval, Interval)
    assert result.interval.low < result.alpha.interval.low < result.alpha.interval.high < result.interval.high
    assert (result.n, result.items, result.raters) == (3168, 1056, 3)
