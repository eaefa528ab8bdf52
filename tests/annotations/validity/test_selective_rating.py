"""Whether what was scored is like the rest: worked by hand, and against statsmodels' least squares."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from annotations.errors import Undefined
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.validity.selective_rating import SelectiveRating, selected, selective_rating
from tests.annotations.crossed_ratings import Scores, beside, crossed
from tests.annotations.jackknifed import jackknifed
from tests.fakes.in_english import in_english

NO = None


def rated(experts: list[float | None], judge: list[float | None], scenes: int) -> SelectiveRating:
    return selective_rating(beside(crossed({"ann": experts}, {"gpt": judge}, scenes=scenes)), ["KA"])


def value(found: Estimate | Undefined) -> float:
    assert isinstance(found, Estimate)
    return found.estimate


def test_of_one_model_it_is_a_difference_of_means() -> None:
    # The judge gave 5 4 where the experts scored, 1 2 3 elsewhere; the experts gave 2 3 beside the judge, 4 alone.
    found = rated([2, 3, NO, NO, NO, 4], [5, 4, 1, 2, 3, NO], scenes=6)
    assert value(found.by_judge) == pytest.approx(4.5 - 2, abs=1e-12)
    assert value(found.by_experts) == pytest.approx(2.5 - 4, abs=1e-12)
    assert isinstance(found.by_judge, Estimate)
    assert isinstance(found.by_experts, Estimate)
    assert (found.by_judge.n, found.by_experts.n) == (5, 3)


def test_models_are_compared_with_themselves_worked_by_hand() -> None:
    # m0: scored 4, others 3 3, weight 1 * 2 / 3. m1: scored 2 2, others 3 1 2: weight 2 * 3 / 5. m2: all were scored.
    # (2/3 * 1 + 6/5 * 0) / (2/3 + 6/5); the plain means differ by (4 + 2 + 2 + 15) / 6 - 12 / 5 = 1.43.
    experts: list[float | None] = [1, NO, NO, NO, NO, 2, 2, NO, NO, NO, 3, 3, 3, NO, NO]
    judge: list[float | None] = [4, 3, 3, NO, NO, 2, 2, 3, 1, 2, 5, 5, 5, NO, NO]
    found = rated(experts, judge, scenes=5)
    assert value(found.by_judge) == pytest.approx((2 / 3) / (2 / 3 + 6 / 5), abs=1e-12)


def test_a_handful_of_items_has_no_interval() -> None:
    scored: list[float | None] = [3, 4, 2, 5, 3, 4, 2, 3, 4, 5, 1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO]
    judge: list[float | None] = [4, 3, 2, 5, 4, 3, 2, 2, 4, 4, 2, 3, 1, 2, 5, 4, 3, 2, 4, 5, 3, 2, 4, 1]
    few = rated(scored, judge, scenes=24).by_judge
    assert isinstance(few, Estimate)
    assert isinstance(few.interval, Undefined)
    assert (
        "at least 12 items of each kind, scored by the other side and not scored by it; the smaller group has 11"
        in in_english(few.interval.reason)
    )
    enough = rated([*scored[:11], 4, *scored[12:]], judge, scenes=24).by_judge
    assert isinstance(enough, Estimate)
    assert isinstance(enough.interval, Interval)


def simulated(seed: int, chosen: float) -> pd.DataFrame:
    """Five models in 12 scenes; experts score about half of the items, the more so the better the judge finds them,
    and the more so the better the model is."""
    random = np.random.default_rng(seed)
    model = np.repeat(np.arange(5), 12)
    truth = random.normal(3, 1, 60) + model / 2
    scored = random.random(60) < 1 / (1 + np.exp(-chosen * (truth - 3 - model / 2) - (model - 2)))
    experts = np.where(scored, truth + random.normal(0, 0.5, 60), np.nan)
    told: Scores = {"ann": [None if np.isnan(score) else float(score) for score in experts]}
    return crossed(told, {"gpt": (truth + random.normal(0, 0.5, 60)).tolist()}, scenes=12)


def least_squares(frame: pd.DataFrame) -> float:
    judged = frame[frame["kind"] == "judge"]
    told = judged.assign(scored=judged["item"].isin(frame.loc[frame["kind"] == "expert", "item"]).astype(float))
    return float(smf.ols("score ~ scored + C(model)", told).fit().params["scored"])


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "chosen"), [(1, 0.0), (2, 2.0)])
def test_it_is_the_effect_of_least_squares_and_its_interval_leaves_out_each_scene(seed: int, chosen: float) -> None:
    frame = simulated(seed, chosen)
    found = selective_rating(beside(frame), ["KA"]).by_judge
    assert value(found) == pytest.approx(least_squares(frame), abs=1e-9)
    without = [least_squares(frame[frame["scene"] != scene]) for scene in sorted(set(frame["scene"]))]
    assert isinstance(found, Estimate)
    assert isinstance(found.interval, Interval)
    expected = jackknifed(found.estimate, without)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-9)
    assert (found.interval.way, found.n) == ("jackknife by scenes", 60)
    assert selected(found) == (chosen > 0)


@pytest.mark.parametrize(
    ("low", "high", "told"), [(0.1, 0.5, True), (-0.5, -0.1, True), (-0.1, 0.5, False), (0.0, 0.5, False)]
)
def test_it_is_more_than_chance_where_the_interval_lies_on_one_side_of_0(low: float, high: float, told: bool) -> None:
    assert selected(Estimate(0.2, Interval(low, high, "jackknife by scenes"), 40)) is told
    assert not selected(Estimate(0.2, Undefined("few scenes"), 40))


ALL = "the other side scored all items, or none"


def test_where_a_side_scored_all_that_the_other_did_there_is_nothing_to_compare() -> None:
    found = rated([1, 2, 3, NO], [1, 2, 3, 4], scenes=4)
    assert in_english(found.by_experts) == Undefined(ALL)
    assert value(found.by_judge) == pytest.approx(2 - 4)
    both = rated([1, 2, 3, 4], [1, 2, 3, 4], scenes=4)
    assert in_english((both.by_judge, both.by_experts)) == (Undefined(ALL), Undefined(ALL))
    apart = rated([1, 2, NO, NO], [NO, NO, 3, 4], scenes=4)
    assert in_english((apart.by_judge, apart.by_experts)) == (Undefined(ALL), Undefined(ALL))


def test_where_no_model_has_both_kinds_of_items_it_says_so() -> None:
    found = rated([1, 2, NO, NO], [1, 2, 3, 4], scenes=2)
    reason = "no model has both items that the other side scored and items that it did not score"
    assert in_english(found.by_judge) == Undefined(reason)


def test_of_few_scenes_there_is_no_interval() -> None:
    found = rated([2, 3, NO, NO], [5, 4, 1, 2], scenes=4).by_judge
    assert isinstance(found, Estimate)
    assert in_english(found.interval) == Undefined("an interval needs at least 5 scenes; found 4")


def test_means_over_metrics_need_all_of_them_on_both_sides() -> None:
    ka = crossed({"ann": [2, 3, NO, NO, 3]}, {"gpt": [5, 4, 1, 2, 5]}, scenes=5)
    ba = crossed({"ann": [2, 3, NO, NO, NO]}, {"gpt": [3, 2, 3, 2, 1]}, scenes=5, metric="BA")
    found = selective_rating(beside(pd.concat([ka, ba], ignore_index=True)), ["KA", "BA"])
    assert value(found.by_judge) == pytest.approx((4 + 3) / 2 - (2 + 2 + 3) / 3, abs=1e-12)


def test_with_experts_drawn_each_is_left_out_too() -> None:
    random = np.random.default_rng(6)
    truth = random.normal(3, 1, 60)
    told: Scores = {
        name: [float(each + random.normal(0, 0.5)) if at % 3 != number else None for at, each in enumerate(truth)]
        for number, name in enumerate(("ann", "bo", "cy"))
    }
    judge: list[float | None] = [float(each) if at % 4 else None for at, each in enumerate(truth)]
    frame = crossed(told, {"gpt": judge}, scenes=12)
    found = selective_rating(beside(frame), ["KA"], "scenes and experts").by_experts
    assert isinstance(found, Estimate)
    assert isinstance(found.interval, Interval)
    assert found.interval.way == "jackknife by scenes and by experts"
    usual = selective_rating(beside(frame), ["KA"]).by_experts
    assert isinstance(usual, Estimate)
    assert usual.interval != found.interval
