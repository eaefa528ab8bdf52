"""Differences of models: worked by hand, against statsmodels' least squares and Tukey's range, and what they refuse."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import studentized_range

from annotations.errors import UndefinedStatistic
from annotations.leaderboard.differences import WAY, Differences, model_differences
from tests.fakes.examples import examples

METRIC = ["KA"]
E = 0.2
RESIDUALS = np.array([[E, -E, 0], [-E, E, 0], [0, E, -E], [0, -E, E], [0, 0, 0]])
"""Of five scenes and three models; the sums of rows and columns are 0, that of the squares is 8 E², on 8 df: the mean
square is E², and half of an interval is the studentized range, 4.041, times E / √5: .3614."""


def table(grid: np.ndarray, models: str = "abcdefgh") -> pd.DataFrame:
    """One item for each cell that has a score; rows are scenes, columns models."""
    scene, model = np.nonzero(~np.isnan(grid))
    return pd.DataFrame(
        {"scene": [f"s{at:02}" for at in scene], "model": [models[at] for at in model], "KA": grid[scene, model]}
    )


def by_hand(a: float, b: float, c: float) -> Differences:
    """Models of these effects, in scenes of which each is a point harder than the one before it."""
    return model_differences(table(np.array([a, b, c]) + RESIDUALS - np.arange(5)[:, None]), METRIC)


def random_grid(seed: int, missing: float = 0.0) -> np.ndarray:
    random = np.random.default_rng(seed)
    scenes, models = int(random.integers(6, 12)), int(random.integers(2, 5))
    grid = random.normal(3, 1, (scenes, 1)) + random.normal(0, 0.5, models) + random.normal(0, 0.7, (scenes, models))
    return np.where(random.random(grid.shape) < missing, np.nan, grid)


def test_models_worked_by_hand() -> None:
    found = by_hand(4, 3.8, 1)
    assert (found.models, found.scenes, found.df) == (("a", "b", "c"), 5, 8)
    near, far, last = found.pairs
    assert [(one.better, one.other) for one in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [one.difference for one in found.pairs] == pytest.approx([0.2, 3, 2.8], abs=1e-12)
    half = 4.041 * E / 5**0.5  # from a printed table of the studentized range
    for one in found.pairs:
        ends = one.difference - half, one.difference + half
        assert (one.interval.low, one.interval.high) == pytest.approx(ends, abs=2e-4)
        assert one.interval.way == WAY
    assert near.studentized == pytest.approx(0.2 / (E / 5**0.5), abs=1e-9)
    assert [one.told_apart for one in found.pairs] == [False, True, True]
    assert near.p > 0.05 > 1e-4 > far.p
    assert last.p < 1e-4
    assert [found.behind(model) for model in "abc"] == [("c",), ("c",), ()]
    assert [found.beside(model) for model in "abc"] == [("b",), ("a",), ()]
    assert found.ranks == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}


def test_a_model_may_be_beside_two_that_are_told_apart() -> None:
    found = by_hand(3.4, 3.7, 4)
    assert found.models == ("c", "b", "a")
    assert [one.told_apart for one in found.pairs] == [False, True, False]
    assert (found.behind("c"), found.behind("b"), found.behind("a")) == (("a",), (), ())
    assert (found.beside("c"), found.beside("b"), found.beside("a")) == (("b",), ("c", "a"), ("b",))
    assert found.ranks == {"c": (1, 2), "b": (1, 3), "a": (2, 3)}


def test_of_equal_models_none_is_told_apart() -> None:
    found = by_hand(3, 3, 3)
    assert all(one.p == pytest.approx(1) and not one.told_apart for one in found.pairs)
    assert set(found.ranks.values()) == {(1, 3)}


@pytest.mark.parametrize("seed", range(4))
def test_a_balanced_table_is_a_two_way_analysis_of_variance(seed: int) -> None:
    grid = random_grid(seed)
    fitted = smf.ols("KA ~ C(model) + C(scene)", table(grid)).fit()
    scenes, models = grid.shape
    found = model_differences(table(grid), METRIC)
    assert (found.scenes, found.df) == (scenes, int(fitted.df_resid))
    means, se = dict(zip("abcdefgh", grid.mean(axis=0), strict=False)), np.sqrt(fitted.mse_resid / scenes)
    half = studentized_range.ppf(0.95, models, fitted.df_resid) * se
    assert list(found.models) == sorted(means, key=lambda model: -means[model])
    for one in found.pairs:
        apart = means[one.better] - means[one.other]
        assert one.difference == pytest.approx(apart, abs=1e-9)
        assert (one.interval.low, one.interval.high) == pytest.approx((apart - half, apart + half), abs=1e-6)
        assert one.p == pytest.approx(studentized_range.sf(apart / se, models, fitted.df_resid), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_table_with_gaps_has_the_contrasts_of_least_squares(seed: int) -> None:
    grid = random_grid(seed + 10, missing=0.2)
    grid[np.isnan(grid).sum(axis=1) >= grid.shape[1] - 1] = 3  # no scene of one model, which would count for nothing
    grid[0] = np.arange(grid.shape[1])
    fitted = smf.ols("KA ~ 0 + C(model) + C(scene)", table(grid)).fit()
    found = model_differences(table(grid), METRIC)
    assert found.df == int(fitted.df_resid)
    for one in found.pairs:
        contrast = fitted.t_test(f"C(model)[{one.better}] - C(model)[{one.other}] = 0")
        apart, se = contrast.effect.item(), contrast.sd.item()
        half = studentized_range.ppf(0.95, len(found.models), fitted.df_resid) / 2**0.5 * se
        assert one.difference == pytest.approx(apart, abs=1e-9)
        assert one.studentized == pytest.approx(2**0.5 * apart / se, abs=1e-7)
        assert (one.interval.low, one.interval.high) == pytest.approx((apart - half, apart + half), abs=1e-6)
        expected = studentized_range.sf(2**0.5 * apart / se, len(found.models), fitted.df_resid)
        assert one.p == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
@settings(max_examples=examples(5, 20))
@given(st.integers(0, 10_000))
def test_p_is_below_a_twentieth_where_the_interval_lies_above_0(seed: int) -> None:
    for one in model_differences(table(random_grid(seed)), METRIC).pairs:
        assert one.difference >= 0
        assert one.told_apart == (one.p < 0.05)


@settings(max_examples=examples(3, 10))
@given(st.integers(0, 10_000))
def test_neither_the_order_of_the_items_nor_the_scenes_names_matter(seed: int) -> None:
    grid = random_grid(seed, missing=0.1)
    grid[:5] = np.nan_to_num(grid[:5], nan=3)  # five scenes that all models share
    items = table(grid)
    one = model_differences(items, METRIC)
    other = model_differences(items.sample(frac=1, random_state=seed).assign(scene="x" + items["scene"]), METRIC)
    assert other.models == one.models
    ends = [[(each.difference, each.interval.low, each.interval.high) for each in of.pairs] for of in (one, other)]
    assert np.array(ends[1]) == pytest.approx(np.array(ends[0]), abs=1e-9)


def test_items_of_a_scene_count_with_their_mean_and_metrics_too() -> None:
    grid = np.array([4, 3.8, 1]) + RESIDUALS
    once = table(grid).assign(BA=lambda items: items["KA"] + np.arange(len(items)) % 2)
    twice = pd.concat([once.assign(KA=once["KA"] - 0.3), once.assign(KA=once["KA"] + 0.3)])
    for metrics in (["KA"], ["KA", "BA"]):
        mean = model_differences(once.assign(KA=once[metrics].mean(axis=1)), METRIC)
        found = model_differences(twice, metrics)
        assert found.models == mean.models
        for one, other in zip(found.pairs, mean.pairs, strict=True):
            assert one.interval.low == pytest.approx(other.interval.low, abs=1e-9)
            assert one.interval.high == pytest.approx(other.interval.high, abs=1e-9)


def test_a_scene_s_mean_on_a_metric_is_over_the_items_that_have_it_as_on_the_board() -> None:
    items = table(np.array([4, 3.8, 1]) + RESIDUALS).assign(BA=3.0)
    gap = pd.DataFrame({"scene": ["s00"], "model": ["c"], "KA": [5.0], "BA": [np.nan]})
    here = (items["scene"] == "s00") & (items["model"] == "c")
    both = items.assign(KA=items["KA"].where(~here, (items["KA"] + 5) / 2))
    assert model_differences(pd.concat([items, gap]), ["KA", "BA"]) == model_differences(both, ["KA", "BA"])
    unscored = pd.DataFrame({"scene": "t9", "model": ["a", "b"], "KA": [1.0, 5.0], "BA": np.nan})
    assert model_differences(pd.concat([items, unscored]), ["KA", "BA"]) == model_differences(items, ["KA", "BA"])


def test_a_scene_of_one_model_and_a_model_without_another_beside_it_count_for_nothing() -> None:
    items = table(np.array([4, 3.8, 1]) + RESIDUALS)
    alone = pd.DataFrame({"scene": ["t1", "t2", "t2"], "model": ["a", "d", "d"], "KA": [1.0, 2, 3]})
    found = model_differences(pd.concat([items, alone]), METRIC)
    assert found.left_out == ("d",)
    assert replace(found, left_out=()) == model_differences(items, METRIC)


N = np.nan
APART = np.array([[1, 2, N, N], [2, 1, N, N], [1, 1, N, N], [N, N, 3, 1], [N, N, 2, 3], [N, N, 2, 2]])
CHAIN = np.array([[1, 2, N, N, N, N], [N, 2, 1, N, N, N], [N, N, 3, 1, N, N], [N, N, N, 1, 4, N], [N, N, N, N, 2, 1]])


@pytest.mark.parametrize(
    ("grid", "reason"),
    [
        (np.arange(6.0)[:, None], "two models with scores on all metrics in the same scene"),
        (np.arange(8.0).reshape(4, 2) ** 2, "at least 5 scenes shared by several models; found 4"),
        (
            np.vstack([np.arange(8.0).reshape(4, 2) ** 2, [[3, N]]]),
            "at least 5 scenes shared by several models; found 4",
        ),
        (APART, "some models share no scene with the others, neither directly nor through other models"),
        (CHAIN, "as many model and scene effects as scores, so the error cannot be estimated"),
        (
            np.arange(5.0)[:, None] + [1, 2, 3],
            "differ by the same amounts in all scenes, so the error cannot be estimated",
        ),
    ],
    ids=["one model", "four scenes", "four shared scenes", "apart", "no df", "no error"],
)
def test_what_has_no_differences_has_a_reason(grid: np.ndarray, reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        model_differences(table(grid), METRIC)


def test_models_that_share_scenes_through_others_are_compared() -> None:
    chain = np.vstack([CHAIN, np.add(CHAIN, [0.3, -0.1, 0.2, 0.4, -0.3, 0.1])])
    found = model_differences(table(chain), METRIC)
    assert {(one.better, one.other) for one in found.pairs} == set(combinations(found.models, 2))
    effects = {"a": 0.0}
    for at, (one, other) in enumerate(zip("abcde", "bcdef", strict=True)):
        effects[other] = effects[one] + np.mean([row[at + 1] - row[at] for row in (chain[at], chain[at + 5])])
    for pair in found.pairs:
        assert pair.difference == pytest.approx(effects[pair.better] - effects[pair.other], abs=1e-9)
