"""Judges that look at no item: each worked by hand, and what figures say of them."""

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.validity.baselines import NAMES, baselines
from annotations.validity.concordance import Concordance, concordance
from annotations.validity.judge_expert_correlation import Sides, correlate
from annotations.validity.levels import Level, metric_levels
from tests.annotations.crossed_ratings import beside, crossed
from tests.fakes.in_english import in_english

ANN = [1, 2, 4, 5, None, 3]
BO = [3, 2, 4, 3, 2, None]
GPT = [5, 1, 3, 4, 2, None]
"""Six items of two scenes, turn by turn. The experts' means are 2, 2, 4, 4, 2, 3: of scene 0 2, 4, 2, of scene 1
2, 4, 3."""
LENGTHS = [10, 30, 20, 40, 20, 60]


def sides(lengths: list[int] | None = None) -> Sides:
    frame = crossed({"ann": ANN, "bo": BO}, {"gpt": GPT}, scenes=2)
    if lengths is not None:
        frame["length"] = frame["item"].map({f"i{at:03}": length for at, length in enumerate(lengths)})
    return beside(frame)


def scores(of: Sides) -> list[float]:
    return of.judged["KA"].tolist()


def test_one_score_for_everything_is_the_experts_mean_where_the_judge_gave_one() -> None:
    mean = (2 + 2 + 4 + 4 + 2 + 3) / 6
    assert scores(baselines(sides())["constant"]) == pytest.approx([mean] * 5 + [np.nan], nan_ok=True)


def test_the_mean_of_the_scene_worked_by_hand() -> None:
    found = scores(baselines(sides())["scene mean"])
    assert found == pytest.approx([3, 3.5, 2, 2.5, 3, np.nan], nan_ok=True)


def test_the_length_of_the_text_has_the_experts_mean_and_spread() -> None:
    found = baselines(sides(lengths=LENGTHS))["length"]
    lengths, experts = np.array(LENGTHS), np.array([2, 2, 4, 4, 2, 3])
    expected = experts.mean() + experts.std(ddof=1) * (lengths - lengths.mean()) / lengths.std(ddof=1)
    assert scores(found) == pytest.approx([*expected[:5], np.nan], nan_ok=True)
    r = np.corrcoef(LENGTHS[:5], experts[:5])[0, 1]
    assert correlate(found, "KA").estimate == pytest.approx(r, abs=1e-12)


def test_an_item_without_experts_has_a_length_that_counts_for_no_mean() -> None:
    frame = crossed({"ann": [1, 2, 4, None]}, {"gpt": [1, 2, 3, 4]}, scenes=2)
    frame["length"] = frame["item"].map({"i000": 10, "i001": 20, "i002": 30, "i003": 90})
    found = scores(baselines(beside(frame))["length"])
    spread = float(np.std([1, 2, 4], ddof=1)) / 10  # the lengths of the three have mean 20 and standard deviation 10
    assert found == pytest.approx([7 / 3 - 10 * spread, 7 / 3, 7 / 3 + 10 * spread, 7 / 3 + 70 * spread], abs=1e-12)


def test_without_lengths_or_with_equal_ones_there_is_no_such_judge() -> None:
    assert list(baselines(sides(lengths=LENGTHS))) == list(NAMES)
    without = ["constant", "scene mean", "shuffled"]
    assert list(baselines(sides())) == list(baselines(sides(lengths=[20] * 6))) == without


def test_shuffled_scores_are_those_of_the_judge_on_other_items() -> None:
    own = sides()
    found = scores(baselines(own)["shuffled"])
    assert scores(own) == pytest.approx([*GPT[:5], np.nan], nan_ok=True), "the judge keeps its own"
    assert sorted(found[:5]) == sorted(GPT[:5])
    assert np.isnan(found[5])
    assert found == pytest.approx(scores(baselines(sides())["shuffled"]), nan_ok=True), "always the same"


@pytest.mark.parametrize("seed", range(10))
def test_shuffled_scores_do_not_go_with_the_experts_by_chance(seed: int) -> None:
    # r of one shuffle has the standard deviation .13; that of the median of 99 is a tenth of it.
    truth = np.random.default_rng(seed).normal(size=60).tolist()
    shuffled = baselines(beside(crossed({"ann": truth}, {"gpt": truth})))["shuffled"]
    assert abs(correlate(shuffled, "KA").estimate) < 0.06


