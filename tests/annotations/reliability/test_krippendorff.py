"""Krippendorff's alpha against his own example, the package krippendorff and hand; its interval, laws and refusals."""

import time
from random import Random
from typing import get_args

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.marking.rating import Dropped
from annotations.reliability.agreement import rated_items
from annotations.reliability.krippendorff import KrippendorffAlpha, Level, krippendorff_alpha
from annotations.resampling.jackknife import Interval
from tests.annotations.jackknifed import ENDS_WITHOUT_ONE, HARDLY_CHANGES, jackknifed
from tests.annotations.rater_tables import long_table, rated_table
from tests.annotations.reliability.rater_scale import single_ratings
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

NO = np.nan
# Four observers, twelve units (Krippendorff, 2011): one row per observer.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
    [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
]
EXAMPLE = np.array(OBSERVERS).T
LEVELS: tuple[Level, ...] = get_args(Level)


def incomplete(seed: int, *, items: int = 30, raters: int = 5, fractions: bool = False) -> np.ndarray:
    """Items x raters, of whom one to all scored an item."""
    random = np.random.default_rng(seed)
    table = random.normal(3, 1, (items, 1)) + random.normal(0, 1, (items, raters))
    table = table if fractions else table.round().clip(1, 5)
    for row in table:
        row[random.permutation(raters)[random.integers(1, raters + 1) :]] = NO
    return np.asarray(table)


def limits(found: KrippendorffAlpha) -> tuple[float, float]:
    assert isinstance(found.interval, Interval)
    return found.interval.low, found.interval.high


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_s_own_example_with_missing_scores(level: Level, published: float) -> None:
    found = krippendorff_alpha(rated_table(EXAMPLE, scenes=12), level)
    assert found.estimate == pytest.approx(published, abs=0.0005)
    assert (found.metric, found.level, found.n, found.ratings, found.raters) == ("KA", level, 11, 40, 4)
    assert in_english(found.dropped) == (Dropped("i0011", "KA", "r1", "fewer than two raters", "1 score"),)
    assert found.warning is None


def test_ordinal_is_what_is_taken_when_no_level_is_named() -> None:
    table = rated_table(EXAMPLE, scenes=12)
    assert krippendorff_alpha(table) == krippendorff_alpha(table, "ordinal")


def test_ordinal_alpha_worked_by_hand() -> None:
    # Scores 1 1, 1 2, 2 3: three 1, two 2, one 3, with mid-ranks 1.5, 4 and 5.5. Squared distances, both ways, of the
    # scores of an item: 0, 12.5, 4.5; of all ordered pairs: 2 (3 * 2 * 6.25 + 3 * 1 * 16 + 2 * 1 * 2.25) = 180.
    # D_o = 17 / 6 and D_e = 180 / 30.
    found = krippendorff_alpha(rated_table([[1, 1], [1, 2], [2, 3]], scenes=3))
    assert found.estimate == pytest.approx(1 - 17 / 36, abs=1e-12)
    assert isinstance(found.interval, Undefined)
    assert in_english(found.interval.reason).startswith("an interval needs at least 5 scenes")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("fractions", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_estimates_are_those_of_the_package_krippendorff(level: Level, fractions: bool, seed: int) -> None:
    table = incomplete(seed, items=5 + 8 * seed, raters=2 + seed, fractions=fractions)
    expected = krippendorff.alpha(table.T, level_of_measurement=level)
    assert krippendorff_alpha(rated_table(table, scenes=6), level).estimate == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("level", "fractions"),
    [("nominal", False), ("ordinal", False), ("interval", False), ("ordinal", True), ("interval", True)],
)
def test_the_interval_is_that_of_a_plain_loop_that_leaves_out_each_scene(level: Level, fractions: bool) -> None:
    table, scene = incomplete(3, fractions=fractions), np.arange(30) % 6
    without = [
        float(krippendorff.alpha(table[scene != each].T, level_of_measurement=level)) for each in range(6)
    ]  # of items with one score the package takes nothing
    found = krippendorff_alpha(rated_table(table, scenes=6), level)
    assert limits(found) == pytest.approx(
        jackknifed(found.estimate, without, single_ratings(found.ratings / found.n)), abs=1e-9
    )
    assert isinstance(found.interval, Interval)
    assert found.interval.way == "jackknife by scenes"
    assert (np.isfinite(table).sum(axis=1) < 2).any()


def test_names_that_no_two_raters_ever_share_agree_as_by_chance_whatever_is_left_out() -> None:
    found = krippendorff_alpha(rated_table(incomplete(3, fractions=True), scenes=6), "nominal")
    assert found.estimate == pytest.approx(0, abs=1e-12)
    assert in_english(found.interval) == Undefined(HARDLY_CHANGES)


def test_models_can_be_drawn_too_where_there_are_eight() -> None:
    table = incomplete(3, items=48)
    by_both = krippendorff_alpha(rated_table(table, scenes=6), drawn="scenes and models")
    assert isinstance(by_both.interval, Interval)
    assert by_both.interval.way == "jackknife by scenes and by models"
    assert limits(by_both) != pytest.approx(limits(krippendorff_alpha(rated_table(table, scenes=6))), abs=1e-3)
    seven = krippendorff_alpha(rated_table(table[:42], scenes=6), drawn="scenes and models")
    assert isinstance(seven.interval, Undefined)
    assert in_english(seven.interval.reason).startswith("an interval needs at least 8 models")


