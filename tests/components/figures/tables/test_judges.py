"""The tables of one judge: their cells are what was computed, and what the rehearsal gave has its mark."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.report.judge_report import JudgeReport
from annotations.report.report import design_of
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.judges import (
    ceiling_table,
    concordance_table,
    leaderboard_table,
    level_table,
    overall_table,
)
from tests.annotations.report_of_judge import report_of
from tests.components.figures.ratings_sample import KEYS, campaign
from tests.components.figures.tables.table_rows import Rows

MARK = "Demo"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """By six models: an interval of r of models needs five."""
    frame = campaign()
    parts = [frame]
    for added, names in ((1, {"m0": "m2", "m1": "m3"}), (-1, {"m0": "m4", "m1": "m5"})):
        other = frame.assign(model=frame["model"].replace(names), item=frame["item"] + f"{added:+}")
        parts.append(other.assign(score=(other["score"] + added).clip(1, 5)))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def report(frame: pd.DataFrame) -> JudgeReport:
    return report_of(frame, "GPT-4", design_of(frame, load_rubric(), (1, 5)))


def tables(report: JudgeReport, *, improvised: bool) -> list[str]:
    overall: Any = report.overall
    means: Any = report.leaderboard
    return [
        html_of(level_table(report, improvised=improvised)),
        html_of(overall_table(overall, improvised=improvised)),
        html_of(concordance_table(report, improvised=improvised)),
        html_of(ceiling_table(report, improvised=improvised)),
        html_of(leaderboard_table(means, improvised=improvised)),
    ]


def written(found: Any) -> str:
    """An estimate with its interval."""
    return f"{found.estimate:.2f} [{found.interval.low:.2f}, {found.interval.high:.2f}]".replace("-0.00", "0.00")


@pytest.mark.slow
def test_what_the_rehearsal_judged_has_its_mark_on_top_of_each_table(report: JudgeReport) -> None:
    for table in tables(report, improvised=True):
        assert Rows(table).rows[1] == [MARK]
    for table in tables(report, improvised=False):
        assert MARK not in table


def test_overall_has_its_three_definitions(report: JudgeReport) -> None:
    overall: Any = report.overall
    rows = Rows(html_of(overall_table(overall, improvised=False))).rows[1:]
    assert [row[0] for row in rows] == ["Pooled", "Row mean", "Model mean"]
    assert rows[0][1] == f"{written(overall.pooled.items.pearson)} n = 504 pairs"
    assert rows[1][1] == f"{written(overall.row_mean.items.pearson)} n = 72 pairs"
    assert rows[2][1:] == ["at the model level only", f"{written(overall.model_mean.pearson)} n = 6 models"]


def test_limits_of_agreement_have_their_intervals(report: JudgeReport) -> None:
    rows = Rows(html_of(concordance_table(report, improvised=False)))
    for metric in KEYS:
        found: Any = report.by_metric[metric].concordance
        told = f"{written(found.limits.low)} to {written(found.limits.high)} n = 72 items"
        assert rows.starting(metric)[0][5] == told


def test_limits_without_an_interval_have_the_reason(report: JudgeReport) -> None:
    one: Any = report.by_metric["KA"]
    limits = one.concordance.limits
    bare = replace(limits, low=replace(limits.low, interval=Undefined("there are 2 scenes")))
    concordance = replace(one.concordance, limits=bare)
    markup = html_of(
        concordance_table(replace(report, by_metric={"KA": replace(one, concordance=concordance)}), improvised=False)
    )
    assert Rows(markup).starting("KA")[0][5].startswith(f"{limits.low.estimate:.2f} no intervala to ")
    assert "<sup>a</sup> no interval: there are 2 scenes" in markup


@pytest.mark.slow
def test_the_best_models_come_first_and_those_without_a_mean_last(frame: pd.DataFrame) -> None:
    unseen = frame["scene"].isin(["en-0", "en-1", "zh-0", "zh-1"]) & (frame["kind"] == "expert")
    judged = frame[~unseen]
    found: Any = report_of(judged, "GPT-4", design_of(judged, load_rubric(), (1, 5)))
    means = {name: one.corrected.estimate for name, one in found.leaderboard.items() if name != "m3"}
    assert len(set(means.values())) == 5
    bare = replace(found.leaderboard["m3"], corrected=Undefined("no item was scored by both"))
    markup = html_of(leaderboard_table({**found.leaderboard, "m3": bare}, improvised=False))
    assert [row[0] for row in Rows(markup).rows[1:]] == [*sorted(means, key=lambda name: -means[name]), "m3"]
    assert "no item was scored by both" in markup


@pytest.mark.slow
def test_where_nothing_is_corrected_the_experts_own_means_lead(frame: pd.DataFrame) -> None:
    found: Any = report_of(frame, "GPT-4", design_of(frame, load_rubric(), (1, 5)))
    means = {name: one.experts.estimate for name, one in found.leaderboard.items()}
    shown = Rows(html_of(leaderboard_table(found.leaderboard, improvised=False))).rows
    assert shown[0][1:] == ["Experts only", "Judge only"]
    assert [row[0] for row in shown[1:]] == sorted(means, key=lambda name: -means[name])


def test_names_never_become_mark_up(frame: pd.DataFrame) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    odd = frame.replace({"metric": {"KA": hostile}, "rater": {"GPT-4": hostile, "ann": f"{hostile}a"}})
    odd["model"] = odd["model"].replace({"m0": hostile})
    found = report_of(odd, hostile, design_of(odd, None, (1, 5)))
    for table in tables(found, improvised=True):
        assert "img" not in Rows(table).tags
