"""Where models were narrated by others, or played other numbers of rounds, a sentence says so."""

import pandas as pd
import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.judging.leaderboard import Wanted, board_of, scores_of
from characterbox.judging.leaderboard_files import cautions as cautions_as_messages
from characterbox.judging.leaderboard_files import mixes
from characterbox.store.ratings.scores import NARRATOR, ROUNDS
from tests.fakes.databases import store_in
from tests.fakes.leaderboards import judge, played

KEYS = load_rubric().keys


def cautions(items):
    return [str(one) for one in cautions_as_messages(items)]


def items(*told):
    """So many trajectories of a model by a narrator, of so many rounds."""
    rows = [
        {"model": model, NARRATOR: narrator, ROUNDS: rounds} | dict.fromkeys(KEYS, 3.0)
        for model, narrator, rounds, count in told
        for _ in range(count)
    ]
    return pd.DataFrame(rows).astype({ROUNDS: "Int64"})


def test_models_that_were_narrated_alike_need_no_word():
    assert cautions(items(("alpha", "one", 3, 4), ("beta", "one", 3, 2))) == []
    crossed = [(model, narrator, 3, 10) for model in ("alpha", "beta") for narrator in ("one", "two")]
    assert cautions(items(*crossed)) == []
    assert cautions(items(*crossed, ("beta", "three", 1, 0))) == []


def test_who_narrated_and_how_many_rounds_were_played_is_told_where_models_differ():
    table = items(("alpha", "gpt-4", 3, 4), ("beta", "gpt-4", 3, 6), ("gamma", "glm", 1, 3), ("gamma", "gpt-4", 10, 1))
    assert cautions(table) == [
        "Models had different narrators: alpha, beta (gpt-4); gamma (75 % glm, 25 % gpt-4).",
        "Models played different numbers of rounds: alpha, beta (3 rounds); gamma (75 % 1 round, 25 % 10 rounds).",
    ]
    assert mixes(table, ROUNDS)["gamma"] == {"1": 3, "10": 1}


def test_shares_that_differ_are_told_though_all_have_the_same_narrators():
    table = items(("alpha", "one", 3, 9), ("alpha", "two", 3, 1), ("beta", "one", 3, 1), ("beta", "two", 3, 9))
    [told] = cautions(table)
    assert told.endswith("alpha (90 % one, 10 % two); beta (10 % one, 90 % two).")


def test_less_than_half_a_percent_is_no_difference():
    assert cautions(items(("alpha", "one", 3, 1000), ("beta", "one", 3, 999), ("beta", "two", 3, 1))) == []


def test_trajectories_without_a_score_do_not_count():
    table = items(("alpha", "one", 3, 4), ("beta", "one", 3, 4), ("beta", "two", 1, 1))
    table.loc[table[NARRATOR] == "two", [*KEYS]] = float("nan")
    assert cautions(table) == []


def test_of_many_groups_the_largest_are_named():
    told = [("a", "one", 3, 1), ("b", "one", 3, 1), *((model, f"by-{model}", 3, 1) for model in "cdefgh")]
    [sentence] = cautions(items(*told))
    assert sentence.count("; ") == 5
    assert sentence.startswith("Models had different narrators: a, b (one); c (by-c); ")
    assert sentence.endswith("; f (by-f); 2 other models with other shares.")


@pytest.mark.parametrize("judged", [1, 2])
def test_of_what_is_stored(tmp_path, judged):
    """Also where a part of it was read before the rest was judged."""
    store = store_in(tmp_path / "stories.db")
    try:
        stories = [
            played(store, ["alpha"], 2, narrator="one"),
            played(store, ["beta"], 2, narrator="two", rounds=1),
        ]
        for number, part in enumerate(stories):
            judge(store, part, "GPT-4", number, missing=0)
            if number < judged:
                store.scores.judged()
        board = board_of(scores_of(store), Wanted("judge", "en", "GPT-4"))
    finally:
        store.close()
    assert mixes(board.items, NARRATOR) == {"alpha": {"one": 5}, "beta": {"two": 5}}
    assert mixes(board.items, ROUNDS) == {"alpha": {"3": 5}, "beta": {"1": 5}}
    assert cautions(board.items) == [
        "Models had different narrators: alpha (one); beta (two).",
        "Models played different numbers of rounds: alpha (3 rounds); beta (1 round).",
    ]
