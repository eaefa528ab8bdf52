"""The ranking by votes as files: the figures that were computed, the votes behind them, and names that do no harm."""

import json
import re

import pandas as pd
import pytest

from annotations.i18n.translation import speaking
from annotations.leaderboard.bradley_terry import bradley_terry
from characterbox.components.figures.tables.votes import ranking_csv, ranking_json, ranking_latex, votes_csv
from characterbox.judging.pairwise import COLUMNS, SAME, ModelVotes
from characterbox.judging.provenance import DEMO_NOTE
from tests.fakes.csv_rows import rows_of
from tests.fakes.typeset import typeset

HOSTILE = "=cmd|' /C calc'!A0 \\input{x}"


def votes(rows, improvised=()):
    frame = pd.DataFrame([(*row, "Ann", True, False) for row in rows], columns=list(COLUMNS))
    return ModelVotes(frame, {SAME: 2}, frozenset(improvised))


@pytest.fixture
def connected():
    said = [(f"s{at // 8}", "a", HOSTILE, "a" if at % 4 else (HOSTILE, None)[at % 24 == 4]) for at in range(64)]
    return votes(said, [HOSTILE])


@pytest.fixture
def parted():
    """Two pairs that no vote connects, and a model that never won."""
    pairs = [("a", "b"), ("c", "d")] * 8
    rows = [(f"s{at // 4}", one, other, (one, other)[at % 3 == 0]) for at, (one, other) in enumerate(pairs)]
    return votes([*rows, ("s9", "a", "e", "a")])


def test_they_hold_what_was_computed(connected):
    expected = bradley_terry(connected.frame)
    told = json.loads(ranking_json(connected))
    for one, row, same in zip(expected, rows_of(ranking_csv(connected)), told["ranking"], strict=True):
        figures = {
            **{
                name: getattr(one, name)
                for name in ("rank", "best_rank", "worst_rank", "first", "strength", "win_rate")
            },
            **{name: getattr(one, name) for name in ("won", "lost", "tied", "scenes")},
            "low": one.interval.low,
            "high": one.interval.high,
        }
        assert {name: float(row[name]) for name in figures} == pytest.approx(figures, rel=1e-12)
        assert {name: same[name] for name in figures} == pytest.approx(figures, rel=1e-12)
        assert row["model"] == same["model"] == one.model
        assert row["note"] == (DEMO_NOTE if one.model == HOSTILE else "")
    assert (told["votes"], told["scenes"], told["left_out"], told["undefined"]) == (64, 8, {SAME: 2}, None)
    assert told["won"][told["models"].index("a")][told["models"].index(HOSTILE)] == 48


def test_the_votes_come_back_and_give_the_same_ranking(connected):
    rows = rows_of(votes_csv(connected))
    assert len(rows) == 64
    again = pd.DataFrame(rows)[["scene", "one", "other", "better"]]
    again["better"] = again["better"].where(again["better"] != "", None)
    assert bradley_terry(again) == bradley_terry(connected.frame)
    assert not any(line.startswith(("=", "+", "@")) for line in votes_csv(connected).decode("utf-8-sig").split(","))


def test_what_votes_do_not_compare_is_told_in_english_and_stands_apart(parted):
    with speaking("zh"):
        told, csv_rows, latex = json.loads(ranking_json(parted)), rows_of(ranking_csv(parted)), ranking_latex(parted)
    assert told["undefined"].isascii()
    ranked, [alone] = [row for row in csv_rows if row["among"]], [row for row in csv_rows if not row["among"]]
    assert {(row["among"], row["model"]) for row in ranked} == {("1", "a"), ("1", "b"), ("2", "c"), ("2", "d")}
    counts = {"model": "e", "won": "0", "lost": "1", "tied": "0", "scenes": "1"}
    assert {name: value for name, value in alone.items() if value and name != "note"} == counts
    assert alone["note"] == f"not ranked: {told['undefined']}"
    assert re.search(r"\ne (& --\\textsuperscript\{\(\d+\)\} ){3}& 1 \\\\\n", latex)
    assert "{\\scriptsize 0 won, 1 lost, 0 tied; 1 scene}" in latex
    assert latex.count("\\midrule") == 3
    assert "cannot all be ranked together" in latex


def test_where_one_model_has_won_all_both_are_in_the_files():
    both = votes([(f"s{at}", "a", "b", "a") for at in range(5)], ["b"])
    rows = rows_of(ranking_csv(both))
    assert [(row["model"], row["won"], row["lost"], row["scenes"]) for row in rows] == [
        ("a", "5", "0", "5"),
        ("b", "0", "5", "5"),
    ]
    assert rows[1]["note"].endswith(f"; {DEMO_NOTE}")
    assert len(json.loads(ranking_json(both))["ranking"]) == 2
    assert r"b$^{\dagger}$ & --" in ranking_latex(both)


@pytest.mark.process
def test_the_latex_is_typeset(connected, tmp_path):
    latex = ranking_latex(connected)
    assert r"\input{" not in latex
    assert DEMO_NOTE in latex
    typeset(latex, tmp_path)
