"""The six correlations against published values, pingouin and hand; their intervals, their laws, and the refusals."""

import time
import warnings
from random import Random

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.reliability.agreement import rated_items
from annotations.reliability.cronbach_alpha import IncompleteRow
from annotations.reliability.intraclass import F_INTERVAL, NAMES, IntraclassCorrelation, Name, intraclass
from annotations.reliability.item_analysis import resampled_alpha_between
from annotations.resampling.jackknife import Interval
from tests.annotations.jackknifed import ALPHA, ENDS_WITHOUT_ONE, Scale, jackknifed
from tests.annotations.rater_tables import long_table, rated_table
from tests.annotations.reliability.rater_scale import single_ratings
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
PUBLISHED: dict[Name, float] = {
    "ICC(1,1)": 0.17,
    "ICC(A,1)": 0.29,
    "ICC(C,1)": 0.71,
    "ICC(1,k)": 0.44,
    "ICC(A,k)": 0.62,
    "ICC(C,k)": 0.91,
}


def scores_of(seed: int, n: int = 30, k: int = 3) -> np.ndarray:
    """Items x raters: what the items are, how strict the raters are, and chance."""
    random = np.random.default_rng(seed)
    items, raters = random.uniform(0.2, 2, 2)
    return random.normal(3, items, (n, 1)) + random.normal(0, raters, (1, k)) + random.normal(0, 1, (n, k))


def limits(found: IntraclassCorrelation) -> tuple[float, float]:
    assert isinstance(found.interval, Interval)
    return found.interval.low, found.interval.high


def numbers(found: IntraclassCorrelation) -> tuple[float, ...]:
    """The estimate, and its interval where it has one: below -1 only one that lies below 0."""
    assert isinstance(found.interval, Interval) or found.estimate < -1
    return found.estimate, *(limits(found) if isinstance(found.interval, Interval) else ())


def of_pingouin(table: np.ndarray) -> pd.DataFrame:
    """Its six correlations, by name."""
    return pingouin_s(long_table(table, scenes=1))


def pingouin_s(ratings: pd.DataFrame) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pingouin 0.7 drops rows in a way that pandas will give up
        return pingouin.intraclass_corr(ratings, "item", "rater", "score").set_index("Type")


@pytest.mark.parametrize(("name", "published"), PUBLISHED.items())
def test_the_published_values_of_shrout_and_fleiss(name: Name, published: float) -> None:
    found = intraclass(rated_table(SHROUT_FLEISS, scenes=6), name)
    assert found.estimate == pytest.approx(published, abs=0.005)
    assert (found.name, found.metric, found.n, found.raters, found.dropped) == (name, "KA", 6, 4, ())
    assert found.warning is None
    assert in_english(found.interval) == Undefined("an interval needs at least 12 items; found 6")
    twice = intraclass(rated_table(np.vstack([SHROUT_FLEISS, SHROUT_FLEISS]), scenes=6), name)
    assert isinstance(twice.interval, Interval)
    assert twice.interval.way == "jackknife by scenes"


@pytest.mark.parametrize(
    ("name", "by_hand"),
    [
        ("ICC(C,1)", 1),
        ("ICC(C,k)", 1),
        ("ICC(A,1)", 2 / 3),
        ("ICC(A,k)", 4 / 5),
        ("ICC(1,1)", 3 / 5),
        ("ICC(1,k)", 3 / 4),
    ],
)
def test_a_rater_who_is_one_point_stricter_worked_by_hand(name: Name, by_hand: float) -> None:
    # Mean squares: items 2, raters 3/2, error 0, within items 1/2; n = 3, k = 2.
    found = intraclass(rated_table([[1, 2], [2, 3], [3, 4]], scenes=3), name)
    assert found.estimate == pytest.approx(by_hand, abs=1e-12)
    assert isinstance(found.interval, Undefined)
    assert in_english(found.interval.reason).startswith("an interval needs at least 5 scenes")


