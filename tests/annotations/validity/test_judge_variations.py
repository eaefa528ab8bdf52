"""Variations of a judge: figures by hand and by slow computations, halo where it was made, what is undefined."""

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined, UndefinedStatistic
from annotations.reliability.intraclass import IntraclassCorrelation
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.validity.judge_variations import changes, halo_contrast, steadiness, table_of
from annotations.validity.repeats import repeats_of
from tests.annotations.jackknifed import CORRELATION, HARDLY_CHANGES, PLAIN, POSITIVE, SHARE, jackknifed
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
    assert isinstance(overall.difference.interval, Undefined)
    assert in_english(overall.difference.interval.reason).startswith("an interval needs at least 5 scenes")


def test_the_icc_tells_a_shift_of_all_scores_which_r_does_not():
    before = table([(one, one, one) for one in (1, 2, 3, 4)])
    found = changes(before, before + 1, places(4))["KA"]
    assert found.pearson.estimate == pytest.approx(1)
    assert found.icc.estimate == pytest.approx(10 / 3 / (10 / 3 + 1)), "MSR 10/3, MSC 2, MSE 0: MSR / (MSR + 2 MSC / n)"
    assert (found.exact.estimate, found.difference.estimate) == (0, 1)


def scored_twice():
    """Scores of 60 items in 12 scenes, and those of a variation that shifts some scenes by a point."""
    chance = np.random.default_rng(3)
    before = table(chance.integers(1, 6, (60, 3)))
    scene = np.repeat(np.arange(12), 5)
    moved = chance.integers(-1, 2, (60, 3)) * chance.integers(0, 2, (60, 3)) + (scene % 3 == 0)[:, None]
    where = pd.DataFrame({"scene": [f"s{at:02}" for at in scene], "model": "m"}, index=before.index)
    return before, before + moved, where


def holds(estimate, without, scale):
    assert isinstance(estimate.interval, Interval)
    ends = estimate.interval.low, estimate.interval.high
    assert ends == pytest.approx(jackknifed(estimate.estimate, without, scale), abs=1e-9)
    assert estimate.interval.way == "jackknife by scenes"


def test_intervals_of_changes_are_those_of_leaving_out_each_scene():
    before, after, where = scored_twice()
    found = changes(before, after, where)["overall"]
    rows = []
    for scene in sorted(set(where["scene"])):
        first, second = (side[where["scene"] != scene].to_numpy() for side in (before, after))
        moved = second - first
        r = np.corrcoef(first.mean(axis=1), second.mean(axis=1))[0, 1]
        rows.append((moved.mean(), (moved == 0).mean(), np.abs(moved).mean(), r))
    figures, scales = (found.difference, found.exact, found.apart, found.pearson), (PLAIN, SHARE, POSITIVE, CORRELATION)
    for estimate, without, scale in zip(figures, np.array(rows).T, scales, strict=True):
        holds(estimate, without, scale)


def test_intervals_of_steadiness_are_those_of_leaving_out_each_scene():
    before, after, where = scored_twice()
    found = steadiness([before, after], where)["overall"]
    rows = []
    for scene in sorted(set(where["scene"])):
        times = np.stack([side[where["scene"] != scene].to_numpy() for side in (before, after)])
        rows.append((times.mean(axis=2).var(axis=0, ddof=1).mean() ** 0.5, (times[0] == times[1]).mean()))
    for estimate, without, scale in zip((found.sd, found.identical), np.array(rows).T, (POSITIVE, SHARE), strict=True):
        holds(estimate, without, scale)


