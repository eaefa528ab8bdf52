"""The alternative annotator test: its parts by hand and against scipy, and simulations with a clear answer."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp
from scipy.stats import t as student

from annotations.errors import Undefined, UndefinedStatistic
from annotations.validity.alternative_annotator import (
    AlternativeAnnotator,
    advantages,
    alternative_annotator_of_baselines,
    alternative_annotator_tests,
    benjamini_yekutieli,
    t_below_epsilon,
)
from annotations.validity.baselines import baselines
from annotations.validity.ceiling import Panel, expert_tables, panel
from tests.annotations.crossed_ratings import beside, crossed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def panel_of(frame: pd.DataFrame, judge: str = "gpt", metric: str = "KA") -> Panel:
    return panel(beside(frame, judge), expert_tables(frame), [metric])


def outcome(frame: pd.DataFrame, judge: str = "gpt", metric: str = "KA") -> AlternativeAnnotator | Undefined:
    return alternative_annotator_tests({judge: panel_of(frame, judge, metric)})[judge]


def on(frame: pd.DataFrame, judge: str = "gpt", metric: str = "KA") -> AlternativeAnnotator:
    found = outcome(frame, judge, metric)
    assert isinstance(found, AlternativeAnnotator)
    return found


def reason(found: AlternativeAnnotator | Undefined) -> str:
    assert isinstance(found, Undefined)
    return in_english(str(found.reason))


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
    judge, ann, used = advantages(experts, np.array([3, 4, 1, 4, 2, gap]), left_out=0)
    assert judge.tolist() == [True, True, False]
    assert ann.tolist() == [False, True, True]
    assert used.tolist() == [True, True, True, False, False, False]


def test_distances_equal_but_for_arithmetic_are_a_tie() -> None:
    experts = np.array([[0.1, 0.2, 0.2], [0.3, 0.2, 0.2]])  # as floats, .3 is nearer to .2 than .1 is
    judge, ann, _ = advantages(experts, np.array([0.3, 0.1]), left_out=0)
    assert judge.tolist() == ann.tolist() == [True, True]


def test_with_one_item_in_each_scene_the_t_test_is_scipy_s() -> None:
    differences = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], size=60)
    expected = ttest_1samp(differences, 0.2, alternative="less")
    found = t_below_epsilon(differences, np.arange(60))
    assert found == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)
    # Thirty items, half -1 and half 0: mean -.5, spread sqrt(7.5 / 29), t = -.7 / (spread / sqrt(30)).
    t, p = t_below_epsilon(np.repeat([-1.0, 0.0], 15), np.arange(30))
    assert t == pytest.approx(-0.7 / np.sqrt(7.5 / 29 / 30), abs=1e-9)
    assert p < 1e-7


def test_with_as_many_items_in_each_scene_the_t_test_is_scipy_s_of_their_means() -> None:
    differences = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], size=60)
    expected = ttest_1samp(differences.reshape(5, 12).mean(axis=0), 0.2, alternative="less")
    found = t_below_epsilon(differences, np.tile(np.arange(12), 5))
    assert found == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)


def test_scenes_of_different_sizes_are_left_out_one_by_one() -> None:
    scene = np.repeat(np.arange(6), [1, 2, 3, 10, 4, 20])
    differences = np.random.default_rng(2).choice([-1.0, 0.0, 1.0], size=40)
    without = np.array([differences[scene != left_out].mean() for left_out in range(6)])
    expected = (differences.mean() - 0.2) / np.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum())
    assert t_below_epsilon(differences, scene) == pytest.approx((expected, student.cdf(expected, 5)), abs=1e-9)


@pytest.mark.parametrize("difference", [-1.0, 0.0, 1.0])
def test_without_spread_nothing_is_tested(difference: float) -> None:
    with pytest.raises(UndefinedStatistic, match="is the same in every scene, so its error cannot be estimated"):
        t_below_epsilon(np.full(30, difference), np.arange(30) % 6)


def test_of_four_scenes_nothing_is_tested() -> None:
    with pytest.raises(UndefinedStatistic, match="an interval needs at least 5 scenes"):
        t_below_epsilon(np.zeros(40), np.arange(40) % 4)
    frame = simulated(0.2)
    assert "at least 5 scenes" in reason(outcome(frame[frame["scene"] < "s04"]))
    assert [each.n for each in on(frame[frame["scene"] < "s05"]).experts] == [50, 50, 50]


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


def test_ties_are_in_both_shares_and_of_ties_alone_nothing_is_tested() -> None:
    # The judge gives what ann gives: on each item both have the advantage over the others.
    random = np.random.default_rng(4)
    ann, bo, cy = (random.integers(1, 6, 40).astype(float).tolist() for _ in range(3))
    judge, expert, used = advantages(np.column_stack([ann, bo, cy]), np.array(ann), 0)
    assert judge.all()
    assert expert.all()
    assert used.all()
    copied = crossed({"ann": ann, "bo": bo, "cy": cy}, {"gpt": ann})
    assert "is the same in every scene, so its error cannot be estimated" in reason(outcome(copied))


def test_half_of_the_experts_are_enough() -> None:
    # Two experts know the truth better than the judge does, and two guess.
    random = np.random.default_rng(8)
    truth = random.normal(3, 1, 90)
    experts = {f"e{r}": (truth + random.normal(0, error, 90)).tolist() for r, error in enumerate((0.05, 0.05, 2, 2))}
    found = on(crossed(experts, {"gpt": (truth + random.normal(0, 0.8, 90)).tolist()}, scenes=9))
    assert [each.rejected for each in found.experts] == [False, False, True, True]
    assert (found.winning_rate, found.passes) == (0.5, True)


def test_two_experts_or_29_items_are_too_few() -> None:
    assert "at least 3 experts; found 2" in reason(outcome(simulated(0.2, experts=2)))
    few = reason(outcome(simulated(0.2, n=29)))
    assert "at least 30 items" in few
    assert few.endswith("for e0 there are 29")
    assert on(simulated(0.2, n=30)).experts[0].n == 30


def test_a_judge_that_gives_one_score_to_everything_is_refused_but_as_a_baseline() -> None:
    # Raters differ so much that 3, the middle, is near to most of their scores.
    random = np.random.default_rng(5)
    experts = {f"e{r}": random.integers(1, 6, 120).astype(float).tolist() for r in range(3)}
    near = np.clip(np.mean(list(experts.values()), axis=0) + random.normal(0, 0.3, 120), 1, 5).tolist()
    frame = crossed(experts, {"gpt": [3.0] * 120, "glm": near}, scenes=12)
    assert reason(outcome(frame)) == "gpt gave all 120 items the same score, 3"
    found = alternative_annotator_of_baselines({"constant": panel_of(frame)})["constant"]
    assert isinstance(found, AlternativeAnnotator)
    assert (found.passes, found.winning_rate, found.tests) == (True, 1, 3)
    judge, tables = on(frame, "glm"), expert_tables(frame)
    assert (judge.passes, judge.winning_rate) == (True, 1), "a judge near the experts' means passes, and no better"
    blind = alternative_annotator_of_baselines(
        {name: panel(sides, tables, ["KA"]) for name, sides in baselines(beside(frame, "glm")).items()}
    )
    assert list(blind) == ["constant", "scene mean", "shuffled"]
    for one in blind.values():
        assert isinstance(one, AlternativeAnnotator)
        assert (one.passes, one.winning_rate) == (True, 1)


def test_p_of_all_judges_are_adjusted_together() -> None:
    good, poor = simulated(0.2), simulated(1.2)
    poor = poor[poor["kind"] == "judge"].replace({"rater": {"gpt": "glm"}})
    frame = pd.concat([good, poor], ignore_index=True)
    panels = {judge: panel_of(frame, judge) for judge in ("gpt", "glm")}
    both = alternative_annotator_tests(panels)
    trials = []
    for judge in panels:
        found, alone = both[judge], on(frame, judge)
        assert isinstance(found, AlternativeAnnotator)
        assert [each.p for each in found.experts] == [each.p for each in alone.experts]
        assert (found.tests, alone.tests) == (6, 3)
        trials += found.experts
    expected = false_discovery_control([each.p for each in trials], method="by").tolist()
    assert [each.adjusted_p for each in trials] == pytest.approx(expected, abs=1e-12)
    for name, found in alternative_annotator_of_baselines(panels).items():
        assert found == on(frame, name)


def test_what_hanna_s_slots_say_of_a_judge(hanna: pd.DataFrame) -> None:
    found = on(hanna, "chatgpt", "empathy")
    assert (found.passes, [each.n for each in found.experts]) == (True, [1056, 1056, 1056])
    failed = on(hanna, "chatgpt", "engagement")
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
