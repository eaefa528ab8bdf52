"""Dashes in tables: each has its reason, for who points at it and among the notes."""

import re
from itertools import product

import pytest

from annotations.i18n.translation import speaking
from characterbox.components.figures.tables.costs import hour_table, judges_table, pairs_table
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.scene_quality import papers_crafting_table
from characterbox.judging.cost_table import Costs, CostTable, JudgeRow, Mean

NOTHING, UNKNOWN = Mean(None, None, 0, 0), Mean(None, None, 0, 3)


def a_judge(mean: Mean) -> JudgeRow:
    """A judge of which every figure is that mean, and all of a story none."""
    of_trajectory, of_story = (Costs(*[each] * 8) for each in (mean, NOTHING))
    return JudgeRow("gpt", (), mean.unknown, 2, 0, of_trajectory, of_story)


def tables() -> dict[str, str]:
    judges = [a_judge(NOTHING), a_judge(UNKNOWN)]
    hours = {
        f"an hour for {wage} and {minutes}": html_of(hour_table(judges, minutes, wage))
        for wage, minutes in product((None, 30.0), (None, 2.0))
    }
    empty = CostTable(pairs=(), judges=(), stories=0, left_out={}, sums={})
    return {
        "the paper's costs": html_of(pairs_table(empty)),
        "the paper's scenes": html_of(papers_crafting_table()),
        "judges": html_of(judges_table(judges)),
        **hours,
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_dash_has_its_reason(language: str) -> None:
    with speaking(language):
        for name, markup in tables().items():
            dashes = re.findall(r'(?:aria-label="([^"]*)" title="([^"]*)">)?–(</span><sup>\w+</sup>)?', markup)
            assert dashes, name
            for read, shown, noted in dashes:
                assert read == shown != "", name
                assert noted, name
                assert f"</sup> {read}</li>" in markup, name


def test_the_reason_is_the_one_that_holds() -> None:
    shown = tables()
    broken_off = "The judging of every trajectory was interrupted or reused from elsewhere"
    assert all(broken_off in shown[name] for name in ("judges", "an hour for 30.0 and 2.0"))
    assert "Unknown for 3 of 3" in shown["judges"]
    for wage, minutes in product((None, 30.0), (None, 2.0)):
        markup = shown[f"an hour for {wage} and {minutes}"]
        assert ("Enter the expert&#x27;s hourly wage" in markup) == (wage is None)
        assert ("Enter the expert&#x27;s minutes per trajectory" in markup) == (minutes is None)
