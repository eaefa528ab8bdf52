"""The LaTeX tables: the report's figures in them, and names that can do no harm."""

import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.exchange.latex import escaped
from annotations.reliability.cronbach_alpha import Alpha
from annotations.report.report import AlphaOf
from annotations.resampling.jackknife import Drawn
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.tables.reliability_validity import latex_tables
from characterbox.components.figures.tables.text import decimal
from tests.components.figures.ratings_sample import KEYS, campaign, reported
from tests.fakes.typeset import typeset

pytestmark = pytest.mark.slow

ALL = Selection()
HOSTILE = r"\input{/etc/passwd}_^~%&#$<b>|[x]*"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return campaign()


@pytest.fixture(scope="module")
def many_models() -> pd.DataFrame:
    """By eight models, as intervals need that take models as drawn."""
    frame = campaign(("en",), scenes=32).drop(columns="language")
    number = frame["scene"].str.removeprefix("en-").astype(int)
    scene, model = "s" + (number // 4).astype(str), frame["model"] + (number % 4).astype(str)
    return frame.assign(scene=scene, model=model)


@pytest.fixture(scope="module")
def tables(frame: pd.DataFrame) -> list[str]:
    return latex_tables(frame, reported(frame), ALL).split("\\begin{table*}")[1:]


def rows(table: str) -> list[list[str]]:
    """The cells of the rows of figures, without the marks of notes."""
    lines = [line.removesuffix(" \\\\") for line in table.splitlines() if line.endswith(" \\\\")]
    plain = [
        re.sub(r"\\textsuperscript\{\(\d+\)\}", "", line).replace("{[}", "[").replace("{]}", "]") for line in lines
    ]
    return [re.sub(r"\{\\scriptsize (.*?)\}", r"\1", line.replace("$-$", "-")).split(" & ") for line in plain]


def test_each_table_holds_together(tables: list[str]) -> None:
    assert len(tables) == 2
    labels = [label for table in tables for label in re.findall(r"\\label\{tab:(.*)\}", table)]
    assert labels == ["reliability", "validity"]
    for table in tables:
        columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", table)[1])
        for row in rows(table):
            widths = [int(wide[1]) if (wide := re.match(r"\\multicolumn\{(\d)\}", cell)) else 1 for cell in row]
            assert sum(widths) == columns
        bare = re.sub(r"\\.", "", table)
        assert bare.count("{") == bare.count("}")
        assert [table.count(f"\\{rule}rule") for rule in ("top", "bottom")] == [1, 1]


def test_the_figures_are_the_report_s_with_the_paper_beside_them(frame: pd.DataFrame, tables: list[str]) -> None:
    report = reported(frame)

    def stands(table: str, label: str, column: int, found: Alpha | Correlation, beside: str) -> None:
        above = next(at for at, row in enumerate(rows(table)) if row[0] == label)
        figure, below = rows(table)[above][column], rows(table)[above + 1][column]
        assert figure == decimal(found.estimate)
        assert below == f"[{decimal(found.interval.low)}, {decimal(found.interval.high)}]; n = {found.n} {beside}"

    alpha = report.reliability[AlphaOf("Consistency", language="zh")]
    stands(tables[0], "Consistency", 3, alpha, "rows; paper 0.94")
    of_judge = report.reliability[AlphaOf("Consistency", language="zh", judge="GPT-4")]
    of_judges = tables[0].partition("GPT-4: do its metrics agree?")[2]
    stands(of_judges, "Consistency", 3, of_judge, "rows; paper 0.94")
    stands(tables[1], "GPT-4", KEYS.index("AD") + 1, report.validity["GPT-4"]["AD"], "items")
    assert any(row for row in rows(tables[1]) if row[0].endswith("GPT-4") and "0.74" in row)
    assert "Paper, table 3" in tables[1]


def test_what_is_undefined_has_its_reason_below(tables: list[str]) -> None:
    (row,) = re.findall(r"Same .*? & (.*)", tables[1])
    number = re.findall(r"--\\textsuperscript\{\((\d+)\)\}", row)[KEYS.index("AD")]
    reason = "Same \\textless{}b\\textgreater{} gave all 24 items the same score, 3, on AD."
    assert rf"\textsuperscript{{({number})}} {reason}" in tables[1]


@pytest.mark.parametrize(
    ("drawn", "alphas", "correlations"),
    [
        ("scenes", *2 * ["jackknife by scenes, with models and raters fixed"]),
        ("scenes and models", *2 * ["jackknife by scenes and by models, with raters fixed"]),
        (
            "independent items",
            "Feldt's interval, which assumes independent rows and is too narrow otherwise",
            "Fisher's interval, which assumes independent items and is too narrow otherwise",
        ),
    ],
)
def test_how_intervals_were_made_is_told(
    many_models: pd.DataFrame, drawn: Drawn, alphas: str, correlations: str
) -> None:
    made = latex_tables(many_models, reported(many_models, drawn), ALL).split("\\begin{table*}")[1:]
    for table, told in zip(made, (alphas, correlations), strict=True):
        assert re.findall(r"95 \\% intervals, (.*?)\.", table) == [told]


def test_too_few_models_for_an_interval_are_told(frame: pd.DataFrame) -> None:
    for table in latex_tables(frame, reported(frame, "scenes and models"), ALL).split("\\begin{table*}")[1:]:
        assert "no interval: an interval needs at least 8 models; there " in table
        assert "95 \\% intervals" not in table


def test_without_languages_the_paper_s_alphas_of_both_stand_in_one_cell(frame: pd.DataFrame) -> None:
    plain = frame.drop(columns="language")
    table = latex_tables(plain, reported(plain), ALL)
    assert "paper 0.94 English, 0.94 Chinese}" in table
    assert "All ratings" in table


def test_other_metrics_have_no_paper_beside_them(frame: pd.DataFrame) -> None:
    two = frame[frame["metric"].isin(["KA", "BA"])]
    assert "Paper" not in latex_tables(two, reported(two), ALL)


def test_without_judges_there_is_the_table_of_the_experts(frame: pd.DataFrame) -> None:
    experts = frame[frame["kind"] == "expert"]
    assert latex_tables(experts, reported(experts), ALL).count(r"\begin{table*}") == 1


def test_the_rehearsal_is_told(frame: pd.DataFrame) -> None:
    marked = frame.assign(improvised=["story and judge" if rater == "GPT-4" else "story" for rater in frame["rater"]])
    table = latex_tables(marked, reported(frame), ALL)
    assert table.count("All rated items are demo output (no language model); do not report.") == 2
    assert r"{Rehearsal judge, GPT-4 protocol: do its metrics agree?$^{\dagger}$}" in table
    assert r"Rehearsal judge, GPT-4 protocol$^{\dagger}$ & " in table
    assert "\nSame \\textless{}b\\textgreater{} & " in table
    assert table.count(r"$^{\dagger}$ Demo, made without a language model: not a result.") == 2
    assert r"\dagger" not in latex_tables(frame, reported(frame), ALL)


def test_a_hostile_judge_is_shown_and_not_run(frame: pd.DataFrame) -> None:
    plain = frame.drop(columns="language")
    renamed = plain.replace({"rater": {"GPT-4": HOSTILE, "Same <b>": "评委 --one''\n\n\\end{table}"}})
    table = latex_tables(renamed, reported(renamed), ALL)
    assert "\\input" not in table
    assert table.count("\\end{table*}") == 2
    assert r"\textbackslash{}input\{/etc/passwd\}\_\textasciicircum{}\textasciitilde{}\%\&\#\$" in table
    assert r"评委 -{}-one'{}' \textbackslash{}end\{table\}" in table


def test_the_signs_of_latex() -> None:
    assert escaped("a\\b{c}") == r"a\textbackslash{}b\{c\}"
    assert escaped("[*]") == "{[}{*}{]}"
    assert escaped("a---b ?`") == "a-{}-{}-b ?{}`"
    assert escaped(" a\n\tb\x00\x1b\ud800 ") == "a b???"


SHOWN = {
    **{rf"\{sign}": sign for sign in "{}_%&#$"},
    **{f"{{{sign}}}": sign for sign in "[]*"},
    "\\textbackslash{}": "\\",
    "\\textasciicircum{}": "^",
    "\\textasciitilde{}": "~",
    "\\textless{}": "<",
    "\\textgreater{}": ">",
    "\\textbar{}": "|",
    "\\symbol{34}": '"',
    "$\\pm$": "±",
    "{}": "",
}
TOKEN = re.compile("|".join(map(re.escape, sorted(SHOWN, key=len, reverse=True))) + r"|[^\\{}_%&#$^~<>|\"\[\]*±]")


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))) | st.text(r"\{}[]*-'`?!,^~ a"))
def test_any_text_is_made_of_what_latex_shows_and_shows_it(text: str) -> None:
    tex = escaped(text)
    tokens = TOKEN.findall(tex)
    assert "".join(tokens) == tex
    assert "".join(SHOWN.get(token, token) for token in tokens) == " ".join(text.split())
    assert not re.search(r"--|''|``|\?`|!`|,,", tex)


def test_a_part_of_the_ratings_is_told_under_each_table(frame: pd.DataFrame) -> None:
    chosen = Selection("en", ("m0", "m_1"))
    told = r"Only ratings of the language English and of the models m0, m\_1 were selected from a larger set."
    part = frame[frame["language"] == "en"]
    assert latex_tables(part, reported(part), chosen).count(told) == 2
    assert "larger set" not in latex_tables(part, reported(part), ALL)


@pytest.mark.process
def test_they_are_typeset(frame: pd.DataFrame, tmp_path: Path) -> None:
    names = {"Ann": HOSTILE, "GPT-4": f"{HOSTILE} v2"}
    renamed = frame.assign(rater=frame["rater"].replace(names))
    typeset(latex_tables(renamed, reported(renamed), ALL), tmp_path)
