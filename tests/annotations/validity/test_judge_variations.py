"""Variations of a judge: figures by hand and by slow computations, halo where it was made, what is undefined."""

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Drawing, Interval
from annotations.validity.judge_variations import changes, halo_contrast, steadiness, table_of
from tests.fakes.in_english import in_english

METRICS = ("KA", "BA", "EE")


def table(rows, metrics=METRICS):
    return pd.DataFrame(rows, index=[f"i{at:03}" for at in range(len(rows))], columns=list(metrics), dtype=float)


def places(items, scenes=None):
    scene = [f"s{at % (scenes or items)}" for at in range(items)]
    return pd.DataFrame({"scene": scene, "model": "m"}, index=[f"i{at:03}" for at in range(items)])


BEFORE = [(1, 2, 3), (4, 4, 1), (5, 3, 3), (2, 2, 2)]
AFTER = [(2, 2, 3), (4, 5, 1), (5, 3, 5), (3, 1, 2)]


def test_a_change_by_hand():
    found = changes(table(BEFORE), table(AFTER), places(4))
    assert list(found) == [*METRICS, "overall"]
    ka = found["KA"]
    assert ka.difference.estimate == pytest.approx((1 + 0 + 0 + 1) / 4)
    assert ka.exact.estimate == pytest.approx(2 / 4)
    assert ka.apart.estimate == pytest.approx(2 / 4)
    assert ka.pearson.estimate == pytest.approx(np.corrcoef([1, 4, 5, 2], [2, 4, 5, 3])[0, 1])
    overall = found["overall"]
    assert overall.difference.estimate == pytest.approx((1 + 1 + 2 + 0) / 12)
    assert overall.exact.estimate == pytest.approx(7 / 12)
    assert overall.apart.estimate == pytest.approx((1 + 1 + 2 + 2) / 12)
    assert (overall.n, overall.left_out) == (4, 0)
    assert in_english(overall.difference.interval) == Undefined("too few to resample: 4 scenes, of 5 that are needed")


def test_the_icc_tells_a_shift_of_all_scores_which_r_does_not():
    before = table([(one, one, one) for one in (1, 2, 3, 4)])
    found = changes(before, before + 1, places(4))["KA"]
    assert found.pearson.estimate == pytest.approx(1)
    assert found.icc.estimate == pytest.approx(10 / 3 / (10 / 3 + 1)), "MSR 10/3, MSC 2, MSE 0: MSR / (MSR + 2 MSC / n)"
    assert (found.exact.estimate, found.difference.estimate) == (0, 1)


def test_intervals_come_from_drawing_scenes():
    chance = np.random.default_rng(3)
    before = table(chance.integers(1, 6, (60, 3)))
    scene = np.repeat(chance.normal(0.5, 1, 12), 5)
    after = before + scene[:, None]
    where = pd.DataFrame({"scene": np.repeat([f"s{at:02}" for at in range(12)], 5), "model": "m"}, index=before.index)
    found = changes(before, after, where, Drawing(draws=2000, seed=1))["overall"].difference
    assert isinstance(found.interval, Interval)
    assert found.interval.way == "one-way cluster bootstrap by scenes"
    means = scene[::5]
    half = 1.96 * means.std(ddof=1) / 12**0.5
    assert (found.interval.high - found.interval.low) / 2 == pytest.approx(half, rel=0.2), "not that of 60 items"


def test_what_a_side_lacks_is_left_out_and_told():
    before, after = table(BEFORE), table(AFTER)
    after.loc["i001", "BA"] = np.nan
    found = changes(before, after, places(4))
    assert (found["BA"].n, found["BA"].left_out) == (3, 1)
    assert (found["KA"].n, found["KA"].left_out) == (4, 0)
    assert (found["overall"].n, found["overall"].left_out) == (3, 1)
    nothing = changes(before, after * np.nan, places(4))
    assert in_english(nothing["KA"]) == in_english(nothing["overall"]) == Undefined("no item has a score every time")


def test_where_a_side_does_not_vary_there_is_no_correlation():
    found = changes(table([(3, 3, 3)] * 4), table(AFTER), places(4))["KA"]
    assert in_english(found.pearson) == Undefined("on one side all 4 scores are the same")
    assert found.difference.estimate == pytest.approx(0.5)


