"""The tables of an evaluation: what stands where, in both languages, with the paper's values in grey and the mark."""

import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.exchange.markdown import markdown_of
from annotations.exchange.table import IMPROVISED, Cell, Part, Table
from annotations.i18n.messages import Message
from annotations.i18n.translation import speaking
from annotations.leaderboard.paired_scenes import paired_scenes
from annotations.leaderboard.standings import standings
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import RESERVED, load_rubric
from annotations.validity.compare_judges import Comparison
from annotations.validity.judge_expert_correlation import Correlation
from annotations.validity.overlapping_correlations import williams, zou
from characterbox.components.figures.tables.evaluation import evaluation_tables
from characterbox.components.figures.tables.html import html_of
from characterbox.judging.cross_check import agreement
from characterbox.training.evaluation.figures import (
    CharacterFigures,
    EvaluationFigures,
    NarratorFigures,
    ScoredCharacters,
)
from characterbox.training.evaluation.judge_figures import JudgeFigures, JudgesCompared, Standard

MODELS = {"base": "qwen", "tuned": "nr-1"}
KEYS = (*load_rubric().keys, RESERVED)
MISSING = Undefined(Message("no story with this narrator has ended"))
WAY = "jackknife by scenes"


def figures(of, kind="narrator", *, demo=False, models=MODELS):
    return EvaluationFigures("small", kind, models, 6, of, demo)


def text(content):
    """What a cell says, without notes."""
    if isinstance(content, Undefined):
        return str(content.reason)
    parts = content.parts if isinstance(content, Cell) else (content,)
    told = (part.text if isinstance(part, Part) else part for part in parts)
    return " ".join(str(one) for one in told if one)


def rows(table: Table):
    """The cells of each row, by its label."""
    return {
        text(row.label): row.cells if isinstance(row.cells, Undefined) else [text(cell) for cell in row.cells]
        for group in table.groups
        for row in group.rows
    }


def grey(table: Table):
    """The labels of the rows that stand in grey."""
    return [text(row.label) for group in table.groups for row in group.rows if row.beside]


def scores(**by_model):
    """A row for each scene of a model, each metric with the same score."""
    found = [
        {"scene": f"s{at}", "model": model, "item": f"{model}-{at}", **dict.fromkeys(load_rubric().keys, score)}
        for model, given in by_model.items()
        for at, score in enumerate(given)
    ]
    return pd.DataFrame(found)


def characters():
    given = scores(base=[2, 3, 2, 3, 2, 4], tuned=[3, 3, 3, 4, 3, 4])
    by_part = {part: {} for part in MODELS}
    for one in standings(given, load_rubric().keys):
        by_part[one.model][one.metric] = one
    paired = given.assign(score=given["KA"])
    gains = {"tuned": dict.fromkeys(KEYS, paired_scenes(paired, "tuned", "base"))}
    return ScoredCharacters(by_part, gains)


@pytest.mark.parametrize(
    ("kind", "published"), [("guided", ("+14.3 %", "+10.7 %")), ("reflective", ("+19.9 %", "+12.8 %"))]
)
def test_characters_have_means_gains_and_the_paper_s_gain_of_the_language(kind, published):
    of = CharacterFigures({"GPT-4": {"en": characters(), "zh": Undefined(Message("GPT-4 has no scores here"))}})
    english, chinese = evaluation_tables(figures(of, kind))
    assert english.title == "Scores by GPT-4, English"
    found = rows(english)
    assert found["Base qwen"][0].startswith("2.67 [")
    assert found["Base qwen"][-1] == "6"
    assert found["Tuned minus base"][-2].startswith("0.67 [")
    assert found["Tuned minus base"][-2].endswith("6 scenes")
    assert found["Tuned minus base, % of base"][-2].startswith("+25.0 % [")
    base = {"guided": "Qwen2.5-7B", "reflective": "Qwen2.5-14B"}[kind]
    assert grey(english) == [f"Paper, figure 2: {base}"]
    for table, percent in zip((english, chinese), published, strict=True):
        assert rows(table)[f"Paper, figure 2: {base}"][-2] == percent
    assert str(rows(chinese)["Tuned nr-1"].reason) == "GPT-4 has no scores here"


