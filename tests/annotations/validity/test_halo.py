"""The multitrait-multimethod matrix beside pandas, the verdicts on simulated judges, and what it refuses."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.jackknife import Interval
from annotations.validity.halo import Halo, halo, multitrait_multimethod
from annotations.validity.judge_expert_correlation import Sides, sides_of
from tests.annotations.jackknifed import jackknifed
from tests.annotations.tables import frame_of, rating
from tests.fakes.in_english import in_english

METRICS = ("KA", "EE", "IM")


def scored(judge: np.ndarray, expert: np.ndarray, *, scenes: int = 10) -> pd.DataFrame:
    """Arrays of items x metrics; items go through the scenes, and then to the next model."""
    return frame_of(
        rating(
            item=f"i{i:03}",
            scene=f"s{i % scenes}",
            model=f"m{i // scenes}",
            metric=metric,
            rater=rater,
            kind=kind,
            score=scores[i, k],
        )
        for rater, kind, scores in (("gpt", "judge", judge), ("ann", "expert", expert))
        for i in range(len(scores))
        for k, metric in enumerate(METRICS)
    )


def simulated(impression: float, own: float, n: int = 80) -> pd.DataFrame:
    """Experts tell three unrelated metrics apart. The judge sees each by the share `own`, and has one impression."""
    random = np.random.default_rng(4)
    truth = random.normal(size=(n, 3))
    expert = truth + random.normal(0, 0.4, (n, 3))
    judge = own * truth + impression * random.normal(size=(n, 1)) + random.normal(0, 0.4, (n, 3))
    return scored(judge, expert)


def sides(frame: pd.DataFrame) -> Sides:
    return sides_of(frame, ["gpt"])["gpt"]


def test_the_blocks_are_pandas_correlations() -> None:
    frame = simulated(0.7, 1)
    matrix = multitrait_multimethod(sides(frame), METRICS)
    table = frame.pivot(index="item", columns=["rater", "metric"], values="score")
    r = table.corr()
    for i, first in enumerate(METRICS):
        for j, second in enumerate(METRICS):
            assert matrix.within_judge[i][j] == pytest.approx(r.loc[("gpt", first), ("gpt", second)])
            assert matrix.within_experts[i][j] == pytest.approx(r.loc[("ann", first), ("ann", second)])
            assert matrix.between[i][j] == pytest.approx(r.loc[("gpt", first), ("ann", second)])
    assert matrix.validity == {metric: matrix.between[k][k] for k, metric in enumerate(METRICS)}
    assert (matrix.n, matrix.scenes, matrix.models, matrix.constant, matrix.dropped) == (80, 10, 8, (), ())


def test_one_impression_for_all_metrics_is_halo() -> None:
    found = halo(sides(simulated(impression=2, own=0.7)), METRICS)
    assert found.discrimination.positive
    assert found.discrimination.first > 0.8 > 0.2 > found.discrimination.second
    assert in_english(found.verdict).startswith("Halo effect: the metrics of gpt correlate 0.")
    assert "n = 80 items" in in_english(found.verdict)


def test_a_judge_who_tells_the_metrics_apart_has_none() -> None:
    found = halo(sides(simulated(impression=0, own=1)), METRICS)
    assert not found.discrimination.positive
    assert in_english(found.verdict).startswith("No evidence of halo: ")
    assert found.convergence.positive
    assert not found.no_convergence
    assert in_english(found.convergence_verdict).startswith(
        "Its metrics correlate more with the experts' same metric than with other metrics: gpt correlates 0."
    )


def test_a_judge_who_takes_one_metric_for_another_does_not_converge() -> None:
    random = np.random.default_rng(2)
    expert = random.normal(size=(60, 3))
    chance = random.normal(0, 0.3, (60, 3))
    found = halo(sides(scored(expert[:, [1, 2, 0]] + chance, expert)), METRICS)
    assert found.no_convergence
    assert in_english(found.convergence_verdict).startswith(
        "Its metrics hardly correlate more with the experts' same metric than with other metrics: gpt correlates "
    )
    two_of_three = halo(sides(scored(expert[:, [1, 0, 2]] + chance, expert)), METRICS)
    assert not two_of_three.convergence.positive
    assert not two_of_three.no_convergence
    assert in_english(two_of_three.convergence_verdict).startswith(
        "There is no evidence that its metrics correlate more with the experts' same metric than with other metrics: "
    )


def test_hardly_more_is_told_where_the_whole_interval_lies_below_a_twentieth() -> None:
    found = halo(sides(simulated(impression=0, own=1)), METRICS)
    for interval, told in (
        (Interval(-0.1, 0.0499, "jackknife by scenes"), True),
        (Interval(-0.1, 0.05, "jackknife by scenes"), False),
        (Undefined("few scenes"), False),
    ):
        assert replace(found, convergence=replace(found.convergence, interval=interval)).no_convergence is told


def test_means_and_differences_worked_by_hand() -> None:
    found = halo(sides(simulated(0.7, 1)), METRICS)
    matrix = found.matrix
    off = [(0, 1), (0, 2), (1, 2)]
    within = [np.mean([block[i][j] for i, j in off]) for block in (matrix.within_judge, matrix.within_experts)]
    assert (found.discrimination.first, found.discrimination.second) == pytest.approx(tuple(within))
    assert found.discrimination.difference == pytest.approx(within[0] - within[1])
    beside = [matrix.between[i][j] for i in range(3) for j in range(3) if i != j]
    assert found.convergence.first == pytest.approx(np.mean(list(matrix.validity.values())))
    assert found.convergence.second == pytest.approx(np.mean(beside))


def test_intervals_are_those_of_leaving_out_each_scene() -> None:
    frame = simulated(0.7, 1)
    found = halo(sides(frame), METRICS)
    discriminations, convergences = [], []
    for scene in sorted(set(frame["scene"])):
        table = frame[frame["scene"] != scene].pivot(index="item", columns=["rater", "metric"], values="score")
        r = table[[(rater, metric) for rater in ("gpt", "ann") for metric in METRICS]].corr().to_numpy()
        within = [block[np.triu_indices(3, 1)].mean() for block in (r[:3, :3], r[3:, 3:])]
        discriminations.append(within[0] - within[1])
        same = np.eye(3, dtype=bool)
        convergences.append(r[:3, 3:][same].mean() - r[:3, 3:][~same].mean())
    for contrast, without in ((found.discrimination, discriminations), (found.convergence, convergences)):
        assert isinstance(contrast.interval, Interval)
        assert (contrast.interval.low, contrast.interval.high) == pytest.approx(
            jackknifed(contrast.difference, without), abs=1e-9
        )
        assert contrast.interval.way == "jackknife by scenes"


def test_a_metric_that_a_side_does_not_vary_on_is_left_out_and_named() -> None:
    frame = simulated(0.7, 1)
    flat = frame.assign(score=frame["score"].where((frame["metric"] != "EE") | (frame["kind"] == "expert"), 4.0))
    matrix = multitrait_multimethod(sides(flat), METRICS)
    assert (matrix.metrics, matrix.constant) == (("KA", "IM"), ("EE",))
    with pytest.raises(UndefinedStatistic, match="needs two metrics; found 1, not counting EE, where one side gave"):
        halo(sides(flat), ["KA", "EE"])
    with pytest.raises(UndefinedStatistic, match=r"needs two metrics; found 1$"):
        halo(sides(frame), ["KA"])


def test_items_with_a_gap_are_left_out_and_listed() -> None:
    frame = simulated(0.7, 1)
    gap = (frame["item"] == "i007") & (frame["metric"] == "EE") & (frame["kind"] == "judge")
    matrix = multitrait_multimethod(sides(frame[~gap]), METRICS)
    assert matrix.n == 79
    assert [dropped.item for dropped in matrix.dropped] == ["i007"]
    few = frame[frame["item"] < "i009"]
    with pytest.raises(UndefinedStatistic, match=r"at least 10 items scored on every metric .* gpt; found 9"):
        multitrait_multimethod(sides(few), METRICS)


def test_without_enough_scenes_there_is_no_verdict_of_halo() -> None:
    found = halo(sides(simulated(2, 0.7, n=12).assign(scene="s0", model="m0")), METRICS)
    assert isinstance(found.discrimination.interval, Undefined)
    assert not found.discrimination.positive
    told = "n = 12 items; no interval: an interval needs at least 5 scenes; found 1)."
    for verdict in (found.verdict, found.convergence_verdict):
        assert "cannot be assessed" in in_english(verdict)
        assert in_english(verdict).endswith(told)


def test_the_order_of_rows_changes_nothing() -> None:
    frame = simulated(0.7, 1)
    figures: list[Halo] = [halo(sides(each), METRICS) for each in (frame, frame.sample(frac=1, random_state=1))]
    one, two = (found.discrimination.interval for found in figures)
    assert isinstance(one, Interval)
    assert isinstance(two, Interval)
    assert (one.low, one.high) == pytest.approx((two.low, two.high))


def test_hardly_more_than_with_others_is_hardly_even_where_it_is_surely_more() -> None:
    found = halo(sides(simulated(0.7, 0.7)), METRICS)
    sure = replace(found.convergence, interval=Interval(0.03, 0.04, "jackknife by scenes"))
    hardly = replace(found, convergence=sure)
    assert hardly.no_convergence
    assert in_english(hardly.convergence_verdict).startswith("Its metrics hardly correlate more with")
