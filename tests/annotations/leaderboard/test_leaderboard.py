"""The leaderboard: table 1 of the paper, recomputed the slow way."""

import math
import random
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annotations.errors import UndefinedStatistic
from annotations.leaderboard.standings import FEWEST_ITEMS, leaderboard, standings
from annotations.resampling.draws import Draws, scene_counts
from annotations.resampling.jackknife import FEWEST_CLUSTERS

METRICS = ("KA", "BA")
QUALITY = {"good": 4.2, "fair": 3.1, "poor": 2.0}


def ratings(scenes=10, models=QUALITY, noise=0.6, seed=1):
    """Scores of two or three characters in each scene, some scenes harder than others; a table of ratings."""
    chance = random.Random(seed)
    rows = []
    for scene in range(scenes):
        hard = chance.gauss(0, 0.5)
        for model, level in models.items():
            for character in range(2 + scene % 2):
                for metric in METRICS:
                    score = level + hard + chance.gauss(0, noise)
                    rows.append((f"{scene}:{model}:{character}", f"s{scene}", model, metric, score))
    return pd.DataFrame(rows, columns=["item", "scene", "model", "metric", "score"])


def by_hand(frame, model, metric):
    """Mean and standard deviation over scenes, with loops."""
    scenes = {}
    for row in frame.itertuples():
        if row.model == model and row.metric == metric and row.score == row.score:
            scenes.setdefault(row.scene, []).append(row.score)
    means = [sum(scores) / len(scores) for scores in scenes.values()]
    return sum(means) / len(means), statistics.stdev(means), len(means)


def test_means_and_deviations_are_those_of_a_slow_computation():
    frame = ratings()
    for standing in leaderboard(frame, METRICS):
        if standing.metric == "overall":
            parts = [by_hand(frame, standing.model, metric)[0] for metric in METRICS]
            assert standing.mean == pytest.approx(sum(parts) / len(parts))
        else:
            mean, sd, scenes = by_hand(frame, standing.model, standing.metric)
            assert (standing.mean, standing.sd, standing.scenes) == (pytest.approx(mean), pytest.approx(sd), scenes)
        assert standing.items == 25
        assert standing.low < standing.mean < standing.high


def test_models_that_were_made_of_different_quality_stand_in_that_order():
    overall = [one for one in leaderboard(ratings(), METRICS) if one.metric == "overall"]
    assert [one.model for one in overall] == list(QUALITY)
    assert [(one.rank, one.best_rank, one.worst_rank, one.first) for one in overall] == [
        (1, 1, 1, 1.0), (2, 2, 2, 0.0), (3, 3, 3, 0.0),
    ]  # fmt: skip


def test_models_alike_are_uncertain_in_their_order_and_a_hard_scene_is_hard_for_all():
    alike = [one for one in leaderboard(ratings(models={"a": 3.0, "b": 3.0}), METRICS) if one.metric == "overall"]
    assert {(one.best_rank, one.worst_rank) for one in alike} == {(1, 2)}
    assert sum(one.first for one in alike) == pytest.approx(1)
    close = leaderboard(ratings(models={"a": 3.2, "b": 3.0}, noise=0.01), METRICS)
    assert all(one.first == 1 for one in close if one.model == "a"), "though their intervals overlap"


def test_scenes_count_alike_however_many_characters_they_have():
    rows = [("1:a", "s1", "m", "KA", 1.0), *((f"2:{n}", "s2", "m", "KA", 5.0) for n in range(4))]
    [standing, _] = leaderboard(pd.DataFrame(rows, columns=["item", "scene", "model", "metric", "score"]), ["KA"])
    assert (standing.mean, standing.sd, standing.low, standing.first) == (3.0, pytest.approx(8**0.5), None, None)


def test_a_missing_score_is_not_made_up():
    frame = ratings()
    frame.loc[(frame["scene"] == "s3") & (frame["model"] == "good") & (frame["metric"] == "KA"), "score"] = float("nan")
    found = {(one.model, one.metric): one for one in leaderboard(frame, METRICS)}
    assert found["good", "KA"].scenes == found["good", "overall"].scenes == 9
    assert found["good", "BA"].scenes == found["fair", "overall"].scenes == 10
    mean, sd, _ = by_hand(frame, "good", "KA")
    assert (found["good", "KA"].mean, found["good", "KA"].sd) == (pytest.approx(mean), pytest.approx(sd))


def test_overall_counts_the_items_of_scenes_that_are_in_its_mean_only():
    frame = ratings()
    frame.loc[(frame["scene"] == "s3") & (frame["model"] == "good") & (frame["metric"] == "KA"), "score"] = float("nan")
    frame.loc[(frame["item"] == "1:good:0") & (frame["metric"] == "KA"), "score"] = float("nan")
    frame.loc[(frame["model"] == "poor") & (frame["metric"] == "KA"), "score"] = float("nan")
    found = {(one.model, one.metric): one.items for one in leaderboard(frame, METRICS)}
    assert (found["good", "KA"], found["good", "BA"], found["good", "overall"]) == (21, 25, 22)
    assert found["fair", "overall"] == 25
    assert ("poor", "overall") not in found


