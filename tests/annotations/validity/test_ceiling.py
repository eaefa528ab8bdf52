"""The ceiling against Shrout & Fleiss, a simulation and plain loops; single experts beside the judge by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined, UndefinedStatistic
from annotations.reliability.cronbach_alpha import cronbach_alpha
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Drawing, Interval, resampling
from annotations.validity.ceiling import Panel, SingleExpert, ceiling, expert_tables, panel, single_experts
from tests.annotations.bias_corrected import bias_corrected
from tests.annotations.crossed_ratings import Scores, beside, crossed
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
    assert found.ceiling.estimate == pytest.approx(np.sqrt(icc), abs=1e-6)
    r = np.corrcoef(np.mean(list(SHROUT_FLEISS.values()), axis=0), GPT)[0, 1]
    assert found.pearson.estimate == pytest.approx(r, abs=1e-12)
    assert (found.n, found.experts, found.left_out) == (6, 4, 0)


def test_r_corrected_for_the_experts_error_is_r_with_the_truth() -> None:
    # Reliability 1 / (1 + 1/3) = .75; r with the truth 1 / sqrt(2), with the experts' mean less by sqrt(.75).
    frame, truth, judge = simulated(seed=1, n=4000, error=1)
    found = ceiling(panel_of(frame), Drawing(draws=50))
    assert found.ceiling.estimate == pytest.approx(np.sqrt(0.75), abs=0.02)
    assert found.pearson.estimate == pytest.approx(np.sqrt(0.75 / 2), abs=0.03)
    assert isinstance(found.disattenuated, Estimate)
    assert found.disattenuated.estimate == pytest.approx(np.corrcoef(truth, judge)[0, 1], abs=0.02)


def test_intervals_are_those_of_items_written_as_often_as_they_count() -> None:
    scores = panel_of(simulated(seed=2, n=36, error=0.7)[0])
    found = ceiling(scores, Drawing(draws=120, seed=5))
    rows = []
    drawn = resampling(scores.sides.items["scene"], scores.sides.items["model"], Drawing(draws=120, seed=5))
    for count in np.concatenate(list(drawn.counts())).astype(int):
        experts = pd.DataFrame(np.repeat(scores.experts.to_numpy(), count, axis=0))
        alpha = cronbach_alpha(experts).estimate
        r = np.corrcoef(experts.mean(axis=1), np.repeat(scores.judged.to_numpy(), count))[0, 1]
        rows.append([alpha, np.sqrt(alpha), r, min(r / np.sqrt(alpha), 1)])
    figures = found.reliability, found.ceiling, found.pearson, found.disattenuated
    for estimate, drawn_of in zip(figures, np.array(rows).T.tolist(), strict=True):
        assert isinstance(estimate, Estimate)
        assert isinstance(estimate.interval, Interval)
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
            bias_corrected(estimate.estimate, drawn_of), abs=1e-9
        )


def test_beyond_the_ceiling_there_is_no_corrected_r() -> None:
    experts = {"ann": [1, 2, 3, 4, 5, 6], "bo": [2, 5, 1, 6, 3, 4]}
    found = ceiling(scored(experts, np.mean(list(experts.values()), axis=0).tolist()))
    assert found.ceiling.estimate < found.pearson.estimate == pytest.approx(1)
    assert isinstance(found.disattenuated, Undefined)
    assert in_english(found.disattenuated.reason).startswith("r = 1.000 is beyond the ceiling, 0.")


def test_the_interval_of_the_corrected_r_stops_at_1() -> None:
    random = np.random.default_rng(1)
    truth = random.normal(size=60)
    experts = {f"e{r}": (truth + random.normal(0, 1, 60)).tolist() for r in range(3)}
    found = ceiling(scored(experts, (truth + random.normal(0, 0.3, 60)).tolist()))
    assert isinstance(found.disattenuated, Estimate)
    assert isinstance(found.disattenuated.interval, Interval)
    assert found.disattenuated.estimate < found.disattenuated.interval.high == 1


def test_what_hanna_s_slots_say(hanna: pd.DataFrame) -> None:
    metrics = sorted(hanna["metric"].unique())
    with pytest.raises(UndefinedStatistic, match=r"is -0\.18 over 1,056 items: it sets no ceiling"):
        ceiling(panel_of(hanna, "coherence", judge="chatgpt"))
    beyond = ceiling(panel_of(hanna, *metrics, judge="beluga-13b"), Drawing(draws=20))
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
        ({"ann": [1, 2, 3]}, [1, 2, 3], "alpha compares at least two columns, and there is ann"),
        ({"ann": [1, 2, 3], "bo": [2, 3, 5]}, [1, 2], "alpha needs at least 3 rows"),
        ({"ann": [1, 2, 3], "bo": [3, 2, 2]}, [1, 2, 3], "it sets no ceiling"),
        ({"ann": [1, 2, 3], "bo": [1, 2, 2]}, [2, 2, 2], "gpt gave all 3 items the same score, 2"),
    ],
)
def test_what_sets_no_ceiling(experts: Scores, judge: list[float | None], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        ceiling(scored(experts, judge))


def test_each_expert_and_the_judge_stand_against_the_same_others() -> None:
    # Item 4 was scored by ann and cy only, item 5 by ann alone: it counts for nobody.
    ann, bo, cy = [1, 2, 4, 3, 5, 2], [2, 2, 5, 3, None, None], [1, 3, 3, 4, 4, None]
    gpt = [2, 1, 4, 4, 3, 5]
    found = single_experts(scored({"ann": ann, "bo": bo, "cy": cy}, gpt))
    with_ann = found.by_expert["ann"]
    assert isinstance(with_ann, SingleExpert)
    others = [1.5, 2.5, 4, 3.5, 4]
    assert with_ann.pearson.estimate == pytest.approx(np.corrcoef(ann[:5], others)[0, 1], abs=1e-12)
    assert with_ann.judge.estimate == pytest.approx(np.corrcoef(gpt[:5], others)[0, 1], abs=1e-12)
    with_bo = found.by_expert["bo"]
    assert isinstance(with_bo, SingleExpert)
    assert with_bo.judge.estimate == pytest.approx(np.corrcoef(gpt[:4], [1, 2.5, 3.5, 3.5])[0, 1], abs=1e-12)
    assert (with_ann.n, with_ann.judge.n, with_bo.n) == (5, 5, 4)
    rs = {name: each.pearson.estimate for name, each in found.by_expert.items() if isinstance(each, SingleExpert)}
    assert found.best.expert == max(rs, key=lambda name: rs[name])


def test_the_expert_with_the_least_error_is_the_best() -> None:
    random = np.random.default_rng(3)
    truth = random.normal(size=300)
    errors = {"ann": 1.5, "bo": 0.3, "cy": 1.0}
    experts = {name: (truth + random.normal(0, error, 300)).tolist() for name, error in errors.items()}
    found = single_experts(scored(experts, (truth + random.normal(0, 0.1, 300)).tolist()))
    assert found.best.expert == "bo"
    assert found.best.judge.estimate > found.best.pearson.estimate
    assert isinstance(found.best.pearson.interval, Interval)
    assert found.best.pearson.interval.low < found.best.pearson.estimate < found.best.pearson.interval.high


def test_an_expert_that_cannot_be_set_against_the_others_says_why() -> None:
    experts = {"ann": [1, 2, 3, 4], "bo": [2, 2, 2, 2], "cy": [None, None, 4, 5]}
    found = single_experts(scored(experts, [1, 2, 4, 3]))
    assert isinstance(found.by_expert["ann"], SingleExpert)
    assert in_english(found.by_expert["bo"]) == Undefined("all 4 scores are the same for bo")
    assert in_english(found.by_expert["cy"]) == Undefined(
        "r needs at least 3 items scored by cy, gpt and another expert; there are 2"
    )
    assert found.best.expert == "ann"


def test_nobody_is_the_best_of_none() -> None:
    found = single_experts(scored({"ann": [1, 2], "bo": [2, 3]}, [1, 2]))
    with pytest.raises(UndefinedStatistic, match=r"no expert can be set against the others \(ann: r needs"):
        _ = found.best
    with pytest.raises(UndefinedStatistic, match="and there is ann"):
        single_experts(scored({"ann": [1, 2, 3]}, [1, 2, 3]))


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
    called = dict(zip(["e0", "e1", "e2"], names, strict=True))
    one, other = panel_of(frame), panel_of(frame.iloc[order].replace({"rater": called}))
    first, second = (ceiling(scores, Drawing(draws=50)) for scores in (one, other))
    assert second.ceiling.estimate == pytest.approx(first.ceiling.estimate, abs=1e-9)
    singles, renamed = (single_experts(scores, Drawing(draws=50)) for scores in (one, other))
    assert renamed.best.expert == called[singles.best.expert]
    assert renamed.best.pearson.estimate == pytest.approx(singles.best.pearson.estimate, abs=1e-9)