def test_independent_items_are_left_out_one_by_one() -> None:
    table = incomplete(3)
    several = np.flatnonzero(np.isfinite(table).sum(axis=1) >= 2)
    without = [
        float(krippendorff.alpha(np.delete(table, at, axis=0).T, level_of_measurement="ordinal")) for at in several
    ]
    found = krippendorff_alpha(rated_table(table, scenes=6), drawn="independent items")
    assert limits(found) == pytest.approx(
        jackknifed(found.estimate, without, single_ratings(found.ratings / found.n)), abs=1e-9
    )


@pytest.mark.parametrize("level", LEVELS)
def test_raters_who_always_agree_are_perfect_and_have_no_interval(level: Level) -> None:
    found = krippendorff_alpha(rated_table(np.arange(30.0)[:, None].repeat(3, axis=1) % 7, scenes=6), level)
    assert found.estimate == 1
    assert in_english(found.interval) == Undefined("1 is at or beyond the end of its range")


def test_a_negative_alpha_says_so() -> None:
    found = krippendorff_alpha(rated_table([[1, 5], [5, 1], [1, 5]], scenes=3))
    assert found.estimate == pytest.approx(1 - 1 / 0.6, abs=1e-12)  # all pairs of an item differ, 18 of 30 of all do
    assert (
        in_english(found.warning)
        == "alpha is negative: scores of the same item differ more than scores of different items"
    )


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[3, 3], [3, 3], [3, 3]], "all 6 scores on KA are 3"),
        ([[0.1 + 0.2, 0.3], [0.3, 0.3]], "all 4 scores on KA are 0.3"),
        ([[3, 3], [3, 3], [1, NO]], "all 4 scores on KA are 3"),
        ([[1, 2], [2, NO], [NO, 3]], "at least two items with two scores on KA; found 1"),
        ([[1, NO], [2, NO], [NO, 3]], "none of the 3 items was scored on KA by two raters"),
        ([[1], [2], [3]], "only one rater, r0, scored KA"),
    ],
)
def test_what_the_ratings_do_not_determine_has_a_reason(table: list[list[float]], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        krippendorff_alpha(rated_table(table, scenes=6))


def test_an_alpha_that_one_scene_alone_makes_has_no_interval() -> None:
    one = np.full((6, 2), 3.0)
    one[0] = 4, 5  # without it all scores are the same
    found = krippendorff_alpha(rated_table(one, scenes=6))
    assert 0 < found.estimate < 1
    assert in_english(found.interval) == Undefined(ENDS_WITHOUT_ONE)


def test_scores_that_only_arithmetic_tells_apart_are_ties() -> None:
    exact = [[0.3, 0.3], [0.5, 0.3], [0.5, 0.5], [0.9, 0.5]]
    blurred = [[0.1 + 0.2, 0.3], [0.5, 0.3], [0.5, 0.5], [0.9, 0.5]]
    found = [krippendorff_alpha(rated_table(table, scenes=4), "ordinal").estimate for table in (exact, blurred)]
    assert found[0] == pytest.approx(found[1], abs=1e-12)


@settings(max_examples=examples(5, 20))
@given(st.integers(0, 1000), st.randoms(use_true_random=False), st.sampled_from(LEVELS))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(seed: int, random: Random, level: Level) -> None:
    frame = long_table(incomplete(seed), scenes=6)
    names = dict(zip([f"r{j}" for j in range(5)], random.sample(["zoe", "al", "mia", "bea", "kim"], 5), strict=True))
    order = random.sample(range(len(frame)), len(frame))
    renamed = frame.assign(rater=frame["rater"].map(names)).iloc[order]
    one, other = (krippendorff_alpha(rated_items(each), level) for each in (frame, renamed))
    assert (other.estimate, *limits(other)) == pytest.approx((one.estimate, *limits(one)), abs=1e-9)


def test_large_scores_that_differ_by_little_are_told_apart() -> None:
    table = np.array([[1, 1], [1, 2], [2, 3]])
    near, far = (krippendorff_alpha(rated_table(each, scenes=3)) for each in (table, table + 100_000))
    assert far == near


@settings(max_examples=examples(8, 20))
@given(st.integers(0, 1000))
def test_ordinal_alpha_knows_nothing_of_scores_but_their_order(seed: int) -> None:
    table = incomplete(seed)
    one, other = (krippendorff_alpha(rated_table(each, scenes=6)) for each in (table, np.exp(table)))
    assert (other.estimate, other.interval) == (one.estimate, one.interval)


def test_many_distinct_scores_are_quick() -> None:
    table = rated_table(incomplete(1, items=1056, raters=5, fractions=True), scenes=96)
    begun = time.process_time()
    found = krippendorff_alpha(table)
    assert time.process_time() - begun < 2  # about 0.15 s on two idle cores
    assert limits(found)[0] < found.estimate < limits(found)[1]


def test_hanna_s_six_metrics_are_those_of_the_package_and_quick(hanna: pd.DataFrame) -> None:
    experts = {metric: rated_items(part) for metric, part in hanna[hanna["kind"] == "expert"].groupby("metric")}
    begun = time.process_time()
    found = {metric: krippendorff_alpha(rated) for metric, rated in experts.items()}
    assert time.process_time() - begun < 2  # about 0.2 s on two idle cores
    for metric, rated in experts.items():
        expected = krippendorff.alpha(rated.scores.to_numpy().T, level_of_measurement="ordinal")
        assert found[metric].estimate == pytest.approx(expected, abs=1e-9)
        assert (found[metric].n, found[metric].ratings, found[metric].raters) == (1056, 3168, 3)