def ranks_by_hand(means, counts):
    """The rank of each model in each draw, each draw added up scene by scene; a scene without a mean is none."""
    ranks = []
    for times in counts.T.tolist():
        drawn = {}
        for model, of in means.items():
            there = [(mean, count) for mean, count in zip(of.tolist(), times, strict=True) if mean == mean and count]
            weight = sum(count for _, count in there)
            drawn[model] = sum(mean * count for mean, count in there) / weight if weight else -math.inf
        ranks.append({model: 1 + sum(more > mean for more in drawn.values()) for model, mean in drawn.items()})
    return ranks


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(FEWEST_CLUSTERS, 12), st.sampled_from([0.0, 0.2]), st.integers(0, 2**32 - 1))
def test_intervals_are_student_s_over_scenes_and_ranks_those_of_draws_added_up_scene_by_scene(scenes, gaps, seed):
    random, draws = np.random.default_rng(seed), Draws(40, seed % 7)
    means = {model: random.normal(3, 1, scenes) for model in "abc"}
    for of in means.values():
        of[random.random(scenes) < gaps] = np.nan
    rows = [(f"{model}{scene}", f"s{scene:02}", model, "KA", of[scene]) for model, of in means.items()
            for scene in range(scenes)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["item", "scene", "model", "metric", "score"])
    kept = sorted({int(scene[1:]) for scene in frame.dropna()["scene"]})
    there = {model: of[kept] for model, of in means.items() if not np.isnan(of).all()}
    ranks = ranks_by_hand(there, scene_counts(len(kept), draws)) if len(kept) >= FEWEST_CLUSTERS else []
    for standing in leaderboard(frame, ["KA"], draws):
        scored = means[standing.model][~np.isnan(means[standing.model])]
        if len(scored) < FEWEST_ITEMS:
            assert (standing.low, standing.high) == (None, None)
        else:
            expected = stats.t.interval(0.95, len(scored) - 1, scored.mean(), stats.sem(scored))
            assert (standing.low, standing.high) == pytest.approx(expected, abs=1e-9)
        placed = sorted(one[standing.model] for one in ranks)
        if placed:
            assert (standing.best_rank, standing.worst_rank) == (placed[1], placed[38])
            assert standing.first == placed.count(1) / 40
        else:
            assert (standing.best_rank, standing.worst_rank, standing.first) == (None, None, None)


def test_of_fewer_than_five_scenes_there_are_means_and_ranks_but_no_intervals():
    for standing in leaderboard(ratings(scenes=4), METRICS):
        assert (standing.low, standing.high) == (None, None)
        assert (standing.best_rank, standing.worst_rank, standing.first) == (None, None, None)
        assert standing.sd > 0
    assert all(standing.low < standing.mean < standing.high for standing in leaderboard(ratings(scenes=5), METRICS))


def test_scenes_of_one_mean_do_not_tell_how_they_spread():
    frame = ratings().assign(score=3.0)
    assert {(one.mean, one.sd, one.low, one.high) for one in leaderboard(frame, METRICS)} == {(3.0, 0.0, None, None)}


def test_the_order_of_the_ratings_changes_nothing_and_the_seed_decides_how_sure_the_ranks_are_alone():
    frame = ratings(models={"a": 3.0, "b": 3.0})
    first, again = leaderboard(frame, METRICS), leaderboard(frame.sample(frac=1, random_state=3), METRICS)
    assert [(one.model, one.low, one.high, one.first) for one in first] == [
        (one.model, pytest.approx(one.low), pytest.approx(one.high), one.first) for one in again
    ]
    other = leaderboard(frame, METRICS, Draws(seed=2))
    assert [(one.mean, one.low, one.high, one.rank) for one in first] == [
        (one.mean, one.low, one.high, one.rank) for one in other
    ]
    assert [one.first for one in first] != [one.first for one in other]


def test_without_a_score_there_is_no_board():
    with pytest.raises(UndefinedStatistic):
        leaderboard(ratings().assign(score=float("nan")), METRICS)


def test_equal_means_share_a_rank_in_whatever_order_their_scores_are_added_up():
    scores = [0.1, 0.2, 0.3, 0.7, 1.1, 1.3]
    rows = [
        (f"{model}:{scene}", f"s{scene}", model, "KA", score)
        for model, given in (("a", scores), ("b", scores[::-1]))
        for scene, score in enumerate(given)
    ]
    found = leaderboard(pd.DataFrame(rows, columns=["item", "scene", "model", "metric", "score"]), ["KA"])
    assert sum(scores) != sum(scores[::-1])
    assert {one.rank for one in found} == {1}


def test_a_table_of_one_row_an_item_gives_the_same_as_the_ratings():
    frame = ratings()
    table = frame.pivot_table(index=["item", "scene", "model"], columns="metric", values="score").reset_index()
    assert standings(table, METRICS) == leaderboard(frame, METRICS)
