"""Table 4: means over scenes by crafter and origin, worked by hand."""

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.leaderboard.standings import crafting_scores
from tests.fakes.examples import examples

ROWS = [
    ("three-stage · m", "extracted", "a", 4, 3),
    ("three-stage · m", "extracted", "a", 2, 3),  # a second rater of the same scene
    ("three-stage · m", "extracted", "b", 5, math.nan),
    ("three-stage · m", "generated", "c", 1, 5),
    ("direct · m", "extracted", "d", 2, 2),
]
METRICS = ["creativity", "detail"]
WIDE = (-math.inf, math.inf)
"""A scale without ends."""


def table(rows=ROWS):
    return pd.DataFrame(rows, columns=["crafter", "origin", "scene", "creativity", "detail"])


def cells(frame, ends=WIDE):
    return {(one.crafter, one.origin, one.metric): one for one in crafting_scores(frame, METRICS, ends)}


def test_scenes_count_once_however_many_rated_them():
    cell = cells(table())["three-stage · m", "extracted", "creativity"]
    assert (cell.mean, cell.scenes) == (4.0, 2)  # (3 + 5) / 2
    assert cell.sd == pytest.approx(math.sqrt(2))
    assert cell.high - cell.mean == pytest.approx(12.7062, abs=1e-4)  # t(1) * sqrt(2) / sqrt(2)


def test_what_is_missing_is_missing_for_its_metric_alone():
    cell = cells(table())["three-stage · m", "extracted", "detail"]
    assert (cell.mean, cell.sd, cell.low, cell.scenes) == (3.0, None, None, 1)


def test_origins_and_crafters_are_told_apart():
    found = cells(table())
    assert found["three-stage · m", "generated", "creativity"].mean == 1.0
    assert found["direct · m", "extracted", "detail"].mean == 2.0
    assert ("direct · m", "generated", "detail") not in found


@settings(max_examples=examples(12, 100))
@given(st.permutations(ROWS))
def test_the_order_of_the_rows_changes_nothing(rows):
    assert crafting_scores(table(rows), METRICS, WIDE) == crafting_scores(table(), METRICS, WIDE)


def test_no_scores_no_cells():
    assert crafting_scores(table([]).astype({"creativity": float, "detail": float}), METRICS, WIDE) == []


def test_an_interval_ends_where_the_scale_ends():
    cell = cells(table(), (1, 5))["three-stage · m", "extracted", "creativity"]
    assert (cell.mean, cell.low, cell.high) == (4.0, 1, 5)
    near = cells(
        table([("c", "extracted", scene, score, 3) for scene, score in zip("abcd", (5, 4, 5, 4), strict=True)]), (1, 5)
    )
    cell = near["c", "extracted", "creativity"]
    assert (cell.low, cell.high) == (pytest.approx(4.5 - 3.18245 / math.sqrt(12), abs=1e-4), 5)  # t(3) * sqrt(1/3) / 2


def test_scenes_that_all_score_the_same_have_no_interval():
    cell = cells(table([("c", "extracted", scene, 4, 3) for scene in "ab"]))["c", "extracted", "creativity"]
    assert (cell.mean, cell.sd, cell.low, cell.high, cell.scenes) == (4.0, 0.0, None, None, 2)
