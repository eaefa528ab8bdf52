"""The tables: their figures are the report's, the paper's stand beside them, and no name becomes mark-up."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import Undefined
from annotations.i18n.translation import speaking
from annotations.marking.rating import Dropped
from annotations.reliability.cronbach_alpha import ACROSS_METRICS, Alpha
from annotations.report.published import TABLE_2, TABLE_3
from annotations.report.report import AlphaOf, Report
from annotations.rubrics.rubric import load_rubric
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.tables.captions import definitions, dropped_list, fault, improvised_notice, summary
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.reliability_validity import (
    intervals_of_alphas,
    intervals_of_correlations,
    reliability_table,
    validity_table,
)
from characterbox.components.figures.tables.text import decimal
from tests.components.figures.ratings_sample import KEYS, campaign, reported
from tests.components.figures.tables.table_rows import Rows

pytestmark = pytest.mark.slow

RUBRIC = load_rubric()


def report(frame: pd.DataFrame | None = None) -> Report:
    return reported(campaign() if frame is None else frame)


def told(statistic: object) -> str:
    assert isinstance(statistic, Alpha | Correlation)
    rows = isinstance(statistic, Alpha) and statistic.definition == ACROSS_METRICS
    counted = "rows" if rows else "items"
    made = statistic.interval
    return f"{statistic.estimate:.2f} [{made.low:.2f}, {made.high:.2f}] n = {statistic.n} {counted}"


def why_no_interval(statistic: Alpha | Correlation) -> str:
    assert isinstance(statistic.interval, Undefined)
    return str(statistic.interval.reason)


def test_reliability_has_each_dimension_by_language_beside_the_paper_s() -> None:
    found = report()
    rows = Rows(html_of(reliability_table(found, frozenset())))
    assert rows.rows[0] == ["", "All ratings", "English", "Chinese"]
    for dimension in ("Character Fidelity", "Human-Likeness", "Consistency"):
        row = rows.starting(dimension)[0]
        paper = {published.language: published.alpha for published in TABLE_2 if published.dimension == dimension}
        assert row[1] == told(found.reliability[AlphaOf(dimension)])
        assert row[2] == told(found.reliability[AlphaOf(dimension, language="en")]) + f"paper {paper['en']:.2f}"
        assert row[3] == told(found.reliability[AlphaOf(dimension, language="zh")]) + f"paper {paper['zh']:.2f}"
    assert rows.starting("AD")[0][1] == told(found.reliability[AlphaOf(metric="AD")])


def test_a_judge_s_alpha_stands_apart_with_the_published_one_as_the_paper_does_not_say_whose_it_is() -> None:
    found = report()
    rows = Rows(html_of(reliability_table(found, frozenset()))).rows
    head = next(number for number, row in enumerate(rows) if row[0].startswith("GPT-4: do its metrics agree?"))
    paper = {(one.dimension, one.language): one.alpha for one in TABLE_2}
    for row, dimension in zip(rows[head + 1 : head + 4], found.design.dimensions, strict=True):
        alpha = found.reliability[AlphaOf(dimension, language="zh", judge="GPT-4")]
        assert row[3] == told(alpha) + f"paper {paper[dimension, 'zh']:.2f}"


def test_no_published_alpha_stands_beside_that_of_the_rehearsal() -> None:
    found = report()
    rows = Rows(html_of(reliability_table(found, frozenset({"GPT-4"})))).rows
    head = next(
        number
        for number, row in enumerate(rows)
        if row[0].startswith("Rehearsal judge, GPT-4 protocol: do its metrics agree?")
    )
    assert rows[head][0].endswith("Demo")
    assert [row[1] for row in rows[head + 1 : head + 4]] == [
        told(found.reliability[AlphaOf(dimension, judge="GPT-4")]) for dimension in found.design.dimensions
    ]
    other = next(row for row in rows if row[0].startswith("Same <b>"))
    assert "improvised" not in other[0]


def test_validity_is_laid_out_like_table_3_with_the_published_rows() -> None:
    found = report()
    rows = Rows(html_of(validity_table(found, frozenset())))
    assert rows.rows[0] == ["", *KEYS, "Overall"]
    ours, published = rows.starting("GPT-4")
    assert ours[1:] == [told(r) for r in found.validity["GPT-4"].values()]
    assert published[1:] == [f"{published.pearson:.2f}" for published in TABLE_3 if published.judge == "GPT-4"]
    assert [row[0] for row in rows.rows[-3:]] == ["GPT-4", "ChatGLM", "CharacterRM"]


def test_what_is_undefined_has_its_reason_and_no_number() -> None:
    markup = html_of(validity_table(report(), frozenset()))
    row = Rows(markup).starting("Same <b>")[0]
    assert all(re.fullmatch(r"–[a-z]", cell) for cell in row[1:])
    assert "Same &lt;b&gt; gave all 24 items the same score, 3, on KA" in markup
    assert "nan" not in markup.casefold()


def test_one_reason_for_a_whole_row_is_written_out_once() -> None:
    frame = campaign(("en",))
    lonely = report(frame[frame["rater"].isin(["ann", "GPT-4"])])
    row = Rows(html_of(reliability_table(lonely, frozenset()))).starting("KA")[0]
    assert row[1:] == ["– only one rater, ann, scored KA; agreement needs at least two"]


def test_negative_alphas_are_flagged() -> None:
    frame = campaign(("en",))
    turned = frame["metric"] == "BA"
    frame.loc[turned, "score"] = 6 - frame.loc[turned, "score"]
    assert "alpha is negative: in these scores, the columns covary negatively on average" in html_of(
        reliability_table(report(frame), frozenset())
    )


def test_an_alpha_of_too_few_scenes_stands_without_an_interval_and_the_reason_is_noted() -> None:
    frame = campaign()
    some = frame[(frame["language"] == "en") | frame["scene"].isin(["zh-0", "zh-1"])]
    found = report(some)
    assert intervals_of_alphas(found) == "jackknife by scenes, with models and raters fixed"
    markup = html_of(reliability_table(found, frozenset()))
    _, english, chinese = Rows(markup).starting("Consistency")[0][1:]
    assert re.match(r"\d\.\d\d \[", english)
    assert re.match(r"\d\.\d\d no interval[a-z] n = 12 rows", chinese)
    alpha = found.reliability[AlphaOf("Consistency", language="zh")]
    assert isinstance(alpha, Alpha)
    assert "at least 5 scenes" in why_no_interval(alpha)
    assert f"</sup> no interval: {why_no_interval(alpha)}" in markup


def test_an_r_of_too_few_scenes_stands_without_an_interval_and_the_reason_is_noted() -> None:
    frame = campaign(("en",))
    few = frame[(frame["rater"] == "GPT-4") & frame["scene"].isin(["en-0", "en-1"])].assign(rater="few")
    found = report(pd.concat([frame, few], ignore_index=True))
    assert intervals_of_correlations(found) == "jackknife by scenes, with models and raters fixed"
    markup = html_of(validity_table(found, frozenset()))
    r = found.validity["few"]["overall"]
    assert isinstance(r, Correlation)
    assert re.fullmatch(rf"{r.estimate:.2f} no interval[a-z] n = 4 items", Rows(markup).starting("few")[0][-1])
    assert "at least 5 scenes" in why_no_interval(r)
    assert f"</sup> no interval: {why_no_interval(r)}" in markup
    assert "<sup>" not in markup.split('<th scope="row">GPT-4')[1].split("</tr>")[0]


def test_an_interval_made_otherwise_than_most_is_noted() -> None:
    found = report(campaign(("en",)))
    of = AlphaOf("Consistency", language="en")
    alpha = found.reliability[of]
    assert isinstance(alpha, Alpha)
    assert not isinstance(alpha.interval, Undefined)
    other = replace(alpha, interval=replace(alpha.interval, way="feldt"))
    markup = html_of(reliability_table(replace(found, reliability={**found.reliability, of: other}), frozenset()))
    assert re.match(r"\d\.\d\d[a-z] \[", Rows(markup).starting("Consistency")[0][1])
    assert markup.count("</sup> interval: ") == 1
    assert "</sup> interval: Feldt&#x27;s interval, which takes the rows as independent" in markup


def test_where_no_figure_has_an_interval_nothing_is_told_of_how_most_were_made() -> None:
    found = report(campaign(("en",), scenes=4))
    assert (intervals_of_alphas(found), intervals_of_correlations(found)) == ("", "")


def test_other_metrics_have_one_dimension_and_no_figure_of_the_paper() -> None:
    frame = campaign().replace({"metric": {key: f"m{number}" for number, key in enumerate(KEYS)}})
    other = reported(frame, scale=None)
    reliability = html_of(reliability_table(other, frozenset()))
    assert Rows(reliability).starting("all metrics")[0][1] == told(other.reliability[AlphaOf("all metrics")])
    assert Rows(reliability).starting("m0")[0][1] == told(other.reliability[AlphaOf(metric="m0")])
    judges = Rows(reliability).rows
    assert next(row for row in judges if row[0] == "GPT-4")[1] == told(
        other.reliability[AlphaOf("all metrics", judge="GPT-4")]
    )
    assert "paper" not in (reliability + html_of(validity_table(other, frozenset()))).replace("cb-paper", "").casefold()


def test_names_and_reasons_never_become_mark_up() -> None:
    frame = campaign(("en",)).drop(columns="language")
    hostile = "<img src=x onerror=alert(1)>"
    frame = frame.replace({"rater": {"GPT-4": hostile, "ann": f"{hostile} 2"}, "metric": {"KA": hostile}})
    frame["item"] += hostile
    frame.loc[frame["rater"] == "bo", "score"] = float("nan")
    found = reported(frame, scale=None)
    parts = (
        html_of(reliability_table(found, frozenset({hostile}))),
        html_of(validity_table(found, frozenset())),
        dropped_list(found.dropped),
        definitions(found),
        summary(frame),
        fault(hostile),
    )
    assert all("img" not in Rows(part).tags for part in parts)
    assert "&lt;img" in parts[0]


def test_the_summary_counts_and_the_notice_says_how_much_was_improvised() -> None:
    frame = campaign()
    assert "840 ratings, 24 items, 12 scenes, 2 models, 3 experts, 2 judges. Scores range from 1 to 5." in summary(
        frame
    )
    assert improvised_notice(frame) == ""
    some = frame.assign(improvised=["story" if item.startswith("en-0") else "" for item in frame["item"]])
    assert "2 of the 24 rated items are demo output (no language model); do not report." in improvised_notice(some)
    assert "All rated items are demo output" in improvised_notice(frame.assign(improvised="story and judge"))
    assert improvised_notice(frame.assign(improvised="judge")) == ""


def test_what_was_left_out_is_grouped_by_reason_and_counted() -> None:
    frame = campaign(("en",)).drop(columns="language")
    frame.loc[(frame["rater"] == "bo") & (frame["metric"] == "AD"), "score"] = 9
    markup = dropped_list(report(frame).dropped)
    assert "outside the scale 1 to 5</b>: bo, AD: 12 items: en-0-m0 (score 9)" in markup
    assert "and 8 more" in markup


def test_a_metric_that_is_called_as_a_dimension_is_told_from_it() -> None:
    both = [
        Dropped("i", "all metrics", None, "incomplete", "no score by bo"),
        Dropped("i", None, None, "incomplete", "no score on wit", "all metrics"),
    ]
    with speaking("zh"):
        markup = dropped_list(both)
    assert markup.count("<li>") == 2, "each has its line"
    assert markup.count("all metrics") == 1, "the metric keeps its name; the dimension has one in Chinese"


@given(st.floats(-1, 1))
def test_decimals_are_two_and_zero_has_no_sign(value: float) -> None:
    assert re.fullmatch(r"-?\d\.\d\d", decimal(value))
    assert float(decimal(value)) == pytest.approx(value, abs=0.00501)
    assert decimal(value) != "-0.00"
