"""Means and correlations over clusters: worked by hand, against textbook formulas, and how often intervals hold."""

import numpy as np
import pytest
from scipy import stats

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.clustered import (
    ClusteredEstimate,
    clustered_mean,
    clustered_pearson,
    clustered_share,
    error_of_mean,
)
from annotations.resampling.jackknife import Clusters, Interval
from tests.annotations import jackknifed as by_hand
from tests.annotations.jackknifed import ENDS_WITHOUT_ONE, jackknifed
from tests.fakes.in_english import in_english


def limits(found: ClusteredEstimate) -> tuple[float, float]:
    assert isinstance(found.interval, Interval)
    return found.interval.low, found.interval.high


def reason(found: ClusteredEstimate) -> str:
    assert isinstance(found.interval, Undefined)
    return str(in_english(found.interval.reason))


def test_a_mean_worked_by_hand() -> None:
    # Scenes with (1, 1), (0, 0), (2, 2), (1) and (1): mean 1; without each 6/6, 8/6, 4/6, 7/7 and 7/7. The squares of
    # 0, 1/3, -1/3, 0, 0 add up to 2/9, of which 4/5 are 8/45; t with 4 degrees of freedom has its 97.5 % point at
    # 2.776445.
    given = clustered_mean(np.array([1.0, 1, 0, 0, 2, 2, 1, 1]), np.array([0, 0, 1, 1, 2, 2, 3, 4]))
    assert (given.estimate, given.n, given.clusters) == (1.0, 8, 5)
    half = 2.776445 * (8 / 45) ** 0.5
    assert limits(given) == pytest.approx((1 - half, 1 + half), abs=1e-6)


@pytest.mark.parametrize(("clusters", "way"), [("scenes", "jackknife by scenes"), ("items", "jackknife by items")])
def test_with_one_score_per_cluster_it_is_the_usual_interval(clusters: Clusters, way: str) -> None:
    scores = np.array([0.5, -1, 2, 0, 1.5])
    given = clustered_mean(scores, np.arange(5), clusters)
    assert limits(given) == pytest.approx(stats.t.interval(0.95, 4, scores.mean(), stats.sem(scores)), abs=1e-9)
    assert isinstance(given.interval, Interval)
    assert given.interval.way == way


def test_the_error_of_a_mean_is_what_its_interval_is_made_of() -> None:
    scores, scene = np.array([1.0, 3, 2, 2, 5, 4, 1]), np.array([0, 0, 1, 2, 3, 4, 4])
    error = error_of_mean(scores, scene)
    without = np.array([scores[scene != each].mean() for each in range(5)])
    assert error.se == pytest.approx((4 / 5 * ((without - without.mean()) ** 2).sum()) ** 0.5, abs=1e-12)
    assert (error.value, error.df) == pytest.approx((scores.mean(), 4), abs=1e-12)
    assert error.interval == clustered_mean(scores, scene).interval
    with pytest.raises(UndefinedStatistic, match="an interval needs at least 5 scenes"):
        error_of_mean(scores, scene % 4)


def test_scores_that_are_all_the_same_leave_no_interval() -> None:
    given = clustered_mean(np.ones(6), np.arange(6))
    assert (given.estimate, given.n, given.clusters) == (1, 6, 6)
    assert "hardly changes whatever is left out" in reason(given)


def test_copies_of_a_score_within_a_scene_are_no_evidence() -> None:
    x, y = np.array([1.0, 2, 3, 4, 5, 6]), np.array([2.0, 1, 4, 3, 6, 5])
    once, twice, thrice = (
        clustered_pearson(np.repeat(x, times), np.repeat(y, times), np.repeat(np.arange(6), times))
        for times in (1, 2, 3)
    )
    assert isinstance(once.interval, Undefined)  # of six pairs
    assert (thrice.estimate, *limits(thrice)) == pytest.approx((twice.estimate, *limits(twice)), abs=1e-12)
    assert (once.n, thrice.n, once.clusters, thrice.clusters) == (6, 18, 6, 6)
    assert once.estimate == pytest.approx(29 / 35, abs=1e-12)  # products of deviations 14.5, squares 17.5 on both sides
    for of in (x, np.repeat(x, 3)):
        mean = clustered_mean(of, np.repeat(np.arange(6), len(of) // 6))
        assert limits(mean) == pytest.approx(stats.t.interval(0.95, 5, 3.5, stats.sem(x)), abs=1e-9)


def test_r_s_interval_is_that_of_a_plain_loop_which_leaves_out_each_scene() -> None:
    random = np.random.default_rng(2)
    scene = np.array([7, 7, 3, 3, 3, 9, 9, 1, 1, 1, 1, 4, 4, 5])  # of unequal size, and with gaps in their numbers
    x = random.normal(size=14)
    y = x + random.normal(size=14)
    given = clustered_pearson(x, y, scene)
    left = [scene != each for each in (1, 3, 4, 5, 7, 9)]
    without = [float(np.corrcoef(x[those], y[those])[0, 1]) for those in left]
    whole = float(np.corrcoef(x, y)[0, 1])
    assert given.estimate == pytest.approx(whole, abs=1e-12)
    assert limits(given) == pytest.approx(jackknifed(whole, without, by_hand.CORRELATION), abs=1e-9)
    assert given.clusters == 6
    mean = clustered_mean(x, scene)
    expected = jackknifed(float(x.mean()), [float(x[those].mean()) for those in left])
    assert limits(mean) == pytest.approx(expected, abs=1e-12)


def test_over_many_independent_pairs_the_interval_is_fisher_s() -> None:
    random = np.random.default_rng(4)
    pairs = 4000
    x, y = random.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], pairs).T
    given = clustered_pearson(x, y, np.arange(pairs))
    half = 1.96 / (pairs - 3) ** 0.5
    z = np.arctanh(limits(given)) - np.arctanh(given.estimate)
    assert z == pytest.approx([-half, half], rel=0.05)