@pytest.mark.parametrize("seed", range(12))
def test_estimates_and_f_intervals_are_pingouin_s(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pingouin.options, "round.column.CI95", None)
    random = Random(seed)
    table = np.array(SHROUT_FLEISS) if seed == 0 else scores_of(seed, random.randint(3, 30), random.randint(2, 6))
    theirs = of_pingouin(table)
    for name in NAMES:
        found = intraclass(rated_table(table, scenes=1), name, "independent items")
        assert found.estimate == pytest.approx(theirs.loc[name, "ICC"], abs=1e-9)
        assert limits(found) == pytest.approx(tuple(theirs.loc[name, "CI95"]), abs=1e-7)
        assert isinstance(found.interval, Interval)
        assert found.interval.way == F_INTERVAL


def scale_of(name: Name, raters: int) -> Scale:
    """That of the mean of the raters is a reliability, such as Cronbach's alpha: it has no lower limit."""
    return ALPHA if name.endswith("k)") else single_ratings(raters)


@pytest.mark.slow
def test_the_interval_is_that_of_a_plain_loop_that_leaves_out_each_scene() -> None:
    table, scene = scores_of(4), np.arange(30) % 6
    without = [of_pingouin(table[scene != each]) for each in range(6)]
    for name in NAMES:
        found = intraclass(rated_table(table, scenes=6), name)
        expected = jackknifed(found.estimate, [float(each.loc[name, "ICC"]) for each in without], scale_of(name, 3))
        assert limits(found) == pytest.approx(expected, abs=1e-9)
        assert isinstance(found.interval, Interval)
        assert found.interval.way == "jackknife by scenes"


def test_the_consistency_of_the_mean_of_raters_is_cronbach_s_alpha_and_has_its_interval() -> None:
    frame = long_table(scores_of(4), scenes=6)
    found, alpha = intraclass(rated_items(frame), "ICC(C,k)"), resampled_alpha_between(frame, "KA")
    assert isinstance(alpha.interval, Interval)
    assert found.estimate == pytest.approx(alpha.alpha.estimate, abs=1e-12)
    assert limits(found) == pytest.approx((alpha.interval.low, alpha.interval.high), abs=1e-9)


@pytest.mark.parametrize("name", ["ICC(1,k)", "ICC(C,k)"])
def test_a_mean_of_raters_that_is_worth_less_than_nothing_has_an_interval_down_to_minus_1(name: Name) -> None:
    table, scene = alike(0.4), np.arange(30) % 6
    found = intraclass(rated_table(table, scenes=6), name)
    without = [float(of_pingouin(table[scene != each]).loc[name, "ICC"]) for each in range(6)]
    low, high = jackknifed(found.estimate, without, ALPHA)
    assert -1 < found.estimate < 0
    assert low < -1 < high
    assert limits(found) == pytest.approx((-1, high), abs=1e-9)


def alike(items: float) -> np.ndarray:
    """30 items x 3 raters: chance that of itself gives all items the same mean, and how far the items lie apart."""
    chance = np.random.default_rng(1).normal(size=(30, 3))
    chance -= chance.mean(axis=1, keepdims=True)
    return np.asarray(chance + np.random.default_rng(2).normal(0, items, (30, 1)))


@pytest.mark.parametrize("name", ["ICC(1,k)", "ICC(C,k)"])
@pytest.mark.parametrize("scenes", [5, 6, 30])
def test_below_minus_1_an_interval_that_lies_below_0_is_told_as_it_is(name: Name, scenes: int) -> None:
    found = intraclass(rated_table(alike(0.3), scenes=scenes), name)
    assert -2 < found.estimate < -1
    assert isinstance(found.interval, Interval)
    assert found.interval.low < found.estimate < found.interval.high < 0


