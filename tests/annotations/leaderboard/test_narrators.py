"""How models narrate: means by kind of step and overall, with intervals by scenes and players."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined
from annotations.leaderboard.narrators import by_narrator, narrator_scores, steps_of
from annotations.resampling.jackknife import Drawing
from annotations.rubrics.rubric import load_rubric

STEPS, WHOLE = load_rubric("narrator_steps"), load_rubric("narrator")
FEW = Drawing(draws=200)


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
    found = {(one.narrator, one.step): (one.mean, one.stories) for one in narrator_scores(table, metrics, FEW)}
    assert found == {
        ("a", None): (3.0, 2),
        ("a", "action_influence"): (2.5, 2),
        ("a", "interaction_result"): (3.0, 1),
    }


def test_every_kind_and_every_maxim_has_a_figure_with_its_evidence() -> None:
    scores = narrator_scores(stories(), STEPS.metrics, FEW)
    assert steps_of(scores) == [
        None, "action_influence", "interaction_result", "character_update", "environment_update"
    ]  # fmt: skip
    for step in steps_of(scores):
        found = by_narrator(scores, step)
        assert [*found] == ["a", "b"]
        assert all([*of] == [*WHOLE.keys] for of in found.values())
    assert {(one.stories, one.scenes, one.players) for one in scores} == {(30, 6, 5)}
    for one in scores:
        assert not isinstance(one.interval, Undefined)
        assert one.interval.way == "two-way cluster bootstrap"
        assert one.interval.low <= one.mean <= one.interval.high


def test_of_whole_stories_there_are_all_steps_alone() -> None:
    scores = narrator_scores(stories(WHOLE), WHOLE.metrics, FEW)
    assert steps_of(scores) == [None]
    assert [one.maxim for one in scores if one.narrator == "a"] == [*WHOLE.keys]


def test_with_few_scenes_the_players_alone_are_drawn_and_with_few_of_both_nothing_is() -> None:
    (one, *_) = narrator_scores(stories(scenes=2), STEPS.metrics, FEW)
    assert not isinstance(one.interval, Undefined)
    assert one.interval.way == "one-way cluster bootstrap by models"
    (one, *_) = narrator_scores(stories(scenes=2, players=2), STEPS.metrics, FEW)
    assert isinstance(one.interval, Undefined)
    assert "too few to resample" in str(one.interval.reason)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.permutations(range(60)), st.floats(-1, 1))
def test_neither_the_order_of_stories_nor_another_narrator_changes_a_figure_and_a_shift_shifts_it(order, shift) -> None:
    table = stories()
    before = {(one.narrator, one.step, one.maxim): one for one in narrator_scores(table, STEPS.metrics, FEW)}
    moved = table.iloc[list(order)].reset_index(drop=True)
    moved[[*STEPS.keys]] += shift
    for one in narrator_scores(moved[moved["narrator"] == "a"], STEPS.metrics, FEW):
        known = before[one.narrator, one.step, one.maxim]
        assert one.mean == pytest.approx(known.mean + shift)
        assert one.interval.low == pytest.approx(known.interval.low + shift)
        assert one.interval.high == pytest.approx(known.interval.high + shift)