def test_of_fewer_than_40_items_what_goes_up_by_steps_has_no_interval():
    before, after, where = scored_twice()
    few = Undefined("this interval needs at least 40 cases; found 39")
    for n in (39, 40):
        kept = before.index[np.arange(60) % 12 * 5 + np.arange(60) // 12][:n]  # of all scenes
        change = changes(before.loc[kept], after.loc[kept], where)["overall"]
        steady = steadiness([before.loc[kept], after.loc[kept]], where)["overall"]
        stepwise = [one.interval for one in (change.exact, steady.sd, steady.identical)]
        assert in_english(stepwise) == [few] * 3 if n == 39 else all(isinstance(one, Interval) for one in stepwise)
        for one in (change.difference, change.apart, change.pearson):
            assert isinstance(one.interval, Interval)


def test_what_agrees_always_or_never_has_no_interval():
    before, where = table(BEFORE * 3), places(12)
    same, apart = (changes(before, after, where)["overall"] for after in (before, before + 1))
    assert in_english(same.exact.interval) == Undefined("1 is at or beyond the end of its range")
    assert in_english(same.apart.interval) == Undefined("0 is at or beyond the end of its range")
    assert in_english(apart.exact.interval) == Undefined("0 is at or beyond the end of its range")
    unmoved = Undefined(HARDLY_CHANGES)
    assert in_english(same.difference.interval) == in_english(apart.difference.interval) == unmoved
    steady = steadiness([before, before], where)["overall"]
    assert in_english(steady.sd.interval) == Undefined("0 is at or beyond the end of its range")
    assert in_english(steady.identical.interval) == Undefined("1 is at or beyond the end of its range")


def test_what_a_side_lacks_is_left_out_and_told():
    before, after = table(BEFORE), table(AFTER)
    after.loc["i001", "BA"] = np.nan
    found = changes(before, after, places(4))
    assert (found["BA"].n, found["BA"].left_out) == (3, 1)
    assert (found["KA"].n, found["KA"].left_out) == (4, 0)
    assert (found["overall"].n, found["overall"].left_out) == (3, 1)
    nothing = changes(before, after * np.nan, places(4))
    assert (
        in_english(nothing["KA"]) == in_english(nothing["overall"]) == Undefined("no item has a score in every repeat")
    )


def test_where_a_side_does_not_vary_there_is_no_correlation():
    found = changes(table([(3, 3, 3)] * 4), table(AFTER), places(4))["KA"]
    assert in_english(found.pearson) == Undefined("all 4 scores on one side are the same")
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
    assert in_english(found.verdict).startswith("Halo effect: the mean correlation between metrics is 0.")
    alike = halo_contrast(colored(0.4), colored(0.4, seed=9), where)
    assert not alike.correlation.positive
    assert in_english(alike.verdict).startswith("No evidence of halo: ")


def test_intervals_of_halo_are_those_of_leaving_out_each_scene():
    one, each, where = colored(0.7), colored(0.2, seed=5), places(120, scenes=10)
    found = halo_contrast(one, each, where)
    rows = []
    for scene in sorted(set(where["scene"])):
        sides = [side[where["scene"] != scene].to_numpy() for side in (one, each)]
        rs = [np.corrcoef(side, rowvar=False)[np.triu_indices(5, 1)].mean() for side in sides]
        alphas = [5 / 4 * (1 - side.var(axis=0, ddof=1).sum() / side.sum(axis=1).var(ddof=1)) for side in sides]
        rows.append((rs[0] - rs[1], alphas[0] - alphas[1]))
    for contrast, without in zip((found.correlation, found.alpha), np.array(rows).T, strict=True):
        assert isinstance(contrast.interval, Interval)
        ends = contrast.interval.low, contrast.interval.high
        assert ends == pytest.approx(jackknifed(contrast.difference, without), abs=1e-9)


def test_what_does_not_vary_tells_nothing_of_halo():
    one, each = colored(0.5, items=20), colored(0.5, items=20, seed=4)
    one["m3"] = 3.0
    found = halo_contrast(one, each, places(20))
    assert (found.metrics, found.constant) == (("m0", "m1", "m2", "m4"), ("m3",))
    for wrong, reason in (
        ((one[:9], each[:9]), "at least 10 items scored on every metric in both ways; found 9"),
        ((one * 0, each), "fewer than two metrics vary"),
    ):
        with pytest.raises(UndefinedStatistic, match=reason):
            halo_contrast(*wrong, places(20))


def test_a_table_of_ratings_becomes_one_of_items_and_metrics():
    frame = pd.DataFrame({"item": ["a", "a", "b"], "metric": ["KA", "BA", "KA"], "score": [1, None, 5]})
    found = table_of(frame, METRICS)
    assert found.loc["b", "KA"] == 5
    assert found.isna().sum().sum() == 4


def test_the_order_of_the_items_changes_nothing():
    before, after, where = scored_twice()
    order = np.random.default_rng(1).permutation(60)
    first, again = changes(before, after, where), changes(before.iloc[order], after.iloc[order[::-1]], where)
    assert isinstance(first["overall"].difference, Estimate)
    assert first == again


def test_the_mean_of_repeats_is_as_reliable_as_the_correlation_of_two_such_means_tells():
    chance = np.random.default_rng(5)
    truth, size = chance.normal(0, 1, 40_000), 3
    scores = truth[:, None] + chance.normal(0, 1.5, (len(truth), 2 * size))
    experts = truth + chance.normal(0, 0.5, len(truth))
    once = IntraclassCorrelation(1 / (1 + 1.5**2), Interval(0.2, 0.4, "given"), 40, "ICC(1,1)", "KA", 2, (), None)
    [mean] = [one for one in repeats_of(once).means if one.times == size]
    first, second = scores[:, :size].mean(axis=1), scores[:, size:].mean(axis=1)
    assert mean.estimate == pytest.approx(np.corrcoef(first, second)[0, 1], abs=0.02)
    gain = np.corrcoef(first, experts)[0, 1] / np.corrcoef(scores[:, 0], experts)[0, 1] - 1
    assert mean.gain == pytest.approx(gain, abs=0.02)
    assert mean.interval == Interval(pytest.approx(3 * 0.2 / 1.4), pytest.approx(3 * 0.4 / 1.8), "given")


@pytest.mark.parametrize("r", [0.01, 0.2, 0.5, 0.8, 0.97, 0.99, 1.0])
def test_repeats_are_worth_their_price_until_one_more_hardly_raises_r(r):
    found = repeats_of(IntraclassCorrelation(r, Undefined("none"), 40, "ICC(1,1)", "KA", 2, (), None))

    def reliability(times):
        return times * r / (1 + (times - 1) * r)

    gains = (np.sqrt(reliability(times + 1) / reliability(times)) - 1 for times in range(1, 1000))
    assert found.worth == next(times for times, gain in enumerate(gains, 1) if gain <= 0.01)
    assert [one.estimate for one in found.means] == pytest.approx([reliability(one.times) for one in found.means])


def test_repeats_of_a_judge_that_scores_by_chance_are_worth_nothing():
    none = IntraclassCorrelation(-0.1, Undefined("none"), 40, "ICC(1,1)", "KA", 2, (), None)
    assert in_english(repeats_of(none)) == Undefined(
        "scores of the same item differ as much as scores of different items"
    )


def test_a_judge_that_wavers_in_one_scene_alone_has_no_interval():
    first = table(np.random.default_rng(2).integers(1, 6, (40, 3)))
    second = first.copy()
    second.iloc[0, 0] = 6 - second.iloc[0, 0] + (second.iloc[0, 0] == 3)
    found = steadiness([first, first, second], places(40, 10))["overall"]
    assert found.sd.estimate > 0
    assert isinstance(found.sd.interval, Undefined), (
        "without that scene the deviation is 0, or what means are rounded by"
    )
