"""The ceiling against Shrout & Fleiss, a simulation and plain loops; a single expert beside the judge by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.reliability.cronbach_alpha import cronbach_alpha
from annotations.resampling.jackknife import Interval
from annotations.validity.ceiling import Panel, ceiling, expert_tables, panel, single_expert
from tests.annotations.crossed_ratings import Scores, beside, crossed
from tests.annotations.jackknifed import ALPHA, CORRELATION, jackknifed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

SHROUT_FLEISS = {
    "j1": [9, 6, 8, 7, 10, 6],
    "j2": [2, 1, 4, 1, 5, 2],
    "j3": [5, 3, 6, 2, 6, 4],
    "j4": [8, 2, 8, 6, 9, 7],
}
GPT = [7, 2, 6, 3, 8, 5]


def panel_of(frame: pd.DataFrame, *metrics: str, judge: str = "gpt") -> Panel:
    return panel(beside(frame, judge), expert_tables(frame), metrics or ["KA"])


def scored(experts: Scores, judge: list[float | None]) -> Panel:
    return panel_of(crossed(experts, {"gpt": judge}))


def simulated(seed: int, n: int, error: float) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Three experts with this error beside a judge with error 1; the truth varies by 1."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=n)
    experts = {f"e{r}": (truth + random.normal(0, error, n)).tolist() for r in range(3)}
    judge = truth + random.normal(size=n)
    return crossed(experts, {"gpt": judge.tolist()}), truth, judge


def test_the_reliability_is_shrout_and_fleiss_icc_of_means() -> None:
    found = ceiling(scored(SHROUT_FLEISS, GPT))
    assert found.reliability.estimate == pytest.approx(0.91, abs=0.005)
    icc = 1 - (15.291667 / 15) / (56.208333 / 5)  # from their mean squares: within items, between items
    assert found.reliability.estimate == pytest.approx(icc, abs=1e-6)
    assert found.ceiling == pytest.approx(np.sqrt(icc), abs=1e-6)
    r = np.corrcoef(np.mean(list(SHROUT_FLEISS.values()), axis=0), GPT)[0, 1]
    assert found.pearson.estimate == pytest.approx(r, abs=1e-12)
    assert (found.n, found.experts, found.left_out) == (6, 4, 0)


def test_r_corrected_for_the_experts_error_is_r_with_the_truth() -> None:
    # Reliability 1 / (1 + 1/3) = .75; r with the truth 1 / sqrt(2), with the experts' mean less by sqrt(.75).
    frame, truth, judge = simulated(seed=1, n=4000, error=1)
    found = ceiling(panel_of(frame))
    assert found.ceiling == pytest.approx(np.sqrt(0.75), abs=0.02)
    assert found.pearson.estimate == pytest.approx(np.sqrt(0.75 / 2), abs=0.03)
    assert found.disattenuated == pytest.approx(np.corrcoef(truth, judge)[0, 1], abs=0.02)


def test_intervals_are_those_of_leaving_out_each_scene() -> None:
    scores = panel_of(simulated(seed=2, n=36, error=0.7)[0])
    found = ceiling(scores)
    scene, rows = scores.sides.items["scene"], []
    for left_out in sorted(set(scene)):
        kept = scene != left_out
        experts = scores.experts[kept]
        alpha = cronbach_alpha(experts).estimate
        rows.append((alpha, np.corrcoef(experts.mean(axis=1), scores.judged[kept])[0, 1]))
    alphas, rs = zip(*rows, strict=True)
    for estimate, without, scale in ((found.reliability, alphas, ALPHA), (found.pearson, rs, CORRELATION)):
        assert isinstance(estimate.interval, Interval)
        expected = jackknifed(estimate.estimate, without, scale)
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(expected, abs=1e-9)
        assert (estimate.interval.way, estimate.n) == ("jackknife by scenes", 36)


def test_beyond_the_ceiling_there_is_no_corrected_r() -> None:
    experts = {"ann": [1, 2, 3, 4, 5, 6], "bo": [2, 5, 1, 6, 3, 4]}
    found = ceiling(scored(experts, np.mean(list(experts.values()), axis=0).tolist()))
    assert isinstance(found.ceiling, float)
    assert found.ceiling < found.pearson.estimate == pytest.approx(1)
    assert isinstance(found.disattenuated, Undefined)
    assert in_english(found.disattenuated.reason).startswith("r = 1.000 exceeds the ceiling of 0.")


def test_ceiling_and_corrected_r_are_made_of_reliability_and_r() -> None:
    found = ceiling(panel_of(simulated(seed=2, n=36, error=0.7)[0]))
    assert isinstance(found.ceiling, float)
    assert found.ceiling == pytest.approx(found.reliability.estimate**0.5, abs=1e-12)
    assert found.disattenuated == pytest.approx(found.pearson.estimate / found.ceiling, abs=1e-12)
    mirrored = ceiling(panel_of(turned(simulated(seed=2, n=36, error=0.7)[0])))
    assert mirrored.ceiling == found.ceiling
    assert mirrored.disattenuated == pytest.approx(-found.pearson.estimate / found.ceiling, abs=1e-9)


def turned(frame: pd.DataFrame) -> pd.DataFrame:
    """With a judge that says the opposite."""
    return frame.assign(score=frame["score"].where(frame["kind"] == "expert", -frame["score"]))


def test_an_r_far_below_0_is_beyond_the_ceiling_too() -> None:
    experts = {"ann": [1, 2, 3, 4, 5, 6], "bo": [2, 5, 1, 6, 3, 4]}
    found = ceiling(scored(experts, (-np.mean(list(experts.values()), axis=0)).tolist()))
    assert isinstance(found.disattenuated, Undefined)
    assert in_english(found.disattenuated.reason).startswith("r = -1.000 exceeds the ceiling of 0.")


def test_what_hanna_s_slots_say(hanna: pd.DataFrame) -> None:
    metrics = sorted(hanna["metric"].unique())
    negative = ceiling(panel_of(hanna, "coherence", judge="chatgpt"))
    assert isinstance(negative.ceiling, Undefined)
    assert in_english(negative.ceiling.reason).endswith("is -0.18 over 1,056 items, so there is no ceiling")
    assert negative.disattenuated == negative.ceiling
    beyond = ceiling(panel_of(hanna, *metrics, judge="beluga-13b"))
    assert isinstance(beyond.disattenuated, Undefined)
    assert (beyond.n, beyond.experts) == (1056, 3)


def test_only_items_that_all_scored_count_for_the_ceiling() -> None:
    whole = ceiling(scored(SHROUT_FLEISS, GPT))
    more = {name: [*scores, None, 4] for name, scores in SHROUT_FLEISS.items()} | {"j1": [*SHROUT_FLEISS["j1"], 3, 4]}
    found = ceiling(scored(more, [*GPT, 5]))
    assert (found.reliability.estimate, found.n, found.left_out) == (whole.reliability.estimate, 6, 2)


@pytest.mark.parametrize(
    ("experts", "judge", "reason"),
    [
        ({"ann": [1, 2, 3]}, [1, 2, 3], "alpha needs at least two columns; found ann"),
        ({"ann": [1, 2, 3], "bo": [2, 3, 5]}, [1, 2], "alpha needs at least 3 rows"),
    ],
)
def test_what_has_no_reliability(experts: Scores, judge: list[float | None], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        ceiling(scored(experts, judge))


def test_a_judge_of_one_score_has_no_r_and_leaves_the_experts_their_reliability() -> None:
    found = ceiling(scored({"ann": [1, 2, 3], "bo": [1, 2, 2]}, [2, 2, 2]))
    assert in_english(found.pearson) == Undefined("gpt gave all 3 items the same score, 2")
    assert found.disattenuated == found.pearson
    assert found.reliability.estimate == pytest.approx(6 / 7)
    assert found.ceiling == pytest.approx((6 / 7) ** 0.5)


def test_a_reliability_that_is_not_above_0_is_told_and_sets_no_ceiling() -> None:
    # Variances 1 and 1/3, that of the sums 1/3: alpha = 2 (1 - (4/3) / (1/3)) = -6.
    found = ceiling(scored({"ann": [1, 2, 3], "bo": [3, 2, 2]}, [1, 2, 3]))
    assert found.reliability.estimate == pytest.approx(-6, abs=1e-9)
    assert in_english(found.ceiling) == Undefined(
        "the reliability of the experts' mean is -6.00 over 3 items, so there is no ceiling"
    )
    assert found.disattenuated == found.ceiling
    assert found.pearson.estimate == pytest.approx(np.corrcoef([4, 4, 5], [1, 2, 3])[0, 1], abs=1e-12)


def test_a_single_expert_and_the_judge_stand_against_the_same_others() -> None:
    # Item 4 was scored by ann and cy only, item 5 by ann alone: it counts for nobody.
    ann, bo, cy = [1, 2, 4, 3, 5, 2], [2, 2, 5, 3, None, None], [1, 3, 3, 4, 4, None]
    gpt = [2, 1, 4, 4, 3, 5]
    found = single_expert(scored({"ann": ann, "bo": bo, "cy": cy}, gpt))
    others = ((ann[:5], [1.5, 2.5, 4, 3.5, 4]), (bo[:4], [1, 2.5, 3.5, 3.5]), (cy[:5], [1.5, 2, 4.5, 3, 5]))
    own = [np.corrcoef(np.array(one, dtype=float), mean)[0, 1] for one, mean in others]
    judge = [np.corrcoef(gpt[: len(mean)], mean)[0, 1] for _, mean in others]
    assert found.pearson.estimate == pytest.approx(np.mean(own), abs=1e-12)
    assert found.judge.estimate == pytest.approx(np.mean(judge), abs=1e-12)
    assert (found.n, found.pearson.n, found.judge.n, found.experts) == (5, 5, 5, 3)


def ends(interval: Interval | Undefined) -> tuple[float, float]:
    assert isinstance(interval, Interval)
    return interval.low, interval.high


def test_the_intervals_of_a_single_expert_are_those_of_leaving_out_each_scene() -> None:
    scores = panel_of(simulated(seed=2, n=36, error=0.7)[0])
    found = single_expert(scores)
    scene, rows = scores.sides.items["scene"], []
    for left_out in sorted(set(scene)):
        experts, judged = scores.experts[scene != left_out], scores.judged[scene != left_out]
        others = {name: experts.drop(columns=name).mean(axis=1) for name in experts}
        own = [np.corrcoef(experts[name], mean)[0, 1] for name, mean in others.items()]
        judge = [np.corrcoef(judged, mean)[0, 1] for mean in others.values()]
        rows.append((np.mean(own), np.mean(judge)))
    for estimate, without in zip((found.pearson, found.judge), np.array(rows).T.tolist(), strict=True):
        assert ends(estimate.interval) == pytest.approx(jackknifed(estimate.estimate, without, CORRELATION), abs=1e-9)


def test_the_interval_of_a_single_expert_rests_on_the_scenes_that_experts_scored() -> None:
    frame = simulated(seed=2, n=60, error=0.7)[0]
    frame = frame.assign(scene="s" + frame["item"].str[1:].astype(int).mod(12).astype(str).str.zfill(2))
    for seen, there in ((6, True), (4, False)):
        by_experts = frame["scene"] < f"s{seen:02}"
        found = single_expert(panel_of(frame[by_experts | (frame["kind"] == "judge")]))
        alone = single_expert(panel_of(frame[by_experts]))
        assert found.pearson.estimate == pytest.approx(alone.pearson.estimate, abs=1e-9)
        assert isinstance(alone.pearson.interval, Interval) == there
        assert isinstance(found.pearson.interval, Interval) == there
        if there:
            assert ends(found.pearson.interval) == pytest.approx(ends(alone.pearson.interval), abs=1e-9)


def test_experts_with_the_same_error_as_the_judge_are_its_like() -> None:
    # Truth and errors have variance 1: the mean of two others has 1.5, a single score 2, and both share 1.
    frame, _, _ = simulated(seed=1, n=4000, error=1)
    found = single_expert(panel_of(frame))
    assert found.pearson.estimate == pytest.approx(1 / np.sqrt(2 * 1.5), abs=0.03)
    assert found.judge.estimate == pytest.approx(1 / np.sqrt(2 * 1.5), abs=0.03)


def test_an_expert_that_cannot_be_set_against_the_others_is_left_out() -> None:
    experts = {"ann": [1, 2, 3, 4], "bo": [2, 2, 2, 2], "cy": [None, None, 4, 5]}
    found = single_expert(scored(experts, [1, 2, 4, 3]))
    assert found.experts == 1
    assert found.pearson.estimate == pytest.approx(np.corrcoef([1, 2, 3, 4], [2, 2, 3, 3.5])[0, 1], abs=1e-12)


def test_where_no_expert_can_be_set_against_the_others_it_says_why() -> None:
    with pytest.raises(UndefinedStatistic, match=r"no expert can be compared with the other experts \(ann: r needs"):
        single_expert(scored({"ann": [1, 2], "bo": [2, 3]}, [1, 2]))
    with pytest.raises(UndefinedStatistic, match="bo: all 4 scores are the same for bo"):
        single_expert(scored({"ann": [1, 2, 3, 4], "bo": [2, 2, 2, 2]}, [1, 2, 4, 3]))
    with pytest.raises(UndefinedStatistic, match="and there is ann"):
        single_expert(scored({"ann": [1, 2, 3]}, [1, 2, 3]))


def test_means_over_metrics_need_all_of_them() -> None:
    ka = crossed({"ann": [1, 2, 3], "bo": [2, 2, 4]}, {"gpt": [1, 2, 2]})
    ba = crossed({"ann": [3, 4, 3], "bo": [4, 2]}, {"gpt": [5, 2, 4]}, metric="BA")
    found = panel_of(pd.concat([ka, ba], ignore_index=True), "KA", "BA")
    assert found.experts["ann"].tolist() == [2, 3, 3]
    assert found.experts["bo"].tolist()[:2] == [3, 2]
    assert np.isnan(found.experts["bo"].iloc[2])
    assert found.judged.tolist() == [3, 2, 3]
    assert panel_of(ka, "PT").experts.empty


@settings(max_examples=examples(3, 10))
@given(st.permutations(range(144)), st.permutations(["e0", "e1", "e2"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(order: list[int], names: list[str]) -> None:
    frame = simulated(seed=4, n=36, error=0.7)[0]
    renamed = frame.iloc[order].replace({"rater": dict(zip(["e0", "e1", "e2"], names, strict=True))})
    one, other = panel_of(frame), panel_of(renamed)
    first, second = (ceiling(scores) for scores in (one, other))
    assert second.ceiling == pytest.approx(first.ceiling, abs=1e-9)
    single, same = (single_expert(scores) for scores in (one, other))
    assert same.pearson.estimate == pytest.approx(single.pearson.estimate, abs=1e-9)
    assert ends(same.pearson.interval) == pytest.approx(ends(single.pearson.interval), abs=1e-9)