def of_two_metrics() -> Sides:
    random = np.random.default_rng(1)
    parts = [
        crossed(
            {"ann": random.normal(at, 1, 60).tolist()},
            {"gpt": [float(10 * score + at) for score in range(60)]},
            metric=metric,
        )
        for at, metric in enumerate(("KA", "BA"))
    ]
    return beside(pd.concat(parts, ignore_index=True))


def test_the_scores_of_an_item_are_shuffled_together() -> None:
    shuffled = baselines(of_two_metrics())["shuffled"].judged
    assert (shuffled["BA"] - shuffled["KA"] == 1).all()
    assert sorted(shuffled["KA"]) == [10 * score for score in range(60)]
    assert (shuffled["KA"].to_numpy() != 10 * np.arange(60)).mean() > 0.9


def test_each_metric_has_its_own_mean() -> None:
    own = of_two_metrics()
    found = baselines(own)["constant"].judged
    assert found["KA"].unique() == pytest.approx([own.experts["KA"].mean()])
    assert found["BA"].unique() == pytest.approx([own.experts["BA"].mean()])


def test_a_metric_that_no_expert_scored_has_no_score_of_baselines_made_of_experts() -> None:
    frame = crossed({"ann": [1, 2, 3, 4]}, {"gpt": [1, 2, 2, 3]}, scenes=2)
    alone = crossed({}, {"gpt": [5, 4, 3, 2]}, scenes=2, metric="BA")
    found = baselines(beside(pd.concat([frame, alone], ignore_index=True)))
    for name in ("constant", "scene mean"):
        assert found[name].judged["BA"].isna().all()
        assert found[name].judged["KA"].notna().all()
    assert sorted(found["shuffled"].judged["BA"]) == [2, 3, 4, 5]


def test_they_are_called_what_they_are_and_are_no_rehearsal() -> None:
    found = baselines(sides(lengths=LENGTHS))
    assert in_english({name: one.called for name, one in found.items()}) == {
        "constant": "one score for all items",
        "scene mean": "the scene's mean",
        "length": "the text's length",
        "shuffled": "the judge's scores, shuffled",
    }
    assert not any(one.improvised for one in found.values())


def test_one_score_for_everything_has_no_r_and_the_least_squared_distance() -> None:
    random = np.random.default_rng(2)
    experts = {name: random.integers(1, 6, 40).astype(float).tolist() for name in ("ann", "bo")}
    own = beside(crossed(experts, {"gpt": random.integers(1, 6, 40).astype(float).tolist()}))
    constant = baselines(own)["constant"]
    level = metric_levels(constant, "KA").items
    assert in_english(level) == Undefined("all 40 scores are the same for one score for all items")
    found = concordance(constant, ["KA"])
    assert isinstance(found, Concordance)
    expert = own.experts["KA"]
    assert found.bias.estimate == pytest.approx(0, abs=1e-12)
    assert found.mae.estimate == pytest.approx((expert - expert.mean()).abs().mean(), abs=1e-12)


def test_the_mean_of_the_scene_is_that_of_its_other_items_and_of_all_where_there_is_none() -> None:
    random = np.random.default_rng(3)
    expert = (random.normal(3, 1, 60) + np.arange(60) % 10).tolist()
    own = beside(crossed({"ann": expert}, {"gpt": random.normal(3, 1, 60).tolist()}, scenes=10))
    found = metric_levels(baselines(own)["scene mean"], "KA")
    by_scene = own.experts["KA"].groupby(own.items["scene"], observed=True)
    means = (by_scene.transform("sum") - own.experts["KA"]) / 5
    assert isinstance(found.items, Level)
    assert found.items.pearson.estimate == pytest.approx(np.corrcoef(means, own.experts["KA"])[0, 1], abs=1e-12)
    alone = beside(crossed({"ann": expert}, {"gpt": expert}, scenes=60))
    assert scores(baselines(alone)["scene mean"]) == pytest.approx([np.mean(expert)] * 60)
