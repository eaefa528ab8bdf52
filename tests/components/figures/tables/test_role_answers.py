"""RoleBench as tables and files: Rouge-L in percent, what is missing, experiments, and the paper's tables."""

import csv
import io
from dataclasses import replace

import pytest

from annotations.errors import Undefined
from annotations.i18n.messages import Message
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.role_answers import (
    Experiment,
    answers_table,
    experiment_table,
    papers_table,
    papers_tables,
    percent,
    published,
    standings_csv,
    tables_latex,
)
from characterbox.rolebench.answers.answering import Trial
from characterbox.rolebench.answers.standings import AnswersStanding
from tests.components.figures.tables.table_rows import Rows


def rouge(share):
    return Estimate(share, Interval(share - 0.05, share + 0.05, "bootstrap by roles and by questions"), 40)


ALL = {"cus": rouge(0.2), "raw": rouge(0.3), "spe": rouge(0.1), "mean": rouge(0.2)}
SOME = {"cus": None, "raw": None, "spe": rouge(0.4), "mean": Undefined(Message("there are no scores in RAW"))}
TRIAL = Trial(of="strategy", condition="zsp", conditions=("zsp", "fsd"))
FIRST = AnswersStanding(
    "a1", "=m <b>", "en", "river", "zsp", "b1", TRIAL, False, 40, 48, 3, 1, ALL, {"raw": "best of 1"}, "words"
)
SECOND = replace(
    FIRST,
    id="a2",
    strategy="fsd",
    trial=TRIAL.model_copy(update={"condition": "fsd"}),
    improvised=True,
    rouge={**ALL, "mean": rouge(0.25)},
)
ALONE = replace(FIRST, id="a3", model="other", trial=None, batch=None, rouge=SOME)
EXPERIMENT = Experiment([FIRST, SECOND], {"a2": {**ALL, "mean": rouge(-0.004)}})


def test_models_stand_below_their_benchmark_with_the_best_average_first_and_the_undefined_last():
    shown = Rows(html_of(answers_table([ALONE, FIRST, SECOND])))
    assert [row[0] for row in shown.rows[2:]] == ["river", "=m <b> (fsd)Demo", "=m <b> (zsp)", "other (zsp)"]
    (best,) = shown.starting("=m <b> (fsd)")
    assert best[1:] == ["20.0 [15.0, 25.0]", "30.0 [25.0, 35.0]", "10.0 [5.0, 15.0]", "25.0 [20.0, 30.0]", "40 of 48"]
    (last,) = shown.starting("other")
    assert last[1:3] == ["no answers", "no answers"]
    assert last[4].startswith("–")
    assert "<b> (zsp)" not in html_of(answers_table([FIRST])), "a model's name is text"


def test_an_experiment_says_by_how_much_its_conditions_are_above_the_first():
    table = experiment_table(EXPERIMENT)
    assert (table.title, EXPERIMENT.of) == ("Strategies on river", "strategy")
    rows = Rows(html_of(table)).rows[2:]
    assert [row[0] for row in rows] == ["zsp", "fsdDemo", "Above zsp, on the same questions", "fsdDemo"]
    assert rows[-1][4] == "-0.4 [-5.4, 4.6]"


@pytest.mark.parametrize(("share", "written"), [(0.4567, "45.7"), (-0.0001, "0.0"), (-0.006, "-0.6"), (1, "100.0")])
def test_shares_are_written_as_the_paper_writes_them(share, written):
    assert percent(share) == written


def test_the_paper_s_tables_by_language_and_number():
    assert [one.number for one in papers_tables("en")] == ["3a", "3b", "5a", "5b", "6", "8", "10a", "11"]
    assert [one.number for one in papers_tables("zh")] == ["4a", "4b", "7", "8", "10b"]
    table = papers_table(published("7"))
    assert table.title == "Table 7: Ways of prompting RoleGPT, as GPT-4 ranked them"
    assert Rows(html_of(table)).rows[-1] == ["RoleGPT (fsd)", "63.3", "1.5"]
    assert "102.4" in table.notes[0]


def test_files_hold_all_figures_with_what_they_rest_on():
    rows = [*csv.DictReader(io.StringIO(standings_csv([FIRST, SECOND, ALONE]).decode("utf-8-sig")))]
    assert [(row["generation"], row["part"]) for row in rows] == [
        *((id, part) for id in ("a1", "a2") for part in ("cus", "raw", "spe", "mean")),
        ("a3", "spe"),
    ]
    raw = rows[1]
    assert raw["model"] == "'=m <b>", "no spreadsheet takes it for a formula"
    assert (raw["rougeL"], raw["n"], raw["references"], raw["unread"]) == ("0.3", "40", "best of 1", "3")
    assert [bool(row["note"]) for row in rows] == [False] * 4 + [True] * 4 + [False]
    told = tables_latex([FIRST, SECOND], [EXPERIMENT])
    assert told.count(r"\begin{table") == 2 + 8
    assert "RoleLLaMA-7B" in told