def test_steadiness_by_hand():
    first, second, third = table(BEFORE), table(AFTER), table(BEFORE)
    found = steadiness([first, second, third], places(4))
    ka = found["KA"]
    variances = [np.var(row, ddof=1) for row in ((1, 2, 1), (4, 4, 4), (5, 5, 5), (2, 3, 2))]
    assert ka.sd.estimate == pytest.approx(np.mean(variances) ** 0.5)
    assert ka.identical.estimate == pytest.approx(2 / 4)
    assert (ka.times, ka.n) == (3, 4)
    within, means = np.mean(variances), [np.mean(row) for row in ((1, 2, 1), (4, 4, 4), (5, 5, 5), (2, 3, 2))]
    between = 3 * np.var(means, ddof=1)
    assert ka.icc.estimate == pytest.approx((between - within) / (between + 2 * within))
    assert found["overall"].identical.estimate == pytest.approx(7 / 12)


def test_a_judge_that_never_wavers_is_perfectly_steady():
    found = steadiness([table(BEFORE)] * 2, places(4))["overall"]
    assert (found.sd.estimate, found.identical.estimate) == (0, 1)
    assert found.icc.estimate == pytest.approx(1)
    assert in_english(steadiness([table(BEFORE)], places(4))["KA"]) == Undefined("the items were judged only once")


def colored(halo, items=120, metrics=5, seed=2):
    """Scores of metrics that share an impression to this extent, and else have nothing in common."""
    chance = np.random.default_rng(seed)
    impression = chance.normal(size=(items, 1))
    scores = halo**0.5 * impression + (1 - halo) ** 0.5 * chance.normal(size=(items, metrics))
    return table(scores, [f"m{at}" for at in range(metrics)])


def test_halo_is_found_where_it_was_made_and_not_where_it_was_not():
    one, each, where = colored(0.7), colored(0.2, seed=5), places(120, scenes=30)
    found = halo_contrast(one, each, where)
    slow = [np.corrcoef(side.to_numpy(), rowvar=False)[np.triu_indices(5, 1)].mean() for side in (one, each)]
    assert (found.correlation.first, found.correlation.second) == (pytest.approx(slow[0]), pytest.approx(slow[1]))
    assert found.correlation.difference == pytest.approx(slow[0] - slow[1])
    sides = [side.to_numpy() for side in (one, each)]
    alphas = [5 / 4 * (1 - side.var(axis=0, ddof=1).sum() / side.sum(axis=1).var(ddof=1)) for side in sides]
    assert (found.alpha.first, found.alpha.second) == (pytest.approx(alphas[0]), pytest.approx(alphas[1]))
    assert found.correlation.positive
    assert found.alpha.positive
    assert in_english(found.verdict).startswith("Halo: the metrics correlate 0.")
    alike = halo_contrast(colored(0.4), colored(0.4, seed=9), where)
    assert not alike.correlation.positive
    assert in_english(alike.verdict).startswith("No halo is shown")


def test_what_does_not_vary_tells_nothing_of_halo():
    one, each = colored(0.5, items=20), colored(0.5, items=20, seed=4)
    one["m3"] = 3.0
    found = halo_contrast(one, each, places(20))
    assert (found.metrics, found.constant) == (("m0", "m1", "m2", "m4"), ("m3",))
    for wrong, reason in (
        ((one[:9], each[:9]), "at least 10 items scored on every metric both ways; there are 9"),
        ((one * 0, each), "fewer than two metrics vary"),
    ):
        with pytest.raises(UndefinedStatistic, match=reason):
            halo_contrast(*wrong, places(20))


def test_a_table_of_ratings_becomes_one_of_items_and_metrics():
    frame = pd.DataFrame({"item": ["a", "a", "b"], "metric": ["KA", "BA", "KA"], "score": [1, None, 5]})
    found = table_of(frame, METRICS)
    assert found.loc["b", "KA"] == 5
    assert found.isna().sum().sum() == 4


def test_draws_of_one_seed_are_the_same():
    one, each = colored(0.7), colored(0.2, seed=5)
    first, again = (changes(one, each, places(120, scenes=20)) for _ in range(2))
    assert isinstance(first["overall"].difference, Estimate)
    assert first["overall"].difference == again["overall"].difference
