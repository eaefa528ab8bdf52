"""How models narrate: means by kind of step and overall, with intervals by scenes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined
from annotations.leaderboard.narrators import by_narrator, narrator_scores, steps_of
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import load_rubric
from tests.annotations.jackknifed import jackknifed

STEPS, WHOLE = load_rubric("narrator_steps"), load_rubric("narrator")


def stories(rubric=STEPS, narrators=("a", "b"), scenes=6, players=5, seed=0):
    chance = np.random.default_rng(seed)
    places = [(n, f"s{s}", f"p{p}") for n in narrators for s in range(scenes) for p in range(players)]
    table = pd.DataFrame(places, columns=["narrator", "scene", "players"])
    scores = pd.DataFrame(chance.integers(1, 6, (len(places), len(rubric.keys))), columns=[*rubric.keys])
    return pd.concat([table, scores.astype(float)], axis=1)


def test_a_kind_of_step_is_a_mean_over_stories_and_all_steps_that_of_the_kinds_of_each_story() -> None:
    table = pd.DataFrame(
        [("a", "s", "p", 1.0, 3.0), ("a", "t", "p", 4.0, np.nan), ("b", "s", "p", np.nan, np.nan)],
        columns=["narrator", "scene", "players", "influence_quality", "result_quality"],
    )
    metrics = [STEPS.metric(key) for key in table.columns[3:]]
    found = {(one.narrator, one.step): (one.mean, one.stories) for one in narrator_scores(table, metrics)}
    assert found == {
        ("a", None): (3.0, 2),
        ("a", "action_influence"): (2.5, 2),
        ("a", "interaction_result"): (3.0, 1),
    }


def test_every_kind_and_every_maxim_has_a_figure_with_its_evidence() -> None:
    scores = narrator_scores(stories(), STEPS.metrics)
    assert steps_of(scores) == [
        None, "action_influence", "interaction_result", "character_update", "environment_update"
    ]  # fmt: skip
    for step in steps_of(scores):
        found = by_narrator(scores, step)
        assert [*found] == ["a", "b"]
        assert all([*of] == [*WHOLE.keys] for of in found.values())
    assert {(one.stories, one.scenes, one.players) for one in scores} == {(30, 6, 5)}
    for one in scores:
        assert isinstance(one.interval, Interval)
        assert one.interval.way == "jackknife by scenes"
        assert one.interval.low < one.mean < one.interval.high


def test_of_whole_stories_there_are_all_steps_alone() -> None:
    scores = narrator_scores(stories(WHOLE), WHOLE.metrics)
    assert steps_of(scores) == [None]
    assert [one.maxim for one in scores if one.narrator == "a"] == [*WHOLE.keys]


def test_the_interval_leaves_out_scene_by_scene_with_all_stories_of_it() -> None:
    table = stories().drop(index=[0, 1, 7])
    table.loc[12, "influence_quality"] = np.nan
    rows = table[table["narrator"] == "a"]
    of_steps = [key for key in STEPS.keys if STEPS.metric(key).of.metric == "quality"]
    scores = narrator_scores(table, STEPS.metrics)
    for step, keys in ((None, of_steps), ("action_influence", ["influence_quality"])):
        [found] = [one for one in scores if (one.narrator, one.step, one.maxim) == ("a", step, "quality")]
        values = rows[keys].mean(axis=1)
        without = [float(values[rows["scene"] != f"s{scene}"].mean()) for scene in range(6)]
        assert isinstance(found.interval, Interval)
        assert found.mean == pytest.approx(values.mean())
        assert (found.interval.low, found.interval.high) == pytest.approx(jackknifed(found.mean, without), abs=1e-9)


def test_players_may_be_few_and_scenes_may_not() -> None:
    (one, *_) = narrator_scores(stories(players=1), STEPS.metrics)
    assert isinstance(one.interval, Interval)
    (one, *_) = narrator_scores(stories(scenes=4, players=9), STEPS.metrics)
    assert isinstance(one.interval, Undefined)
    assert str(one.interval.reason).startswith("an interval needs at least 5 scenes")
    assert (one.stories, one.scenes) == (36, 4)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.permutations(range(60)), st.floats(-1, 1))
def test_neither_the_order_of_stories_nor_another_narrator_changes_a_figure_and_a_shift_shifts_it(order, shift) -> None:
    table = stories()
    before = {(one.narrator, one.step, one.maxim): one for one in narrator_scores(table, STEPS.metrics)}
    moved = table.iloc[list(order)].reset_index(drop=True)
    moved[[*STEPS.keys]] += shift
    for one in narrator_scores(moved[moved["narrator"] == "a"], STEPS.metrics):
        known = before[one.narrator, one.step, one.maxim]
        assert one.mean == pytest.approx(known.mean + shift)
        assert one.interval.low == pytest.approx(known.interval.low + shift)
        assert one.interval.high == pytest.approx(known.interval.high + shift)
