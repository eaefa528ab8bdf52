"""Means and correlations over clusters: worked by hand, against textbook formulas, and how often intervals hold."""

import numpy as np
import pytest
from scipy import stats

from annotations.errors import UndefinedStatistic
from annotations.resampling.estimates import mean_difference, pearson


def test_a_mean_difference_worked_by_hand() -> None:
    # Items 0, 1, 2 with differences (1, 1), (0, 0), (2, 2): mean 1, sums of deviations 0, -2, 2.
    # se = sqrt(3 / 2 * (0 + 4 + 4)) / 6 = sqrt(12) / 6; t with 2 degrees of freedom has its 97.5 % point at 4.302653.
    given = mean_difference(np.array([1.0, 1, 0, 0, 2, 2]), np.array([0, 0, 1, 1, 2, 2]))
    assert (given.estimate, given.n, given.items) == (1.0, 6, 3)
    assert given.se == pytest.approx(12**0.5 / 6, abs=1e-12)
    assert given.interval.high - given.estimate == pytest.approx(4.302653 * 12**0.5 / 6, abs=1e-6)
    assert given.estimate - given.interval.low == pytest.approx(given.interval.high - given.estimate, abs=1e-12)


def test_with_one_difference_per_item_it_is_the_usual_standard_error() -> None:
    differences = np.array([0.5, -1, 2, 0, 1.5])
    given = mean_difference(differences, np.arange(5))
    assert given.se == pytest.approx(stats.sem(differences), abs=1e-12)
    low, high = stats.t.interval(0.95, 4, differences.mean(), stats.sem(differences))
    assert (given.interval.low, given.interval.high) == pytest.approx((low, high), abs=1e-9)


def test_differences_that_are_all_the_same_leave_a_point() -> None:
    given = mean_difference(np.ones(4), np.arange(4))
    assert (given.estimate, given.se, given.interval.low, given.interval.high) == (1, 0, 1, 1)


def test_copies_of_a_score_within_an_item_are_no_evidence() -> None:
    x, y = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 4, 3, 5])
    once = pearson(x, y, np.arange(5))
    thrice = pearson(np.repeat(x, 3), np.repeat(y, 3), np.repeat(np.arange(5), 3))
    assert (thrice.estimate, thrice.interval.low, thrice.interval.high) == pytest.approx(
        (once.estimate, once.interval.low, once.interval.high), abs=1e-12
    )
    assert (once.n, thrice.n, thrice.items) == (5, 15, 5)
    assert once.estimate == pytest.approx(0.8, abs=1e-12)  # deviations -2 -1 0 1 2 and -1 -2 1 0 2: 8 / 10


def test_over_many_independent_pairs_the_interval_is_fisher_s() -> None:
    random = np.random.default_rng(4)
    x, y = random.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 20_000).T
    given = pearson(x, y, np.arange(20_000))
    half = 1.96 / (20_000 - 3) ** 0.5
    assert given.interval.low == pytest.approx(np.tanh(np.arctanh(given.estimate) - half), abs=1e-3)
    assert given.interval.high == pytest.approx(np.tanh(np.arctanh(given.estimate) + half), abs=1e-3)


def test_intervals_hold_the_truth_about_as_often_as_they_say_although_scores_of_an_item_depend_on_each_other() -> None:
    # An item's own part correlates by .6, the rest by .2, in equal shares: .4 altogether, and no mean difference.
    random = np.random.default_rng(0)
    items, metrics, held = 30, 7, np.zeros(2)
    item = np.repeat(np.arange(items), metrics)
    for _ in range(300):
        own = random.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], items).repeat(metrics, axis=0)
        x, y = (own + random.multivariate_normal([0, 0], [[1, 0.2], [0.2, 1]], items * metrics)).T
        r, difference = pearson(x, y, item), mean_difference(x - y, item)
        held += [r.interval.low <= 0.4 <= r.interval.high, difference.interval.low <= 0 <= difference.interval.high]
    assert (held / 300 > 0.9).all()


def test_perfect_agreement_has_an_interval_of_its_own() -> None:
    x = np.array([1.0, 2, 4])
    assert pearson(x, x + 1, np.arange(3)).interval.low == pytest.approx(1)
    assert pearson(x, -x, np.arange(3)).interval.high == pytest.approx(-1)


@pytest.mark.parametrize(
    ("second", "item", "reason"),
    [
        ([1, 2, 3], [0, 0, 1], "at least 3 items; there are 2"),
        ([2, 2, 2], [0, 1, 2], "all 3 on one side are 2"),
    ],
)
def test_what_has_no_correlation(second: list[float], item: list[int], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        pearson(np.array([1.0, 2, 3]), np.array(second, dtype=float), np.array(item))


@pytest.mark.parametrize("items", [0, 1, 2])
def test_two_items_are_too_few_for_a_mean(items: int) -> None:
    with pytest.raises(UndefinedStatistic, match=f"there are {items}"):
        mean_difference(np.zeros(items), np.arange(items))
