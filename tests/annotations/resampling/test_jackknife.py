"""The jackknife worked by hand, and written out with loops; what has no interval, and why."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling import jackknife as of_product
from annotations.resampling.estimates import errors, intervals
from annotations.resampling.jackknife import (
    ALPHA,
    CORRELATION,
    PLAIN,
    POSITIVE,
    SHARE,
    Error,
    Figures,
    intraclass_scale,
    jackknife,
)
from annotations.validity.pearson import pearson_figures
from tests.annotations import jackknifed as by_hand
from tests.annotations.jackknifed import ENDS_WITHOUT_ONE, HARDLY_CHANGES, jackknifed
from tests.annotations.reliability.rater_scale import single_ratings
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

PLACES = pd.DataFrame(
    {"scene": list("abcdef") * 8, "model": [name for name in "rstuvwxy" for _ in range(6)]}
)  # 6 scenes and 8 models
X, Y = np.random.default_rng(5).normal(size=(2, 48))


def mean_of(scores: np.ndarray) -> Figures:
    return lambda counts: (counts @ scores / counts.sum(axis=1))[None]


def coming_to(whole: float, without: list[float]) -> Figures:
    """A figure of as many items, each a scene, with this value of all of them and these without each."""

    def figure(counts: np.ndarray) -> np.ndarray:
        left_out = counts.argmin(axis=1)
        return np.where(counts.all(axis=1), whole, np.array(without)[left_out])[None]

    return figure


def scenes(number: int) -> pd.DataFrame:
    """Items that have a scene each, of one model."""
    return pd.DataFrame({"scene": [f"s{at}" for at in range(number)], "model": "m"})


def error_of(places: pd.DataFrame, figures: Figures, scale=PLAIN, drawn="scenes") -> Error:
    return jackknife(places, figures, drawn).error(0, scale)


def reason_of(places: pd.DataFrame, figures: Figures, scale=PLAIN, drawn="scenes") -> str:
    [found] = intervals(places, figures, drawn, [scale])
    assert isinstance(found, Undefined)
    return in_english(found.reason)


def test_a_mean_worked_by_hand():
    # 1 2 3 4 10 have mean 4, and without each of them 4.75, 4.5, 4.25, 4 and 2.5. The squares of .75, .5, .25, 0 and
    # -1.5 add up to 3.125, and 4/5 of that is 2.5. t with 4 degrees of freedom has its 97.5 % point at 2.776445.
    found = error_of(scenes(5), mean_of(np.array([1.0, 2, 3, 4, 10])))
    assert (found.value, found.se, found.df) == pytest.approx((4, 2.5**0.5, 4), abs=1e-12)
    assert found.interval.low == pytest.approx(4 - 2.776445 * 2.5**0.5, abs=1e-5)
    assert found.interval.high == pytest.approx(4 + 2.776445 * 2.5**0.5, abs=1e-5)
    assert found.interval.way == "jackknife by scenes"
    assert found.p == pytest.approx(2 * stats.t.sf(4 / 2.5**0.5, 4), abs=1e-12)


def test_scenes_of_unequal_size_go_with_all_that_is_in_them():
    # Scene a has 0 and 0, the others 1, 2, 3 and 4: 10/4 without a, and 9/5, 8/5, 7/5, 6/5 without one of the others.
    places = pd.DataFrame({"scene": list("aabcde"), "model": "m"})
    found = error_of(places, mean_of(np.array([0.0, 0, 1, 2, 3, 4])))
    expected = jackknifed(10 / 6, [10 / 4, 9 / 5, 8 / 5, 7 / 5, 6 / 5])
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=examples(20, 100))
@given(st.integers(5, 12), st.integers(1, 4), st.integers(0, 1000))
def test_the_interval_of_a_mean_is_student_s_over_the_means_of_scenes_of_one_size(of_scenes, size, seed):
    scores = np.random.default_rng(seed).normal(3, 1, (of_scenes, size))
    places = pd.DataFrame({"scene": np.repeat([f"s{at}" for at in range(of_scenes)], size), "model": "m"})
    means = scores.mean(axis=1)
    expected = stats.t.interval(0.95, of_scenes - 1, means.mean(), stats.sem(means))
    found = error_of(places, mean_of(scores.ravel()))
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-9)
    assert found.p == pytest.approx(stats.ttest_1samp(means, 0).pvalue, abs=1e-9)


def test_independent_items_are_left_out_one_by_one():
    found = error_of(PLACES, mean_of(X), drawn="independent items")
    expected = stats.t.interval(0.95, 47, X.mean(), stats.sem(X))
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-9)
    assert (found.df, found.interval.way) == (pytest.approx(47), "jackknife by items")


@pytest.mark.parametrize(
    ("scale", "written_out", "whole", "without"),
    [
        (PLAIN, by_hand.PLAIN, -0.5, [-0.2, -0.9, -0.4, -0.6, -0.5]),
        (CORRELATION, by_hand.CORRELATION, 0.9, [0.7, 0.95, 0.97, 0.9, 0.85]),
        (ALPHA, by_hand.ALPHA, 0.6, [0.6, 0.5, 0.65, 0.55, 0.62]),
        (intraclass_scale(3.5), single_ratings(3.5), 0.3, [0.4, -0.1, 0.35, 0.3, 0.5]),
        (SHARE, by_hand.SHARE, 0.95, [0.9, 0.97, 0.96, 0.99, 0.8]),
        (POSITIVE, by_hand.POSITIVE, 0.2, [0.1, 0.3, 0.25, 0.15, 0.2]),
    ],
)
def test_the_interval_is_made_on_the_scale_and_its_ends_are_taken_back(scale, written_out, whole, without):
    found = error_of(scenes(5), coming_to(whole, without), scale)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        jackknifed(whole, without, written_out), abs=1e-12
    )
    there, _ = written_out
    assert found.value == pytest.approx(there(whole), abs=1e-12)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(there(whole)) / found.se, 4), abs=1e-12)


@pytest.mark.parametrize(
    ("scale", "least", "most"),
    [(CORRELATION, -1, 1), (SHARE, 0, 1), (ALPHA, -1, 1), (intraclass_scale(3), -1 / 2, 1), (POSITIVE, 0, np.inf)],
)
def test_an_interval_stays_within_the_range_of_its_figure(scale, least, most):
    interval = error_of(scenes(5), coming_to(0.5, [0.01, 0.99, 0.02, 0.98, 0.5]), scale).interval
    assert least <= interval.low < 0.5 < interval.high <= most


def test_the_interval_of_a_reliability_ends_at_minus_1() -> None:
    without = [0.6, -1.5, 0.4, 0.2, 0.5]
    low, high = jackknifed(0.3, without, by_hand.ALPHA)
    assert low < -1
    interval = error_of(scenes(5), coming_to(0.3, without), ALPHA).interval
    assert (interval.low, interval.high) == (-1, pytest.approx(high, abs=1e-12))


def test_the_scale_of_two_ratings_of_an_item_is_twice_that_of_r():
    r = np.array([-0.9, -0.2, 0, 0.4, 0.95])
    assert intraclass_scale(2).there(r) == pytest.approx(2 * np.arctanh(r), abs=1e-12)
    assert intraclass_scale(4).back(intraclass_scale(4).there(r[1:])) == pytest.approx(r[1:], abs=1e-12)


def test_where_models_are_drawn_too_both_variances_add_up_with_satterthwaite_s_degrees_of_freedom():
    def correlation(which: "pd.Series[bool]") -> float:
        return float(np.arctanh(np.corrcoef(X[which], Y[which])[0, 1]))

    parts = []
    for name in ("scene", "model"):
        there = sorted(set(PLACES[name]))
        values = np.array([correlation(PLACES[name] != each) for each in there])
        parts.append(((len(there) - 1) / len(there) * ((values - values.mean()) ** 2).sum(), len(there) - 1))
    variance = sum(part for part, _ in parts)
    df = variance**2 / sum(part**2 / freedom for part, freedom in parts)
    found = error_of(PLACES, pearson_figures(X, Y), CORRELATION, "scenes and models")
    assert (found.se, found.df) == pytest.approx((variance**0.5, df), abs=1e-9)
    assert 5 < found.df < 12
    z, half = np.arctanh(np.corrcoef(X, Y)[0, 1]), stats.t.ppf(0.975, df) * variance**0.5
    assert (found.interval.low, found.interval.high) == pytest.approx(np.tanh([z - half, z + half]), abs=1e-9)
    assert found.interval.way == "jackknife by scenes and by models"


def test_models_that_are_not_drawn_may_be_few():
    one = PLACES.assign(model="m")
    assert error_of(one, mean_of(X)).interval == error_of(PLACES, mean_of(X)).interval


@pytest.mark.parametrize(
    ("places", "drawn", "reason"),
    [
        (PLACES[PLACES["scene"] < "e"], "scenes", "an interval needs at least 5 scenes"),
        (PLACES[PLACES["scene"] < "e"], "scenes and models", "an interval needs at least 5 scenes"),
        (PLACES[PLACES["model"] < "y"], "scenes and models", "an interval needs at least 8 models"),
        (PLACES[:4], "independent items", "an interval needs at least 5 items"),
    ],
)
def test_of_too_few_there_is_no_interval(places, drawn, reason):
    assert reason_of(places, mean_of(X[: len(places)]), drawn=drawn).startswith(reason)
    with pytest.raises(UndefinedStatistic, match=reason):
        jackknife(places, mean_of(X[: len(places)]), drawn)


def test_how_many_there_are_is_told():
    few = PLACES[PLACES["scene"] < "e"]
    assert reason_of(few, mean_of(X[: len(few)])).endswith("at least 5 scenes; found 4")
    one = PLACES.assign(model="m")
    assert reason_of(one, mean_of(X), drawn="scenes and models").endswith("at least 8 models; found 1")
    assert reason_of(PLACES[:1], mean_of(X[:1]), drawn="independent items").endswith("at least 5 items; found 1")


@pytest.mark.parametrize(
    ("scale", "value", "told"),
    [(CORRELATION, 1.0, "1"), (CORRELATION, -1.0, "-1"), (ALPHA, 1.0, "1"), (SHARE, 1.0, "1"), (SHARE, 0.0, "0")],
)
def test_a_value_at_the_end_of_its_range_has_no_interval(scale, value, told):
    assert (
        reason_of(scenes(5), coming_to(value, [0.5, 0.6, 0.7, 0.6, 0.5]), scale)
        == f"{told} is at or beyond the end of its range"
    )


@pytest.mark.parametrize(("scale", "value"), [(PLAIN, np.nan), (CORRELATION, np.nan), (CORRELATION, 1.0)])
def test_what_is_undefined_or_at_the_end_of_its_range_without_one_scene_has_no_interval(scale, value):
    assert reason_of(scenes(5), coming_to(0.5, [0.5, 0.6, value, 0.6, 0.5]), scale) == (ENDS_WITHOUT_ONE)


def test_what_has_no_value_has_no_interval():
    assert reason_of(scenes(5), coming_to(np.nan, [0.5] * 5)) == "the statistic cannot be computed for these items"


@pytest.mark.parametrize("scale", [PLAIN, CORRELATION, ALPHA, SHARE, POSITIVE])
def test_what_never_moves_has_neither_interval_nor_p(scale):
    still = coming_to(0.5, [0.5 + 1e-13, *[0.5] * 11])
    assert reason_of(scenes(12), still, scale) == HARDLY_CHANGES
    with pytest.raises(UndefinedStatistic, match=HARDLY_CHANGES):
        _ = error_of(scenes(12), still, scale).p


def test_a_figure_of_0_is_no_evidence_against_0():
    assert error_of(scenes(5), coming_to(0, [0.1, -0.1, 0.2, -0.2, 0])).p == 1


@pytest.mark.parametrize("drawn", ["scenes", "scenes and models", "independent items"])
def test_the_order_of_the_items_and_the_size_of_the_blocks_change_nothing(drawn, monkeypatch):
    order = np.random.default_rng(6).permutation(48)

    def interval(at: np.ndarray) -> tuple[float, float]:
        [made] = intervals(PLACES.iloc[at], pearson_figures(X[at], Y[at]), drawn, [CORRELATION])
        return made.low, made.high

    whole = interval(np.arange(48))
    assert interval(order) == pytest.approx(whole, abs=1e-12)
    monkeypatch.setattr(of_product, "_BLOCK", 100)  # two at once
    assert interval(np.arange(48)) == pytest.approx(whole, abs=1e-12)
    monkeypatch.setattr(of_product, "_BLOCK", 1)
    assert interval(np.arange(48)) == pytest.approx(whole, abs=1e-12)


def test_the_names_of_scenes_change_nothing():
    names = dict(zip("abcdef", [30, 4, 100, 2, 11, 7], strict=True))
    [named], [numbered] = (
        errors(places, mean_of(X), "scenes", [PLAIN])
        for places in (PLACES, PLACES.assign(scene=PLACES["scene"].map(names)))
    )
    assert isinstance(named, Error)
    assert isinstance(numbered, Error)
    assert (numbered.value, numbered.se) == pytest.approx((named.value, named.se), abs=1e-12)


def test_below_the_lowest_an_interval_that_goes_beyond_0_says_nothing() -> None:
    value = -math.log1p(1.4)  # a reliability of -1.4
    assert Error(value, 0.05, 5, ALPHA, "").interval.high < 0
    with pytest.raises(UndefinedStatistic, match="a value below -1 only shows that there is no reliability"):
        _ = Error(value, 0.5, 5, ALPHA, "").interval


def test_p_against_a_value_is_that_of_students_t_on_the_scale_of_the_figure() -> None:
    error = Error(math.atanh(0.6), 0.2, 9, CORRELATION, "")
    t = (math.atanh(0.6) - math.atanh(0.3)) / 0.2
    assert error.p_against(0.3) == pytest.approx(2 * stats.t.sf(t, 9))
    assert error.p_against(0.0) == error.p
    assert error.p_against(0.6) == pytest.approx(1)
    edge = error.interval.low
    assert error.p_against(edge) == pytest.approx(0.05), "the interval ends where p is .05"
    with pytest.raises(UndefinedStatistic, match="1 is at or beyond the end of its range"):
        error.p_against(1.0)