def test_models_can_be_drawn_too_where_there_are_eight() -> None:
    table = scores_of(4, n=48)
    by_scenes = intraclass(rated_table(table, scenes=6), "ICC(A,1)")
    by_both = intraclass(rated_table(table, scenes=6), "ICC(A,1)", "scenes and models")
    assert isinstance(by_both.interval, Interval)
    assert by_both.interval.way == "jackknife by scenes and by models"
    assert limits(by_both) != pytest.approx(limits(by_scenes), abs=1e-3)
    seven = intraclass(rated_table(table[:42], scenes=6), "ICC(A,1)", "scenes and models")
    assert isinstance(seven.interval, Undefined)
    assert in_english(seven.interval.reason).startswith("an interval needs at least 8 models")


@pytest.mark.parametrize("name", NAMES)
def test_raters_who_always_agree_are_perfect_and_have_no_interval(name: Name) -> None:
    same = rated_table(np.arange(30.0)[:, None].repeat(3, axis=1) % 7, scenes=6)
    for found in (intraclass(same, name), intraclass(same, name, "independent items")):
        assert found.estimate == pytest.approx(1, abs=1e-12)
        assert in_english(found.interval) == Undefined("1 is at or beyond the end of its range")


def test_a_negative_correlation_says_so() -> None:
    # Mean squares: items 1/2, error 3/2, so that ICC(C,1) = (1/2 - 3/2) / (1/2 + 3/2).
    found = intraclass(rated_table([[1, 2], [2, 3], [3, 1]], scenes=3), "ICC(C,1)")
    assert found.estimate == pytest.approx(-1 / 2, abs=1e-12)
    assert (
        in_english(found.warning)
        == "ICC(C,1) is negative: scores of the same item differ more than scores of different items"
    )


def test_only_items_that_all_raters_scored_count_and_the_others_are_named() -> None:
    table = scores_of(4)
    holed = table.copy()
    holed[2, 0] = holed[5, 1] = holed[5, 2] = np.nan
    found = intraclass(rated_table(holed, scenes=6), "ICC(A,1)")
    complete = long_table(table, scenes=6)
    alone = intraclass(rated_items(complete[~complete["item"].isin(["i0002", "i0005"])]), "ICC(A,1)")
    assert (found.estimate, found.interval) == (alone.estimate, alone.interval)
    assert (found.n, found.raters) == (28, 3)
    assert found.dropped == (IncompleteRow(("i0002",), ("r0",)), IncompleteRow(("i0005",), ("r1", "r2")))


def test_raters_who_differ_from_item_to_item_are_sent_to_krippendorff() -> None:
    turns = np.full((12, 3), np.nan)
    for i in range(12):
        turns[i, [i % 3, (i + 1) % 3]] = 1 + i % 4, 2
    reason = "scored on KA by all 3 raters; found 0; 12 items have two or more raters: see Krippendorff's alpha"
    with pytest.raises(UndefinedStatistic, match=reason):
        intraclass(rated_table(turns, scenes=6), "ICC(A,1)")


