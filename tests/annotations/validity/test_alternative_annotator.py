"""The alternative annotator test: its parts by hand and against scipy, and simulations with a clear answer."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp

from annotations.errors import UndefinedStatistic
from annotations.validity.alternative_annotator import (
    AlternativeAnnotator,
    advantages,
    alternative_annotator_test,
    benjamini_yekutieli,
    t_below_epsilon,
)
from annotations.validity.ceiling import expert_tables, panel
from tests.annotations.crossed_ratings import beside, crossed
from tests.fakes.examples import examples


def on(frame: pd.DataFrame) -> AlternativeAnnotator:
    return alternative_annotator_test(panel(beside(frame), expert_tables(frame), ["KA"]))


def simulated(judge_error: float, *, judge_knows: bool = True, n: int = 120, experts: int = 3) -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, n)
    scores = {f"e{r}": (truth + random.normal(0, 0.6, n)).tolist() for r in range(experts)}
    judge = (truth if judge_knows else random.normal(3, 1, n)) + random.normal(0, judge_error, n)
    return crossed(scores, {"gpt": judge.tolist()}, scenes=12)


def test_who_is_nearer_to_the_others_worked_by_hand() -> None:
    # The others of ann gave 2 4, 3 3, 5 (one of them only), nothing, 1 3, 2 2.
    # Item 0: judge 3 is sqrt(1) away, ann 1 is sqrt((1 + 9) / 2). Item 1: judge 4 and ann 2 are both 1 away.
    # Item 2: judge 1 is 4 away, ann 4 is 1. Items 3 to 5 lack the others, ann and the judge.
    gap = np.nan
    experts = np.array([[1, 2, 4], [2, 3, 3], [4, 5, gap], [4, gap, gap], [gap, 1, 3], [2, 2, 2]])
    judge, ann = advantages(experts, np.array([3, 4, 1, 4, 2, gap]), left_out=0)
    assert judge.tolist() == [True, True, False]
    assert ann.tolist() == [False, True, True]


def test_distances_equal_but_for_arithmetic_are_a_tie() -> None:
    experts = np.array([[0.1, 0.2, 0.2], [0.3, 0.2, 0.2]])  # as floats, .3 is nearer to .2 than .1 is
    judge, ann = advantages(experts, np.array([0.3, 0.1]), left_out=0)
    assert judge.tolist() == ann.tolist() == [True, True]


def test_the_t_test_is_scipy_s() -> None:
    differences = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], size=60)
    expected = ttest_1samp(differences, 0.2, alternative="less")
    assert t_below_epsilon(differences) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
    # Thirty items, half -1 and half 0: mean -.5, spread sqrt(7.5 / 29), t = -.7 / (spread / sqrt(30)).
    t, p = t_below_epsilon(np.repeat([-1.0, 0.0], 15))
    assert t == pytest.approx(-0.7 / np.sqrt(7.5 / 29 / 30), abs=1e-12)
    assert p < 1e-7


def test_without_spread_t_is_infinite() -> None:
    assert t_below_epsilon(np.zeros(30)) == (-np.inf, 0)
    assert t_below_epsilon(np.full(30, -1.0)) == (-np.inf, 0)
    assert t_below_epsilon(np.ones(30)) == (np.inf, 1)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_benjamini_yekutieli_is_scipy_s(p: list[float]) -> None:
    assert benjamini_yekutieli(p) == pytest.approx(false_discovery_control(p, method="by").tolist(), abs=1e-12)


def test_benjamini_yekutieli_worked_by_hand() -> None:
    # The sum of 1, 1/2 and 1/3 is 11/6: .01 * 3 * 11/6, .02 * 3 / 2 * 11/6, and .5 * 11/6 as the biggest.
    assert benjamini_yekutieli([0.02, 0.5, 0.01]) == pytest.approx((0.055, 11 / 12, 0.055), abs=1e-12)


def test_a_judge_near_the_truth_passes() -> None:
    found = on(simulated(0.2))
    assert (found.passes, found.winning_rate) == (True, 1)
    assert found.average_advantage > 0.6
    assert [each.expert for each in found.experts] == ["e0", "e1", "e2"]
    assert all(each.rejected and each.adjusted_p <= 0.05 and each.n == 120 for each in found.experts)
    assert (found.judge, found.metrics, found.epsilon, found.false_discoveries) == ("gpt", ("KA",), 0.2, 0.05)


@pytest.mark.parametrize("frame", [simulated(0, judge_knows=False), simulated(3)], ids=["random", "noisy"])
def test_a_judge_that_guesses_fails(frame: pd.DataFrame) -> None:
    found = on(frame)
    assert (found.passes, found.winning_rate) == (False, 0)
    assert found.average_advantage < 0.4
    assert not any(each.rejected for each in found.experts)


def test_the_shares_are_of_the_same_items_and_ties_are_in_both() -> None:
    # The judge gives what ann gives: on each item both have the advantage over the others.
    random = np.random.default_rng(4)
    ann, bo, cy = (random.integers(1, 6, 40).astype(float).tolist() for _ in range(3))
    first = on(crossed({"ann": ann, "bo": bo, "cy": cy}, {"gpt": ann})).experts[0]
    assert (first.judge_advantage, first.expert_advantage, first.t, first.p) == (1, 1, -np.inf, 0)


def test_half_of_the_experts_are_enough() -> None:
    # Two experts know the truth better than the judge does, and two guess.
    random = np.random.default_rng(8)
    truth = random.normal(3, 1, 90)
    experts = {f"e{r}": (truth + random.normal(0, error, 90)).tolist() for r, error in enumerate((0.05, 0.05, 2, 2))}
    found = on(crossed(experts, {"gpt": (truth + random.normal(0, 0.8, 90)).tolist()}, scenes=9))
    assert [each.rejected for each in found.experts] == [False, False, True, True]
    assert (found.winning_rate, found.passes) == (0.5, True)


def test_two_experts_or_29_items_are_too_few() -> None:
    with pytest.raises(UndefinedStatistic, match="at least 3 experts; there are 2"):
        on(simulated(0.2, experts=2))
    with pytest.raises(UndefinedStatistic, match=r"at least 30 items .* for e0 there are 29"):
        on(simulated(0.2, n=29))
    assert on(simulated(0.2, n=30)).experts[0].n == 30


def test_what_hanna_s_slots_say_of_a_judge(hanna: pd.DataFrame) -> None:
    tables = expert_tables(hanna)
    found = alternative_annotator_test(panel(beside(hanna, "chatgpt"), tables, ["empathy"]))
    assert (found.passes, [each.n for each in found.experts]) == (True, [1056, 1056, 1056])
    failed = alternative_annotator_test(panel(beside(hanna, "chatgpt"), tables, ["engagement"]))
    assert (failed.passes, failed.average_advantage) == (False, pytest.approx(0.5234, abs=5e-5))


@settings(max_examples=examples(3, 10))
@given(st.permutations(range(160)), st.permutations(["e0", "e1", "e2"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(order: list[int], names: list[str]) -> None:
    frame = simulated(0.5, n=40)
    renamed = frame.iloc[order].replace({"rater": dict(zip(["e0", "e1", "e2"], names, strict=True))})
    one, other = on(frame), on(renamed)
    assert (other.winning_rate, other.passes) == (one.winning_rate, one.passes)
    assert other.average_advantage == pytest.approx(one.average_advantage, abs=1e-12)
    assert sorted(each.p for each in other.experts) == pytest.approx(sorted(each.p for each in one.experts), abs=1e-12)
