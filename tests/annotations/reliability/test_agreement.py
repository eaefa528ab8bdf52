"""Shares of agreeing pairs: worked by hand, by plain loops over random designs, their laws, and the refusals."""

import time
from itertools import combinations
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.marking.rating import Dropped
from annotations.reliability.agreement import Agreement, agreement, rated_items
from annotations.reliability.raters import Match, rater_figures
from annotations.resampling.jackknife import Interval
from tests.annotations.jackknifed import SHARE, jackknifed
from tests.annotations.rater_tables import long_table, rated_table
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

NO = np.nan
# Pairs: i0 has 1-1, 1-2, 1-2; i1 has 2-4; i2 has 3-3; i3 has one score.
BY_HAND = [[1, 1, 2], [2, 4, NO], [NO, 3, 3], [5, NO, NO]]


def incomplete(seed: int, *, fractions: bool = False) -> np.ndarray:
    """30 items x 5 raters, of whom one to all scored an item."""
    random = np.random.default_rng(seed)
    table = random.normal(3, 1, (30, 1)) + random.normal(0, 1, (30, 5))
    table = table.round(1) if fractions else table.round().clip(1, 5)
    for row in table:
        row[random.permutation(5)[random.integers(1, 6) :]] = NO
    return np.asarray(table)


def pairs_of(table: np.ndarray) -> list[tuple[float, float]]:
    return [pair for row in table for pair in combinations(row[np.isfinite(row)], 2)]


def figures(found: Agreement) -> list[float]:
    numbers: list[float] = [found.pairs, found.items, found.raters]
    for share in (found.exact, found.within_one):
        assert isinstance(share.interval, Interval)
        numbers += [share.observed, share.by_chance, share.interval.low, share.interval.high]
    return numbers


def test_shares_worked_by_hand() -> None:
    found = agreement(rated_table(BY_HAND, scenes=4))
    assert found.exact.observed == pytest.approx(2 / 5, abs=1e-12)
    assert found.within_one.observed == pytest.approx(4 / 5, abs=1e-12)
    assert (found.metric, found.pairs, found.items, found.raters) == ("KA", 5, 3, 3)
    assert in_english(found.dropped) == (Dropped("i0003", "KA", "r0", "fewer than two raters", "1 score"),)
    assert in_english(found.exact.interval) == Undefined("an interval needs at least 5 scenes; found 3")


def test_of_few_scenes_or_few_pairs_there_are_shares_without_intervals() -> None:
    random = np.random.default_rng(5)
    table = random.integers(1, 6, (40, 2)).astype(float)
    of_40 = agreement(rated_table(table, scenes=5))
    assert isinstance(of_40.exact.interval, Interval)
    assert isinstance(of_40.within_one.interval, Interval)
    table[39, 0] = NO
    for found, reason in (
        (agreement(rated_table(table, scenes=5)), "this interval needs at least 40 cases; found 39"),
        (agreement(rated_table(np.vstack([table, table]), scenes=4)), "an interval needs at least 5 scenes"),
    ):
        for share in (found.exact, found.within_one):
            assert 0 < share.observed < 1
            assert isinstance(share.interval, Undefined)
            assert in_english(share.interval.reason).startswith(reason)


def test_chance_worked_by_hand() -> None:
    # Over the items used, r0 gave 1 2, r1 gave 1 4 3, r2 gave 2 3. Equal by chance: r0-r1 1/6, r0-r2 1/4, r1-r2 1/6;
    # within a point: r0-r1 3/6 (1-1 2-1 2-3), r0-r2 3/4 (1-2 2-2 2-3), r1-r2 4/6 (1-2 3-2 3-3 4-3). They met 2, 1, 2
    # times.
    found = agreement(rated_table(BY_HAND, scenes=4))
    assert found.exact.by_chance == pytest.approx((2 / 6 + 1 / 4 + 2 / 6) / 5, abs=1e-12)
    assert found.within_one.by_chance == pytest.approx((2 * 3 / 6 + 3 / 4 + 2 * 4 / 6) / 5, abs=1e-12)