@pytest.mark.parametrize(
    ("table", "name", "reason"),
    [
        ([[1, 2], [2, 1]], "ICC(A,1)", "at least 3 items scored on KA by all 2 raters; found 2$"),
        ([[1], [2], [3]], "ICC(A,1)", "only one rater, r0, scored KA"),
        ([[3, 3], [3, 3], [3, 3]], "ICC(A,1)", "each rater gave all 3 items the same score on KA"),
        ([[3, 4], [3, 4], [3, 4]], "ICC(A,1)", "each rater gave all 3 items the same score on KA"),
        ([[1, 3], [2, 2], [3, 1]], "ICC(C,k)", "the mean scores of the 3 items on KA hardly vary, so ICC"),
        ([[1, 3], [2, 2], [3, 1]], "ICC(A,k)", "hardly vary"),
    ],
)
def test_what_the_ratings_do_not_determine_has_a_reason(table: list[list[float]], name: Name, reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        intraclass(rated_table(table, scenes=6), name)


def test_raters_who_contradict_each_other_have_a_single_score_s_correlation() -> None:
    opposed = rated_table([[1, 3], [2, 2], [3, 1]], scenes=3)
    found = intraclass(opposed, "ICC(C,1)", "independent items")
    assert found.estimate == pytest.approx(-1, abs=1e-12)
    assert limits(found) == pytest.approx((-1, -1), abs=1e-12)


def test_an_f_interval_without_a_lower_end_is_undefined() -> None:
    # Of items whose means hardly vary, 1 / MSR has no bound: the mean of the raters may be worth less than nothing.
    table = [[2, 5], [3, 1], [4, 4], [5, 1]]
    found = intraclass(rated_table(table, scenes=4), "ICC(A,k)", "independent items")
    assert isinstance(found.interval, Undefined)
    assert "has no lower limit" in in_english(found.interval.reason)
    assert limits(intraclass(rated_table(table, scenes=4), "ICC(A,1)", "independent items"))[0] < -1


def test_a_correlation_that_one_scene_alone_makes_has_no_interval() -> None:
    one = np.full((6, 2), 3.0)
    one[0] = 4, 5  # without it no score varies
    found = intraclass(rated_table(one, scenes=6), "ICC(A,1)")
    assert 0 < found.estimate < 1
    assert in_english(found.interval) == Undefined(ENDS_WITHOUT_ONE)


@settings(max_examples=examples(6, 20))
@given(st.integers(0, 1000), st.randoms(use_true_random=False), st.sampled_from(NAMES))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(seed: int, random: Random, name: Name) -> None:
    frame = long_table(scores_of(seed), scenes=6)
    names = dict(zip(["r0", "r1", "r2"], random.sample(["zoe", "al", "mia"], 3), strict=True))
    order = random.sample(range(len(frame)), len(frame))
    renamed = frame.assign(rater=frame["rater"].map(names)).iloc[order]
    one, other = (intraclass(rated_items(each), name) for each in (frame, renamed))
    assert numbers(other) == pytest.approx(numbers(one), abs=1e-9)


@settings(max_examples=examples(6, 20))
@given(st.integers(0, 1000), st.floats(0.1, 10), st.floats(-100, 100), st.sampled_from(NAMES))
def test_another_scale_changes_nothing(seed: int, points: float, zero: float, name: Name) -> None:
    one, other = (
        intraclass(rated_table(table, scenes=6), name) for table in (scores_of(seed), scores_of(seed) * points + zero)
    )
    assert numbers(other) == pytest.approx(numbers(one), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_a_stricter_rater_takes_from_agreement_and_nothing_from_consistency(seed: int) -> None:
    random = np.random.default_rng(seed)
    level = random.normal(3, 1, (30, 1)) + random.normal(0, 1, (30, 3))
    level -= level.mean(axis=0)
    mild, strict = (rated_table(level - [0, 0, less], scenes=6) for less in (0, 2))
    assert intraclass(strict, "ICC(A,1)").estimate < intraclass(mild, "ICC(A,1)").estimate - 0.1
    assert intraclass(strict, "ICC(C,1)").estimate == pytest.approx(intraclass(mild, "ICC(C,1)").estimate, abs=1e-12)


def test_hanna_s_six_metrics_are_pingouin_s_and_quick(hanna: pd.DataFrame) -> None:
    experts = dict(list(hanna[hanna["kind"] == "expert"].groupby("metric")))
    begun = time.process_time()
    rated = {metric: rated_items(part) for metric, part in experts.items()}
    found = {metric: [intraclass(each, name) for name in ("ICC(1,1)", "ICC(1,k)")] for metric, each in rated.items()}
    assert time.process_time() - begun < 2  # about 0.3 s on two idle cores
    for metric, part in experts.items():
        theirs = pingouin_s(part)
        for each in found[metric]:
            assert each.estimate == pytest.approx(theirs.loc[each.name, "ICC"], abs=1e-9)
            assert (each.n, each.raters, each.dropped) == (1056, 3, ())
            assert isinstance(each.interval, Interval)
            assert each.interval.way == "jackknife by scenes"
            independent = intraclass(rated[metric], each.name, "independent items")
            assert np.ptp(limits(each)) != pytest.approx(np.ptp(limits(independent)), rel=0.01)