def test_narrators_have_shares_agreement_and_why_something_is_missing():
    share = Estimate(0.98, Interval(0.91, 0.99, WAY), 120)
    of = NarratorFigures(
        readable={"base": MISSING, "tuned": share},
        readable_gain=MISSING,
        agreement={"base": agreement(()), "tuned": agreement(())},
        agreement_gain=MISSING,
        left_out={"base": {"the second narrator's reply could not be read": 3}, "tuned": {}},
        unended=1,
        scored={},
    )
    readable, agreed = evaluation_tables(figures(of))
    assert rows(readable)["Tuned nr-1"] == ["0.98 [0.91, 0.99] n = 120 replies"]
    assert rows(readable)["Base qwen"] == ["no story with this narrator has ended"]
    assert rows(agreed)["Tuned nr-1"][0] == "the two narrators have no decisions in common"
    assert "Base: 3 left out: the second narrator's reply could not be read" in agreed.notes
    assert "1 held-out story was deleted or has not ended" in agreed.notes
    with speaking("zh"):
        readable, agreed = evaluation_tables(figures(of))
    assert readable.title == "首次即可读取的回复"
    assert rows(readable)["微调模型 nr-1"] == ["0.98 [0.91, 0.99] n = 120 条回复"]
    assert "基座模型：排除 3 个，原因：第二叙述者的回复无法读取" in agreed.notes
    told = " ".join(agreed.notes)
    assert "Cohen" in told
    assert "decisions" not in told, "nothing is left in English"


def judged():
    """Tuned and base beside the experts: r of .6 and .4, and .5 with each other, on 60 items."""
    r = {part: Correlation(value, Interval(value - 0.2, value + 0.2, WAY), 60, 6, 1, ()) for part, value in
         (("base", 0.4), ("tuned", 0.6))}  # fmt: skip
    difference = Estimate(0.2, Interval(-0.05, 0.45, WAY), 60)
    comparison = Comparison("nr-1", "qwen", KEYS[:-1], r["tuned"], r["base"], 0.5, difference, 0.0004, 60, 0)
    compared = JudgesCompared(comparison, williams(0.6, 0.4, 0.5, 60), zou(0.6, 0.4, 0.5, 60))
    return Standard({part: dict.fromkeys(KEYS, one) for part, one in r.items()}, dict.fromkeys(KEYS, compared))


def test_judges_have_r_their_difference_both_tests_and_the_rows_of_table_3():
    nothing = Undefined(Message("a correlation needs at least 3 items"))
    experts = Standard({part: dict.fromkeys(KEYS, nothing) for part in MODELS}, {})
    by_experts, by_teacher = evaluation_tables(figures(JudgeFigures(experts, judged(), "GPT-4", 0), "judge"))
    assert by_experts.title == "Pearson's r with the experts"
    assert str(rows(by_experts)["Base qwen"].reason) == "a correlation needs at least 3 items"
    assert rows(by_experts)["Paper, table 3: CharacterRM"][-1] == "0.61"
    assert grey(by_experts) == [f"Paper, table 3: {judge}" for judge in ("GPT-4", "ChatGLM", "CharacterRM")]
    assert "Tuned minus base" not in rows(by_experts)
    assert by_experts.notes == []
    assert by_teacher.title == "Pearson's r with the teacher, GPT-4"
    found = rows(by_teacher)
    assert grey(by_teacher) == []
    assert found["Tuned nr-1"][-1] == "0.60 [0.40, 0.80] n = 60 items"
    assert found["Tuned minus base"][-1] == "0.20 [-0.05, 0.45] n = 60 items"
    assert found["p of the difference"][-1] == "< .001"
    assert found["Williams' test"][-1].startswith("t(57) = 1.88, p = .066")
    assert found["Zou's interval"][-1].startswith("[")
    assert any("items of one scene resemble each other" in note for note in by_teacher.notes)


def test_demo_output_is_marked_in_every_form():
    of = JudgeFigures(judged(), None, None, 1)
    [table] = evaluation_tables(figures(of, "judge", demo=True))
    assert table.groups[0].title is IMPROVISED
    assert "1 held-out story was deleted or has not ended" in table.notes
    assert "† Demo output" in markdown_of(table, "Demo output")
    assert "Demo" in html_of(table)
    [table] = evaluation_tables(figures(of, "judge"))
    assert "†" not in markdown_of(table, "Demo output")