@pytest.mark.parametrize("fractions", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_shares_of_incomplete_designs_are_those_of_plain_loops(seed: int, fractions: bool) -> None:
    table = incomplete(seed, fractions=fractions)
    found = agreement(rated_table(table, scenes=6))
    used = table[np.isfinite(table).sum(axis=1) >= 2]
    pairs = pairs_of(used)
    assert (found.pairs, found.items) == (len(pairs), len(used))
    for share, most in ((found.exact, 0), (found.within_one, 1)):
        assert share.observed == pytest.approx(np.mean([abs(a - b) <= most + 1e-6 for a, b in pairs]), abs=1e-12)
        expected = []
        for one, other in combinations(used.T, 2):
            met = int((np.isfinite(one) & np.isfinite(other)).sum())
            dealt = [abs(a - b) <= most + 1e-6 for a in one[np.isfinite(one)] for b in other[np.isfinite(other)]]
            expected += [np.mean(dealt)] * met
        assert share.by_chance == pytest.approx(np.mean(expected), abs=1e-12)


def test_the_intervals_are_those_of_a_plain_loop_that_leaves_out_each_scene() -> None:
    table, scene = incomplete(3), np.arange(30) % 6
    found = agreement(rated_table(table, scenes=6))
    for share, most in ((found.exact, 0), (found.within_one, 1)):
        without = [float(np.mean([abs(a - b) <= most for a, b in pairs_of(table[scene != each])])) for each in range(6)]
        low, high = jackknifed(share.observed, without, SHARE)
        assert share.interval == Interval(pytest.approx(low), pytest.approx(high), "jackknife by scenes")
    assert (np.isfinite(table).sum(axis=1) < 2).any()


def test_models_can_be_drawn_too_where_there_are_eight() -> None:
    random = np.random.default_rng(1)
    table = np.clip(random.normal(3, 1, (48, 1)) + random.normal(0, 1, (48, 3)), 1, 5).round()
    by_scenes, by_both = (agreement(rated_table(table, scenes=6), drawn) for drawn in ("scenes", "scenes and models"))
    assert isinstance(by_scenes.exact.interval, Interval)
    assert isinstance(by_both.exact.interval, Interval)
    assert by_both.exact.interval.way == "jackknife by scenes and by models"
    widths = [each.high - each.low for each in (by_scenes.exact.interval, by_both.exact.interval)]
    assert widths[0] != pytest.approx(widths[1], rel=1e-3)
    seven = agreement(rated_table(table[:42], scenes=6), "scenes and models").exact.interval
    assert isinstance(seven, Undefined)
    assert in_english(seven.reason).startswith("an interval needs at least 8 models")


def test_raters_who_give_one_score_to_everything_agree_no_more_than_by_chance() -> None:
    found = agreement(rated_table(np.full((30, 3), 4.0), scenes=6))
    for share in (found.exact, found.within_one):
        assert (share.observed, share.by_chance) == (1, 1)
        assert in_english(share.interval) == Undefined("1 is at or beyond the end of its range")


def test_raters_who_score_at_random_agree_as_often_as_by_chance() -> None:
    found = agreement(rated_table(np.random.default_rng(2).integers(1, 6, (1000, 4)), scenes=100))
    assert found.exact.observed == pytest.approx(1 / 5, abs=0.02)
    assert found.exact.by_chance == pytest.approx(1 / 5, abs=0.002)
    assert found.within_one.observed == pytest.approx(13 / 25, abs=0.02)  # 5 of 25 are equal, 8 a point apart
    assert found.within_one.by_chance == pytest.approx(13 / 25, abs=0.005)


@pytest.mark.parametrize("seed", range(4))
def test_all_raters_matches_together_are_the_agreement(seed: int) -> None:
    frame = long_table(incomplete(seed), scenes=6)
    found = agreement(rated_items(frame))
    matches = [each.match for each in rater_figures(frame).figures.values()]
    n = sum(each.n for each in matches if isinstance(each, Match))
    assert n == 2 * found.pairs  # each pair is seen from both sides
    for share, of in ((found.exact, "exact"), (found.within_one, "within_one")):
        together = sum(getattr(each, of) * each.n for each in matches if isinstance(each, Match))
        assert share.observed == pytest.approx(together / n, abs=1e-12)


@settings(max_examples=examples(5, 20))
@given(st.integers(0, 1000), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(seed: int, random: Random) -> None:
    frame = long_table(incomplete(seed), scenes=6)
    names = dict(zip([f"r{j}" for j in range(5)], random.sample(["zoe", "al", "mia", "bea", "kim"], 5), strict=True))
    order = random.sample(range(len(frame)), len(frame))
    renamed = frame.assign(rater=frame["rater"].map(names)).iloc[order]
    one, other = (figures(agreement(rated_items(each))) for each in (frame, renamed))
    assert other == pytest.approx(one, abs=1e-9)


def test_raters_who_never_meet_have_no_agreement() -> None:
    with pytest.raises(UndefinedStatistic, match="none of the 2 items was scored on KA by two raters"):
        agreement(rated_table([[1, NO], [NO, 2]], scenes=6))


def test_hanna_s_six_metrics_are_quick(hanna: pd.DataFrame) -> None:
    experts = {metric: rated_items(part) for metric, part in hanna[hanna["kind"] == "expert"].groupby("metric")}
    begun = time.process_time()
    found = {metric: agreement(rated) for metric, rated in experts.items()}
    assert time.process_time() - begun < 2  # about 0.15 s on two idle cores
    for metric, rated in experts.items():
        scores = rated.scores.to_numpy()
        apart = np.abs(np.concatenate([scores[:, a] - scores[:, b] for a, b in ((0, 1), (0, 2), (1, 2))]))
        assert found[metric].pairs == 3168
        assert found[metric].within_one.observed == pytest.approx((apart <= 1).mean(), abs=1e-12)
