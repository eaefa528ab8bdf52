"""Strengths of models by votes on pairs: published ones, closed forms, another optimiser, and where there are none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from annotations.errors import RatingError, Undefined, UndefinedStatistic
from annotations.leaderboard.bradley_terry import COLUMNS, bradley_terry, comparable, tally
from annotations.resampling.draws import Draws, scene_counts
from annotations.resampling.jackknife import Interval
from tests.annotations.jackknifed import ENDS_WITHOUT_ONE, jackknifed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WON = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
"""American League East, 1987: row over column (Agresti, Categorical Data Analysis, 2nd ed., table 10.10)."""
PUBLISHED = {
    "Milwaukee": 1.5814, "Detroit": 1.4364, "Toronto": 1.2945, "New York": 1.2476, "Boston": 1.1077, "Cleveland": 0.6839
}  # fmt: skip
"""Beside Baltimore (Turner & Firth, 2012, section 5.1)."""


def votes(*said, scenes=1):
    """Rows of votes, each `(one, other, better, times)`, spread over scenes."""
    rows = [(one, other, better) for one, other, better, times in said for _ in range(times)]
    return pd.DataFrame([(f"s{at % scenes}", *row) for at, row in enumerate(rows)], columns=list(COLUMNS))


def league(scenes=1):
    pairs = ((one, other, WON[i][j]) for i, one in enumerate(TEAMS) for j, other in enumerate(TEAMS))
    return votes(*((one, other, one, times) for one, other, times in pairs), scenes=scenes)


def strengths(frame):
    return {one.model: one.strength for one in bradley_terry(frame, Draws(1))}


def test_the_published_strengths_of_a_baseball_league():
    found = strengths(league())
    assert {team: round(found[team] - found["Baltimore"], 4) for team in PUBLISHED} == PUBLISHED
    assert [one.model for one in bradley_terry(league())] == list(TEAMS)
    assert sum(found.values()) == pytest.approx(0, abs=1e-9)


def test_two_models_have_the_odds_of_their_points_and_a_tie_is_half_a_win():
    found = bradley_terry(votes(("a", "b", "a", 5), ("b", "a", "b", 2), ("b", "a", None, 2)))
    assert [one.model for one in found] == ["a", "b"]
    assert found[0].strength == pytest.approx(np.log(6 / 3) / 2)
    assert found[1].strength == pytest.approx(-np.log(6 / 3) / 2)
    assert (found[0].won, found[0].lost, found[0].tied, found[0].votes) == (5, 2, 2, 9)
    assert found[0].win_rate == pytest.approx(1 / (1 + 2**-0.5))


def test_a_chain_of_comparisons_adds_up():
    found = strengths(votes(("a", "b", "a", 3), ("a", "b", "b", 1), ("b", "c", "b", 2), ("b", "c", "c", 1)))
    assert found["a"] - found["b"] == pytest.approx(np.log(3))
    assert found["a"] - found["c"] == pytest.approx(np.log(6)), "who never met is told apart by whom both met"


def test_models_that_tie_are_alike_and_share_the_rank():
    found = bradley_terry(votes(("a", "b", None, 4), ("b", "c", None, 1)))
    assert [(one.model, one.strength, one.rank) for one in found] == [
        (model, pytest.approx(0, abs=1e-9), 1) for model in "abc"
    ]


@st.composite
def tables(draw):
    """Votes among three to five models, of which each has won against the next in a circle, so that all is known."""
    models = [f"m{at}" for at in range(draw(st.integers(3, 5)))]
    said = [(one, other, one, draw(st.integers(1, 30))) for one, other in zip(models, [*models[1:], "m0"], strict=True)]
    for _ in range(draw(st.integers(0, 6))):
        one, other = draw(st.permutations(models))[:2]
        said.append((one, other, draw(st.sampled_from([one, other, None])), draw(st.integers(1, 30))))
    return votes(*said)


@pytest.mark.slow
@settings(max_examples=examples(10, 40))
@given(tables())
def test_the_strengths_are_those_of_another_optimiser_and_points_are_as_expected(frame):
    points, models = tally(frame).points, tally(frame).models

    def loss(beta):
        return float((points * np.logaddexp(0, beta[None, :] - beta[:, None])).sum()) + float(beta.sum() ** 2)

    other = minimize(loss, np.zeros(len(models)), method="BFGS", options={"gtol": 1e-8}).x
    found = np.array([strengths(frame)[model] for model in models])
    assert found == pytest.approx(other - other.mean(), abs=2e-4)
    expected = (points + points.T) / (1 + np.exp(found[None, :] - found[:, None]))
    assert expected.sum(axis=1) == pytest.approx(points.sum(axis=1), rel=1e-8)


def test_who_stands_where_in_a_vote_and_in_which_order_they_came_changes_nothing():
    frame = votes(("a", "b", "a", 14), ("b", "c", "b", 20), ("c", "a", "c", 20), ("a", "b", None, 12), scenes=6)
    turned = frame.rename(columns={"one": "other", "other": "one"})[list(COLUMNS)].sample(frac=1, random_state=1)
    for one, same in zip(bradley_terry(frame), bradley_terry(turned), strict=True):
        assert (one.model, one.rank, one.best_rank, one.won) == (same.model, same.rank, same.best_rank, same.won)
        assert one.strength == pytest.approx(same.strength)
        assert one.interval.low == pytest.approx(same.interval.low)


@pytest.mark.slow
def test_intervals_and_ranks_are_those_of_plain_loops_over_scenes():
    frame, draws = league(scenes=20), Draws(80, seed=5)
    parts = [part for _, part in frame.groupby("scene", sort=True)]
    without = [strengths(pd.concat(parts[:scene] + parts[scene + 1 :])) for scene in range(20)]
    slow = [
        strengths(pd.concat([part for part, times in zip(parts, counts, strict=True) for _ in range(int(times))]))
        for counts in scene_counts(20, draws).T
    ]
    ranks = [{model: 1 + sum(more > own for more in one.values()) for model, own in one.items()} for one in slow]
    for one in bradley_terry(frame, draws):
        low, high = jackknifed(one.strength, [found[one.model] for found in without])
        assert (one.interval.low, one.interval.high) == (pytest.approx(low), pytest.approx(high))
        assert one.interval.way == "jackknife by scenes"
        assert one.win_rate_interval.low == pytest.approx(1 / (1 + np.exp(-low)))
        assert one.win_rate_interval.high == pytest.approx(1 / (1 + np.exp(-high)))
        placed = sorted(found[one.model] for found in ranks)
        assert (one.best_rank, one.worst_rank) == (placed[2], placed[77])
        assert one.first == placed.count(1) / 80
        assert one.scenes == 20


def test_the_draws_decide_ranks_alone():
    frame = league(scenes=20)
    for one, other in zip(
        bradley_terry(frame, Draws(40, seed=1)), bradley_terry(frame, Draws(40, seed=2)), strict=True
    ):
        assert (one.strength, one.interval, one.rank) == (other.strength, other.interval, other.rank)
    drawn = [[one.first for one in bradley_terry(frame, Draws(40, seed))] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_of_few_scenes_there_is_no_interval():
    for one in bradley_terry(league(scenes=4)):
        assert in_english(one.interval.reason).startswith("an interval needs at least 5 scenes")
        assert one.win_rate_interval == one.interval
        assert (one.best_rank, one.worst_rank, one.first) == (None, None, None)


def test_of_fewer_than_40_votes_on_a_model_its_strength_has_no_interval():
    said = (("a", "b", "a", 12), ("a", "b", "b", 12), ("b", "c", "b", 16), ("c", "a", "c", 14))
    few, enough = (
        {one.model: one for one in bradley_terry(votes(*said, ("c", "a", "a", tenth), scenes=10))} for tenth in (9, 10)
    )
    assert {model: one.votes for model, one in few.items()} == {"a": 47, "b": 40, "c": 39}
    assert in_english(few["c"].interval) == Undefined("this interval needs at least 40 cases; found 39")
    assert few["c"].win_rate_interval == few["c"].interval
    assert [isinstance(few[model].interval, Interval) for model in "ab"] == [True, True]
    assert isinstance(enough["c"].interval, Interval)


def test_where_one_scene_alone_makes_strengths_finite_there_is_no_interval_and_most_draws_have_no_order():
    one_upset = votes(*[("a", "b", "a", 1)] * 9, ("a", "b", "b", 1), scenes=10)
    found = bradley_terry(one_upset)
    assert found[0].strength == pytest.approx(np.log(9) / 2)
    assert in_english(found[0].interval) == Undefined(ENDS_WITHOUT_ONE)
    assert (found[0].best_rank, found[0].worst_rank, found[0].first) == (None, None, None)


def test_where_few_draws_have_no_finite_strengths_the_others_tell_the_ranks():
    two_upsets = pd.concat([votes(*[("a", "b", "a", 1)] * 2, *[("a", "b", "b", 1)] * 4, scenes=6)] * 7)
    (first, second), draws = bradley_terry(two_upsets, Draws(400, 1)), scene_counts(6, Draws(400, 1))
    won = draws[:2].sum(axis=0)  # by a
    known = won[(won > 0) & (won < 6)]
    assert 0.8 < len(known) / 400 < 0.95
    assert (first.model, first.interval.low < 0 < first.interval.high) == ("b", True)
    assert first.best_rank is None
    again = two_upsets.assign(scene="s" + (two_upsets["scene"].str[1:].astype(int) + 6).astype(str))
    many = pd.concat([two_upsets, again])
    (first, second), draws = bradley_terry(many, Draws(400, 1)), scene_counts(12, Draws(400, 1))
    order = sorted(f"s{at}" for at in range(12))
    won = draws[[int(scene[1:]) % 6 < 2 for scene in order]].sum(axis=0)
    known = won[(won > 0) & (won < 12)]
    assert 0.95 < len(known) / 400 < 1
    assert first.first == pytest.approx((known <= 6).mean())
    assert second.first == pytest.approx((known >= 6).mean())


def test_a_model_that_always_wins_has_no_strength_and_the_others_have():
    frame = votes(("a", "b", "a", 4), ("a", "c", "a", 4), ("b", "c", "b", 2), ("b", "c", "c", 1))
    with pytest.raises(
        UndefinedStatistic, match=r"a won every vote against b, c, so the difference in strength has no finite estimate"
    ):
        bradley_terry(frame)
    assert comparable(tally(frame)) == [("b", "c"), ("a",)]
    among = frame[frame["one"].isin(["b", "c"]) & frame["other"].isin(["b", "c"])]
    assert strengths(among)["b"] == pytest.approx(np.log(2) / 2)


def test_models_that_always_lose_are_told_of_by_those_that_win():
    frame = votes(("a", "b", None, 4), ("b", "c", "b", 3))
    with pytest.raises(UndefinedStatistic, match="a, b won every vote against c"):
        bradley_terry(frame)


def test_groups_that_were_never_compared_are_not_put_in_one_order():
    frame = votes(("a", "b", None, 2), ("c", "d", None, 2), ("d", "e", None, 1))
    with pytest.raises(UndefinedStatistic, match="a, b were never compared with c, d, e"):
        bradley_terry(frame)
    assert comparable(tally(frame)) == [("c", "d", "e"), ("a", "b")]


def test_the_tally_counts_each_vote_once():
    found = tally(votes(("a", "b", "b", 3), ("b", "a", None, 2), ("c", "a", "a", 1), scenes=3))
    assert (found.models, found.votes, found.scenes) == (("a", "b", "c"), 6, 3)
    assert found.won.tolist() == [[0, 0, 1], [3, 0, 0], [0, 0, 0]]
    assert found.tied.tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert found.points.sum() == 6


@pytest.mark.parametrize("wrong", [("a", "a", "a", 1), ("a", "b", "c", 1)])
def test_what_is_no_vote_on_two_models_is_refused(wrong):
    with pytest.raises(RatingError, match="two different models"):
        tally(votes(wrong))


def test_without_a_vote_there_is_nothing():
    with pytest.raises(UndefinedStatistic, match="no vote"):
        bradley_terry(votes())
