"""Holm's adjustment worked by hand, its laws, and the test of r against plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from annotations.errors import UndefinedStatistic
from annotations.resampling.jackknife import Drawn, Interval
from annotations.validity.holm import correlation_test, holm
from annotations.validity.judge_expert_correlation import correlate
from tests.annotations.crossed_ratings import beside, crossed


@pytest.fixture(scope="module")
def thirty() -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    return crossed({"ann": truth.tolist()}, {"gpt": (truth + random.normal(0, 2, 30)).tolist()})


def test_holm_worked_by_hand() -> None:
    # .005 * 4 = .02, .01 * 3 = .03, .03 * 2 = .06; .04 * 1 would be below the one before it.
    adjusted = holm({"KA": 0.01, "BA": 0.04, "EE": 0.03, "PT": 0.005})
    assert list(adjusted) == ["KA", "BA", "EE", "PT"]
    assert adjusted == pytest.approx({"KA": 0.03, "BA": 0.06, "EE": 0.06, "PT": 0.02}, abs=1e-12)
    assert holm({"KA": 0.7, "BA": 0.6}) == {"KA": 1.0, "BA": 1.0}
    assert holm({"KA": 0.2}) == {"KA": 0.2}
    assert holm({}) == {}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_never_lowers_p_keeps_the_order_and_lies_below_bonferroni(p: list[float]) -> None:
    adjusted = holm(dict(enumerate(p)))
    for at, value in enumerate(p):
        assert value <= adjusted[at] <= min(1, value * len(p))
        assert all(adjusted[at] <= adjusted[other] for other, bigger in enumerate(p) if bigger > value)


@given(st.permutations(range(5)))
def test_holm_does_not_depend_on_the_order(order: list[int]) -> None:
    p = [0.01, 0.01, 0.02, 0.3, 0.04]
    assert holm({at: p[at] for at in order}) == holm(dict(enumerate(p)))


def test_t_is_fisher_s_z_over_its_standard_error_without_each_scene(thirty: pd.DataFrame) -> None:
    found = correlation_test(beside(thirty), ["KA"])
    pairs = beside(thirty).means(["KA"])
    z = [
        np.arctanh(np.corrcoef(*pairs.loc[pairs["scene"] != scene, ["expert", "judge"]].to_numpy().T)[0, 1])
        for scene in sorted(set(pairs["scene"]))
    ]
    assert found.pearson == pytest.approx(np.corrcoef(pairs["expert"], pairs["judge"])[0, 1], abs=1e-12)
    se = np.sqrt(5 / 6 * ((z - np.mean(z)) ** 2).sum())
    assert found.t == pytest.approx(np.arctanh(found.pearson) / se, abs=1e-9)
    assert found.p == pytest.approx(2 * student.sf(abs(found.t), 5), abs=1e-12)
    assert (found.df, found.n, found.way) == (pytest.approx(5), 30, "jackknife by scenes")


def test_p_is_below_5_percent_just_where_the_interval_of_r_leaves_out_0() -> None:
    random, below = np.random.default_rng(3), 0
    for _ in range(40):
        truth, noise = random.normal(size=(2, 30))
        sides = beside(crossed({"ann": truth.tolist()}, {"gpt": (0.5 * truth + noise).tolist()}))
        interval, p = correlate(sides, "KA").interval, correlation_test(sides, ["KA"]).p
        assert isinstance(interval, Interval)
        assert (p < 0.05) == (interval.low > 0 or interval.high < 0)
        below += p < 0.05
    assert 0 < below < 40


def test_an_r_that_is_there_has_a_small_p_and_noise_has_not() -> None:
    random = np.random.default_rng(7)
    truth, noise = random.normal(size=(2, 60))
    frame = crossed({"ann": truth.tolist()}, {"gpt": (truth + noise).tolist(), "dice": noise.tolist()})
    assert correlation_test(beside(frame, "gpt"), ["KA"]).p < 0.001
    assert correlation_test(beside(frame, "dice"), ["KA"]).p > 0.05


@pytest.mark.parametrize(
    ("expert", "judge", "reason"),
    [
        ([1, 2], [1, 2], "at least 3 items scored by the experts and gpt; found 2"),
        ([1, 2, 3, 4, 5, 6], [2, 2, 2, 2, 2, 2], "gpt gave all 6 items the same score, 2"),
        ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], "1 is at or beyond the end of its range"),
        ([1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 0, 6], "the statistic cannot be computed or is at the limit of its range"),
        ([1, 2, 3, 4], [1, 3, 2, 4], "an interval needs at least 5 scenes"),
    ],
)
def test_what_cannot_be_tested(expert: list[float], judge: list[float], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        correlation_test(beside(crossed({"ann": expert}, {"gpt": judge})), ["KA"])


def test_an_r_that_stays_the_same_whatever_is_left_out_cannot_be_tested() -> None:
    expert, judge = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3], [1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2]
    with pytest.raises(UndefinedStatistic, match="hardly changes whatever is left out"):
        correlation_test(beside(crossed({"ann": expert}, {"gpt": judge}, scenes=5)), ["KA"])


@pytest.mark.parametrize("drawn", ["scenes", "independent items"])
@pytest.mark.parametrize("seed", range(12))
def test_p_says_what_the_interval_beside_it_says(seed: int, drawn: Drawn) -> None:
    random = np.random.default_rng(seed)
    truth, noise = random.normal(size=(2, 48))
    sides = beside(crossed({"ann": truth.tolist()}, {"gpt": (0.35 * truth + noise).tolist()}, scenes=8))
    found, test = correlate(sides, "KA", drawn), correlation_test(sides, ["KA"], drawn)
    assert isinstance(found.interval, Interval)
    assert found.interval.way == test.way
    assert (test.p < 0.05) == (found.interval.low * found.interval.high > 0)