def test_intervals_hold_the_truth_about_as_often_as_they_say_although_scores_of_a_scene_depend_on_each_other() -> None:
    # A scene's own part correlates by .6, the rest by .2, in equal shares: .4 altogether, and no mean difference.
    random = np.random.default_rng(0)
    scenes, each, held = 30, 7, np.zeros(2)
    scene = np.repeat(np.arange(scenes), each)
    for _ in range(300):
        own = random.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], scenes).repeat(each, axis=0)
        x, y = (own + random.multivariate_normal([0, 0], [[1, 0.2], [0.2, 1]], scenes * each)).T
        of_r, of_mean = limits(clustered_pearson(x, y, scene)), limits(clustered_mean(x - y, scene))
        held += [of_r[0] <= 0.4 <= of_r[1], of_mean[0] <= 0 <= of_mean[1]]
    assert (held / 300 > 0.92).all()


def test_perfect_agreement_has_no_interval() -> None:
    x = np.array([1.0, 2, 4, 7, 11])
    for other, r in ((x + 1, 1), (-x, -1)):
        found = clustered_pearson(x, other, np.arange(5))
        assert found.estimate == pytest.approx(r)
        assert isinstance(found.interval, Undefined)


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ([1, 2], [2, 1], "at least 3 pairs of scores; found 2"),
        ([1, 2, 3], [2, 2, 2], "all 3 scores on one side are 2"),
        ([4, 4, 4], [2, 1, 2], "all 3 scores on one side are 4"),
    ],
)
def test_what_has_no_correlation(first: list[float], second: list[float], told: str) -> None:
    with pytest.raises(UndefinedStatistic, match=told):
        clustered_pearson(np.array(first, dtype=float), np.array(second, dtype=float), np.arange(len(first)))


def test_a_correlation_that_one_scene_alone_makes_has_no_interval() -> None:
    x, scene = np.array([1.0, 1, 1, 1, 1, 5]), np.arange(6)
    found = clustered_pearson(x, np.array([2.0, 3, 2, 3, 2, 4]), scene)
    assert 0 < found.estimate < 1
    assert reason(found) == ENDS_WITHOUT_ONE


def test_of_no_score_there_is_no_mean() -> None:
    with pytest.raises(UndefinedStatistic, match="there are no scores"):
        clustered_mean(np.zeros(0), np.zeros(0, dtype=int))


@pytest.mark.parametrize("there", [1, 2, 4])
def test_few_clusters_leave_the_estimate_without_an_interval(there: int) -> None:
    scores = np.array([1.0, 2, 4, 5, 9, 7, 3, 8])
    cluster = np.arange(8) % there
    mean = clustered_mean(scores, cluster)
    assert (mean.estimate, mean.n, mean.clusters) == (scores.mean(), 8, there)
    assert reason(mean).startswith("an interval needs at least 5 scenes")
    assert reason(clustered_mean(scores, cluster, "items")).startswith("an interval needs at least 5 items")
    r = clustered_pearson(scores, scores**2 - scores * 9, cluster)
    assert r.clusters == there
    assert reason(r).startswith("an interval needs at least 5 scenes")


def test_a_share_worked_by_hand() -> None:
    # Eight scenes of six, of which 5, 4, 5, 3, 6, 4, 5 and 4 are hits: 36 of 48, and without each (36 - h) of 42. The
    # squared error is 7/8 of the sum of squares of their log odds; t with 7 degrees of freedom has its 97.5 % point at
    # 2.364624.
    hits = [5, 4, 5, 3, 6, 4, 5, 4]
    values = np.array([one for hit in hits for one in [1.0] * hit + [0.0] * (6 - hit)])
    given = clustered_share(values, np.repeat(np.arange(8), 6))
    without = np.log(np.array([(36 - hit) / (42 - 36 + hit) for hit in hits]))
    half = 2.364624 * (7 / 8 * ((without - without.mean()) ** 2).sum()) ** 0.5
    ends = 1 / (1 + np.exp(-(np.log(3) + np.array([-half, half]))))
    assert (given.estimate, given.n, given.clusters) == (0.75, 48, 8)
    assert limits(given) == pytest.approx(tuple(ends), abs=1e-6)


def test_a_share_of_few_or_of_all_has_no_interval() -> None:
    scene = np.repeat(np.arange(6), 5)
    assert "at least 40 cases; found 30" in reason(clustered_share(np.arange(30) % 2.0, scene))
    assert "1 is at or beyond the end" in reason(clustered_share(np.ones(60), np.repeat(np.arange(6), 10)))
    with pytest.raises(UndefinedStatistic, match="nothing to count"):
        clustered_share(np.array([]), np.array([], dtype=int))
