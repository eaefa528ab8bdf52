"""The tables on raters: their cells are what was computed, with n, and reasons stand in the notes."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.reliability.agreement import Repeats, repeats_of_rater
from annotations.reliability.raters import RaterFigures, rater_figures
from annotations.report.per_metric import WHOLE, Part, between_experts, consistencies, reliability_by_part
from annotations.report.report import Design, design_of
from annotations.resampling.estimates import FEWEST_OF_SHARE
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.raters import (
    AGREEMENT_HEADS,
    RATER_HEADS,
    agreement_table,
    consistency_table,
    part_table,
    rater_table,
)
from tests.components.figures.ratings_sample import KEYS, campaign
from tests.components.figures.tables.table_rows import Rows

RUBRIC = load_rubric()
MARK = "Demo"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return campaign()


@pytest.fixture(scope="module")
def design(frame: pd.DataFrame) -> Design:
    return design_of(frame, RUBRIC, (1, 5))


@pytest.fixture(scope="module")
def each(frame: pd.DataFrame) -> dict[str, RaterFigures]:
    return dict(rater_figures(frame).figures)


def repeats() -> Repeats:
    """Of four pairs two are equal and three within one point."""
    pairs = pd.DataFrame({"item": list("abcd"), "metric": "KA", "first": [1.0, 2, 3, 4], "second": [1.0, 2, 4, 1]})
    return repeats_of_rater(pairs)


def limits(interval: Any) -> str:
    return f"[{interval.low:.2f}, {interval.high:.2f}]"


def test_an_expert_s_row_has_each_figure_with_its_n(each: dict[str, RaterFigures]) -> None:
    rows = Rows(html_of(rater_table(each, {})))
    assert rows.rows[0] == ["", *RATER_HEADS[:-1]]
    for name, found in each.items():
        one: Any = found
        (row,) = rows.starting(name)
        assert row[1:] == [
            f"{one.severity.estimate:.2f} {limits(one.severity.interval)} n = 168 ratings".replace("-0.00", "0.00"),
            f"{one.spread.sd:.2f} {one.spread.ratio:.2f} times that of the others, n = 168 ratings",
            f"{one.correlation.estimate:.2f} {limits(one.correlation.interval)} n = 168 ratings of 12 scenes",
            f"{one.match.within_one:.0%} n = 336 pairs",
        ]


def test_hidden_repeats_have_a_column_where_somebody_had_some(each: dict[str, RaterFigures]) -> None:
    reason = Undefined("none of the 7 repeated scores has both a first and a second score")
    markup = html_of(rater_table(each, {"ann": repeats(), "bo": reason, "gone": repeats()}))
    rows = Rows(markup)
    assert rows.rows[0] == ["", *RATER_HEADS]
    assert [row[0] for row in rows.rows[1:]] == list(each)
    assert rows.starting("ann")[0][-1] == "50% within one point 75%, n = 4 pairs"
    assert rows.starting("bo")[0][-1] == "–a"
    assert rows.starting("cy")[0][-1] == "–b"
    assert f"<sup>a</sup> {reason.reason}" in markup
    assert "<sup>b</sup> no hidden repeats for this expert" in markup


def test_an_expert_whom_nobody_met_has_reasons_and_no_numbers(frame: pd.DataFrame) -> None:
    alone = rater_figures(frame[frame["rater"] == "ann"]).figures
    markup = html_of(rater_table(alone, {}))
    (row,) = Rows(markup).starting("ann")
    spread: Any = alone["ann"].spread
    ratio = f"{spread.sd:.2f} no ratiob, n = 168 ratings"
    assert row[1:] == ["–a", ratio, "–a", "–a"]
    assert "<sup>a</sup> nobody else scored what this rater scored" in markup
    assert "<sup>b</sup> no other rater gave two scores" in markup


def test_a_single_score_has_no_spread(frame: pd.DataFrame) -> None:
    one = rater_figures(frame[(frame["rater"] == "ann")].iloc[:1]).figures
    markup = html_of(rater_table(one, {}))
    assert all(cell.startswith("–") for cell in Rows(markup).starting("ann")[0][1:])
    assert "a standard deviation needs at least two scores; found 1" in markup


@pytest.mark.slow
@pytest.mark.parametrize("side", [None, "GPT-4"])
def test_each_part_has_its_row_and_experts_their_agreement(
    frame: pd.DataFrame, design: Design, side: str | None
) -> None:
    found = reliability_by_part(frame, design, side, "KA")
    rows = Rows(html_of(part_table(found, list(design.dimensions), improvised=False)))
    heads = [f"Alpha, {name}" for name in design.dimensions]
    assert rows.rows[0] == ["", *heads, *(AGREEMENT_HEADS[:4] if side is None else ())]
    labels = {WHOLE: "All ratings", Part("en"): "English", Part("zh"): "Chinese"}
    assert [row[0] for row in rows.rows[1:]] == [*labels.values(), "m0", "m1"]
    for row, one in zip(rows.rows[1:], found.values(), strict=True):
        expected = []
        for name in design.dimensions:
            alpha: Any = one.together[name]
            expected.append(f"{alpha.alpha.estimate:.2f} {limits(alpha.interval)} n = {alpha.alpha.n} rows")
        assert row[1 : len(heads) + 1] == expected
        if side is not None:
            continue
        between: Any = one.between
        share = between.agreement.within_one
        assert row[-4].startswith(f"{between.single.estimate:.2f}")
        assert row[-4].endswith(f"n = {between.single.n} items, 3 raters")
        assert row[-2].endswith(f"n = {between.alpha.n} items, {between.alpha.ratings} ratings")
        of_pairs = f"by chance {share.by_chance:.0%}, n = {between.agreement.pairs} pairs"
        few = between.agreement.pairs < FEWEST_OF_SHARE
        ends = "no interval" if few else f"[{share.interval.low:.0%}, {share.interval.high:.0%}]"
        assert row[-1].startswith(f"{share.observed:.0%} {ends}")
        assert row[-1].endswith(of_pairs)


def test_a_part_that_is_too_small_has_its_reason(frame: pd.DataFrame, design: Design) -> None:
    few = frame[(frame["model"] != "m1") | (frame["item"] == "en-0-m1")]
    markup = html_of(
        part_table(reliability_by_part(few, design, "GPT-4", "KA"), list(design.dimensions), improvised=False)
    )
    assert all(cell.startswith("–") for cell in Rows(markup).starting("m1")[0][1:])
    assert "nan" not in markup.casefold()


def test_agreement_has_each_metric_with_n_of_each_figure(frame: pd.DataFrame, design: Design) -> None:
    found = between_experts(frame, design)
    rows = Rows(html_of(agreement_table(found)))
    assert [row[0] for row in rows.rows] == ["", *KEYS]
    for metric, one in found.items():
        (row,) = rows.starting(metric)
        mean: Any = one.mean
        assert row[2].startswith(f"{mean.estimate:.2f} {limits(mean.interval)} n = 24 items, 3 raters")
        exact: Any = one.agreement
        assert row[5].startswith(f"{exact.exact.observed:.0%} [")


def test_consistency_has_a_group_for_each_side(frame: pd.DataFrame, design: Design) -> None:
    found = consistencies(frame, design)
    markup = html_of(consistency_table(found, frozenset({"Same <b>"})))
    rows = Rows(markup)
    assert [row[0] for row in rows.rows if len(row) == 1] == [
        "Experts",
        "Judge GPT-4",
        f"Rehearsal judge, Same <b> protocol{MARK}",
    ]
    for name, metrics in design.dimensions.items():
        experts, gpt, same = rows.starting(name)
        one: Any = found[None][name]
        feldt = f"{one.alpha.estimate:.2f} {limits(one.alpha.interval)} n = 72 rows"
        assert experts[1:3] == [feldt, f"{one.alpha.estimate:.2f} {limits(one.interval)}"]
        assert gpt[1].endswith("n = 24 rows")
        assert same[1].startswith("– ")
        if len(metrics) == 2:
            assert experts[4].startswith(f"Spearman-Brown {one.spearman_brown.estimate:.2f} [")
        else:
            told = (
                f"without {metric} {alpha.estimate:.2f} {limits(alpha.interval)}, n = 72 rows"
                for metric, alpha in one.without.items()
            )
            assert experts[4] == "".join(told)
        r = one.correlations
        pairs = "1 pair" if r.pairs == 1 else f"{r.pairs} pairs"
        assert experts[3] == f"{r.mean:.2f} over {pairs}, n = 72 rows"


@pytest.mark.slow
def test_what_is_undefined_has_its_reason_among_the_notes(frame: pd.DataFrame, design: Design) -> None:
    between: Any = between_experts(frame, design)["KA"]
    few = Undefined("there are 2 scenes")
    exact = replace(between.agreement.exact, interval=few)
    markup = html_of(agreement_table({"KA": replace(between, agreement=replace(between.agreement, exact=exact))}))
    assert f"{exact.observed:.0%} no intervala by chance" in Rows(markup).starting("KA")[0][-1]
    assert "<sup>a</sup> no interval: there are 2 scenes" in markup
    name, whole = next((name, metrics) for name, metrics in design.dimensions.items() if len(metrics) > 2)
    one: Any = consistencies(frame, design)[None][name]
    without = {**one.without, whole[0]: Undefined("the rest never varies")}
    markup = html_of(consistency_table({None: {name: replace(one, without=without)}}, frozenset()))
    assert f"without {whole[0]} –a" in Rows(markup).starting(name)[0][-1]
    assert "<sup>a</sup> the rest never varies" in markup


def test_parts_of_a_judge_of_the_rehearsal_have_the_mark(frame: pd.DataFrame, design: Design) -> None:
    found = reliability_by_part(frame, design, "GPT-4", "KA")
    assert Rows(html_of(part_table(found, list(design.dimensions), improvised=True))).rows[1] == [MARK]
    assert MARK not in html_of(part_table(found, list(design.dimensions), improvised=False))


@pytest.mark.slow
def test_names_never_become_mark_up(frame: pd.DataFrame, each: dict[str, RaterFigures]) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    odd = frame.replace({"metric": {"KA": hostile}, "rater": {"GPT-4": hostile}, "model": {"m0": hostile}})
    design = design_of(odd, None, (1, 5))
    tables = (
        html_of(
            rater_table({hostile: replace(each["ann"], severity=Undefined(hostile))}, {hostile: Undefined(hostile)})
        ),
        html_of(part_table(reliability_by_part(odd, design, None, hostile), list(design.dimensions), improvised=False)),
        html_of(agreement_table(between_experts(odd, design))),
        html_of(consistency_table(consistencies(odd, design), frozenset({hostile}))),
    )
    for table in tables:
        assert "img" not in Rows(table).tags
        assert "&lt;img" in table
