"""A judge corrected by experts, as standings: the same means as the corrected leaderboard, one metric at a time."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from annotations.errors import UndefinedStatistic
from annotations.leaderboard.prediction_powered import (
    CorrectedMean,
    corrected_leaderboard,
    corrected_standings,
    sides_of_tables,
)
from annotations.resampling.draws import Draws
from annotations.resampling.jackknife import Interval
from annotations.validity.judge_expert_correlation import sides_of
from tests.fakes.in_english import in_english

METRICS = ("KA", "BA")


def tables(labelled=6, scenes=12):
    """Two models in each scene, judged everywhere and scored by experts in the first scenes; one without experts."""
    random = np.random.default_rng(4)
    rows = [(f"{scene}-{model}", f"s{scene}", model) for scene in range(scenes) for model in ("a", "b", "c")]
    judged = pd.DataFrame(rows, columns=["item", "scene", "model"])
    truth = {"a": 4.0, "b": 3.0, "c": 2.0}
    for metric in METRICS:
        judged[metric] = judged["model"].map(truth) + random.normal(0.5, 0.5, len(judged))
    here = judged["scene"].isin([f"s{scene}" for scene in range(labelled)]) & (judged["model"] != "c")
    experts = judged[here].copy()
    for metric in METRICS:
        experts[metric] += random.normal(-0.5, 0.2, len(experts))
    return experts, judged


def test_they_are_the_corrected_means_of_the_ratings_in_long_form():
    experts, judged = tables()
    sides = sides_of_tables("GPT-4", experts, judged, METRICS)
    found = corrected_standings(sides, METRICS)
    long = pd.concat(
        side.melt(["item", "scene", "model"], [*METRICS], "metric", "score").assign(rater=rater, kind=kind)
        for side, rater, kind in ((experts, "e", "expert"), (judged, "GPT-4", "judge"))
    )
    other = sides_of(long, ["GPT-4"])["GPT-4"]
    for name, of in (("KA", ["KA"]), ("BA", ["BA"]), ("overall", METRICS)):
        expected = corrected_leaderboard(other, of)
        for one in (one for one in found.standings if one.metric == name):
            mean = expected[one.model].corrected
            assert isinstance(mean, CorrectedMean)
            assert isinstance(mean.interval, Interval)
            assert (one.mean, one.low, one.high) == pytest.approx(
                (mean.estimate, mean.interval.low, mean.interval.high)
            )
            assert (one.items, one.scenes) == (12, 12)
    assert [(one.model, one.rank) for one in found.standings if one.metric == "overall"] == [("a", 1), ("b", 2)]
    assert {model for model, _ in found.undefined} == {"c"}
    assert len(found.undefined) == 3
    assert "5 items" in in_english(found.undefined["c", "KA"].reason)


def test_an_interval_and_how_sure_the_order_is_need_five_scenes_that_experts_scored():
    for labelled, drawn in ((4, False), (5, True)):
        experts, judged = tables(labelled, scenes=14)
        more = experts.assign(item=experts["item"] + "-again")
        sides = sides_of_tables("GPT-4", pd.concat([experts, more]), pd.concat([judged, more]), METRICS)
        found = corrected_standings(sides, METRICS).standings
        assert {one.low is not None for one in found} == {one.high is not None for one in found} == {drawn}
        assert {one.best_rank is not None for one in found} == {drawn}
        assert {one.first is not None for one in found} == {drawn}


def test_models_of_different_quality_keep_their_order_in_all_draws_and_models_alike_do_not():
    experts, judged = tables()
    found = corrected_standings(sides_of_tables("GPT-4", experts, judged, METRICS), METRICS).standings
    assert [(one.rank, one.best_rank, one.worst_rank, one.first) for one in found if one.metric == "overall"] == [
        (1, 1, 1, 1.0), (2, 2, 2, 0.0),
    ]  # fmt: skip
    for table in (experts, judged):
        table.loc[table["model"] == "b", [*METRICS]] += 1
    found = corrected_standings(sides_of_tables("GPT-4", experts, judged, METRICS), METRICS).standings
    alike = [one for one in found if one.metric == "overall"]
    assert {(one.best_rank, one.worst_rank) for one in alike} == {(1, 2)}
    assert sum(one.first for one in alike) == pytest.approx(1)


def test_the_draws_decide_how_sure_the_order_is_and_nothing_else():
    experts, judged = tables()
    for table in (experts, judged):
        table.loc[table["model"] == "b", [*METRICS]] += 1
    sides = sides_of_tables("GPT-4", experts, judged, METRICS)
    one, same, other = (corrected_standings(sides, METRICS, Draws(60, seed)).standings for seed in (1, 1, 2))
    assert one == same != other
    for first, second in zip(one, other, strict=True):
        assert replace(first, best_rank=None, worst_rank=None, first=None) == replace(
            second, best_rank=None, worst_rank=None, first=None
        )


def test_where_nothing_can_be_corrected_it_says_why():
    experts, judged = tables()
    with pytest.raises(UndefinedStatistic, match="at least 5 items scored by both the experts and the judge; found 0"):
        corrected_standings(sides_of_tables("GPT-4", experts[:0], judged, METRICS), METRICS)
