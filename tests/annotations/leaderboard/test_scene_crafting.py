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


def scored(**by_scene):
    """One crafter's creativity, for each scene what its raters gave."""
    rows = [("c", "extracted", scene, score, 3) for scene, scores in by_scene.items() for score in scores]
    return table(rows)


def test_scenes_count_once_however_many_rated_them():
    cell = cells(table())["three-stage · m", "extracted", "creativity"]
    assert (cell.mean, cell.scenes) == (4.0, 2)  # (3 + 5) / 2
    assert cell.sd == pytest.approx(math.sqrt(2))
    cell = cells(scored(a=[4, 2, 3], b=[5, 3], c=[3], d=[1, 3], e=[3]))["c", "extracted", "creativity"]
    assert (cell.mean, cell.scenes) == (3.0, 5)  # 3, 4, 3, 2 and 3
    assert cell.sd == pytest.approx(math.sqrt(1 / 2))
    assert cell.high - cell.mean == pytest.approx(2.776445 * math.sqrt(1 / 10), abs=1e-5)  # t(4) * sqrt(1/2) / sqrt(5)
    assert cell.mean - cell.low == pytest.approx(cell.high - cell.mean)


def test_of_fewer_than_five_scenes_there_is_no_interval():
    cell = cells(scored(a=[4, 2], b=[5], c=[2], d=[1]))["c", "extracted", "creativity"]
    assert (cell.mean, cell.low, cell.high, cell.scenes) == (11 / 4, None, None, 4)
    assert cell.sd > 1


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
    wide = scored(a=[1], b=[5], c=[5], d=[1], e=[3])
    assert cells(wide)["c", "extracted", "creativity"].high > 5
    cell = cells(wide, (1, 5))["c", "extracted", "creativity"]
    assert (cell.mean, cell.low, cell.high) == (3.0, 1, 5)
    cell = cells(scored(a=[5], b=[4], c=[5], d=[4], e=[4.5]), (1, 5))["c", "extracted", "creativity"]
    assert cell.low == pytest.approx(4.5 - 2.776445 * math.sqrt(1 / 20), abs=1e-5)  # t(4) * sqrt(1/4) / sqrt(5)
    assert cell.high == 5


def test_scenes_that_all_score_the_same_have_no_interval():
    cell = cells(scored(a=[4], b=[4], c=[4], d=[4], e=[4]))["c", "extracted", "creativity"]
    assert (cell.mean, cell.sd, cell.low, cell.high, cell.scenes) == (4.0, 0.0, None, None, 5)
