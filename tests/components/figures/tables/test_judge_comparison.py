"""Judges beside each other, variance components and designs: the cells are what was computed."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from annotations.design.planning import MOST_SCENES, Design, LeastDesign, least_design
from annotations.errors import Undefined
from annotations.reliability.variance_components import Component, VarianceComponents, variance_components
from annotations.report.judge_report import Judges, judges_beside
from annotations.report.report import design_of
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.judges import (
    NEGATIVE,
    PAIR_HEADS,
    SOURCE_HEADS,
    UNREACHED,
    comparison_table,
    components_table,
    design_table,
)
from tests.components.figures.ratings_sample import campaign
from tests.components.figures.tables.table_rows import Rows

MARK = "Demo"
HOSTILE = "<img src=x onerror=alert(1)>"
SOURCES = ("model", "scene", "rater", "model x scene", "model x rater", "scene x rater")


def components(**variances: float) -> VarianceComponents:
    """With these estimates by source, some of them negative; all others are 1."""
    raw = dict.fromkeys((*SOURCES, "residual"), 1.0) | {
        name.replace("_", " "): value for name, value in variances.items()
    }
    whole = sum(max(value, 0) for value in raw.values())
    found = {name: Component(max(value, 0), value, max(value, 0) / whole) for name, value in raw.items()}
    return VarianceComponents("KA", found, 1200, 400, 5, 80, 3, {})


def test_the_shares_stand_by_source_and_add_up() -> None:
    rows = Rows(html_of(components_table({"KA": components(residual=3.0, model=0.0)})))
    assert rows.rows[0] == ["", *SOURCE_HEADS]
    assert rows.starting("KA")[0][1:] == ["0%", "12%", "12%", "12%", "12%", "12%", "38%", "1,200"]


def test_what_items_of_one_model_and_scene_bring_is_in_the_rest() -> None:
    rows = Rows(html_of(components_table({"KA": components(item=1.0)})))
    assert rows.starting("KA")[0][-2:] == ["25%", "1,200"]


def test_a_negative_estimate_is_0_with_a_note() -> None:
    markup = html_of(components_table({"KA": components(rater=-0.2), "BA": components()}))
    rows = Rows(markup)
    assert rows.starting("KA")[0][3] == "0%a"
    assert not any(cell.endswith("a") for cell in rows.starting("BA")[0][1:])
    assert f"<sup>a</sup> {NEGATIVE}" in markup


def test_components_of_ratings_are_those_of_their_module() -> None:
    frame = campaign()
    found = {metric: variance_components(frame, metric) for metric in ("KA", "BA")}
    rows = Rows(html_of(components_table(found)))
    for metric, one in found.items():
        cells = [cell.rstrip("a") for cell in rows.starting(metric)[0][1:]]
        assert cells[:6] == [f"{one.components[name].share:.0%}" for name in SOURCES]
        assert cells[7] == str(one.n) == "72"


def test_components_that_there_are_not_have_their_reason_over_the_row() -> None:
    markup = html_of(components_table({"overall": Undefined(f"there is 1 model, {HOSTILE}")}))
    assert Rows(markup).starting("Overall")[0][1:] == [f"– there is 1 model, {HOSTILE}"]
    assert f'colspan="{len(SOURCE_HEADS)}"' in markup
    assert "img" not in Rows(markup).tags


def test_each_number_of_experts_has_its_least_scenes() -> None:
    designs = (Design(2, 1, 1, 0.8, 0.7), Design(3, 1234, 1, 0.8, 0.7))
    found = LeastDesign("KA", 0.8, "generalizability", designs[0], designs)
    markup = html_of(design_table({"KA": found, "BA": Undefined("no differences between models")}, (1, 2, 3)))
    rows = Rows(markup)
    assert rows.rows[0] == ["", "1 expert", "2 experts", "3 experts"]
    assert rows.starting("KA")[0][1:] == [
        "nonea",
        "1 scene 2 ratings per model",
        "1,234 scenes 3,702 ratings per model",
    ]
    assert rows.starting("BA")[0][1:] == ["– no differences between models"]
    assert f"<sup>a</sup> {UNREACHED.format(most=MOST_SCENES)}" in markup


def test_a_design_of_the_table_reaches_what_is_wished() -> None:
    found = least_design(components(model=4.0), 0.7)
    row = Rows(html_of(design_table({"KA": found}, (1, 3, 10)))).starting("KA")[0]
    for experts, cell in zip((1, 3, 10), row[1:], strict=True):
        needed = next((one for one in found.choices if one.experts == experts), None)
        if needed is None:
            assert cell == "nonea"
            continue
        assert needed.generalizability >= 0.7
        assert cell.startswith(f"{needed.scenes} scene")


@pytest.fixture(scope="module")
def pair() -> Judges:
    frame = campaign()
    other = frame[frame["rater"] == "bo"].assign(rater="second", kind="judge")
    frame = pd.concat([frame[frame["rater"] != "bo"], other])
    return judges_beside(frame, ("GPT-4", "second"), design_of(frame, load_rubric(), (1, 5)))


def with_p(pair: Judges, p: float | Undefined) -> Judges:
    both: Any = pair.comparison
    return replace(pair, comparison=replace(both, p=p))


def test_two_judges_have_both_r_their_difference_and_its_p(pair: Judges) -> None:
    both: Any = pair.comparison
    rows = Rows(html_of(comparison_table({("GPT-4", "second"): pair}, frozenset())))
    assert rows.rows[0] == ["", *PAIR_HEADS]
    (row,) = rows.starting("GPT-4 and second")
    for cell, one in zip(row[1:4], (both.first_r, both.second_r, both.difference), strict=True):
        limits = f"[{one.interval.low:.2f}, {one.interval.high:.2f}]"
        assert cell == f"{one.estimate:.2f} {limits} n = 24 items".replace("-0.00", "0.00")
    p = f"{both.p:.3f}"[1:]
    assert row[4:] == [p, p]


def test_a_small_p_is_written_as_journals_do(pair: Judges) -> None:
    sure = with_p(pair, 0.0000012)
    assert Rows(html_of(comparison_table({("GPT-4", "second"): sure}, frozenset()))).rows[1][4:] == ["< .001", "< .001"]


def test_p_is_adjusted_for_the_number_of_pairs_that_have_one(pair: Judges) -> None:
    given = {"second": 0.03, "third": 0.01, "fourth": Undefined("r is 1"), "fifth": 0.4}
    found = {("GPT-4", name): with_p(pair, p) for name, p in given.items()}
    none = {("GPT-4", "sixth"): replace(pair, comparison=Undefined("there are 3 items"))}
    rows = Rows(html_of(comparison_table(found | none, frozenset()))).rows[1:]
    assert [row[4:] for row in rows[:4]] == [[".030", ".060"], [".010", ".030"], ["–a", ""], [".400", ".400"]]


def test_a_test_that_is_undefined_has_its_reason_among_the_notes(pair: Judges) -> None:
    bare = with_p(pair, Undefined("r is 1"))
    markup = html_of(comparison_table({("GPT-4", "second"): bare}, frozenset()))
    assert Rows(markup).starting("GPT-4")[0][4:] == ["–a", ""]
    assert "<sup>a</sup> r is 1" in markup


def test_judges_that_cannot_be_compared_have_the_reason_over_the_row(pair: Judges) -> None:
    bare = replace(pair, comparison=Undefined(f"{HOSTILE} gave all 24 items the same score, 3"))
    markup = html_of(comparison_table({(HOSTILE, "second"): bare}, frozenset()))
    (row,) = Rows(markup).starting(HOSTILE)
    assert row[1:] == [f"– {HOSTILE} gave all 24 items the same score, 3"]
    assert "img" not in Rows(markup).tags


def test_a_pair_with_a_judge_of_the_rehearsal_has_the_mark(pair: Judges) -> None:
    found = {("GPT-4", "second"): pair, ("GPT-4", "third"): pair}
    labels = [row[0] for row in Rows(html_of(comparison_table(found, frozenset({"second"})))).rows[1:]]
    assert labels == [f"GPT-4 and Rehearsal judge, second protocol{MARK}", "GPT-4 and third"]
