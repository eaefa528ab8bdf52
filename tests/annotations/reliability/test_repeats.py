"""A rater's own stability, worked by hand."""

import math

import pandas as pd
import pytest

from annotations.errors import RatingError, Undefined, UndefinedStatistic
from annotations.reliability.agreement import Repeats, Stability, repeats_of_rater
from annotations.resampling.clustered import ClusteredEstimate
from annotations.resampling.jackknife import Interval
from tests.annotations.jackknifed import jackknifed
from tests.fakes.in_english import in_english

NAN = math.nan


def repeats(rows: list[tuple[str, str, float, float]]) -> Repeats:
    return repeats_of_rater(
        pd.DataFrame(rows, columns=["item", "metric", "first", "second"]).astype({"first": float, "second": float})
    )


BY_HAND: list[tuple[str, str, float, float]] = [
    ("a", "KA", 3, 3),
    ("a", "BA", 4, 2),
    ("b", "KA", 5, 4),
    ("b", "BA", 1, 1),
    ("c", "KA", 2, 3),
    ("c", "BA", NAN, 4),
]


def test_stability_worked_by_hand() -> None:
    found = repeats(BY_HAND)
    # Changes 0 -2 -1 0 +1: two of five are the same, four lie within a point.
    assert found.overall == Stability(
        exact=0.4, within_one=0.8, mean_absolute=pytest.approx(0.8), mean=pytest.approx(-0.4), n=5, left_out=1
    )
    assert found.by_metric["KA"] == Stability(
        exact=pytest.approx(1 / 3), within_one=1, mean_absolute=pytest.approx(2 / 3), mean=0, n=3, left_out=0
    )
    assert found.by_metric["BA"] == Stability(exact=0.5, within_one=0.5, mean_absolute=1, mean=-1, n=2, left_out=1)


MORE: list[tuple[str, str, float, float]] = [
    *BY_HAND,
    ("d", "KA", 1, 3),
    ("e", "BA", 4, 4),
    ("e", "KA", 5, 1),
]


def test_drift_takes_items_as_independent() -> None:
    # Changes by item: a 0 -2, b -1 0, c +1, d +2, e 0 -4; all together -4 of 8.
    drift = repeats(MORE).drift
    assert isinstance(drift, ClusteredEstimate)
    assert drift.estimate == pytest.approx(-4 / 8)
    assert isinstance(drift.interval, Interval)
    expected = jackknifed(-4 / 8, [-2 / 6, -3 / 6, -5 / 7, -6 / 7, 0])
    assert (drift.interval.low, drift.interval.high) == pytest.approx(expected, abs=1e-12)
    assert (drift.n, drift.clusters, drift.interval.way) == (8, 5, "jackknife by items")


def test_few_repeated_items_leave_drift_without_an_interval() -> None:
    drift = repeats(BY_HAND).drift
    assert isinstance(drift, ClusteredEstimate)
    assert (drift.estimate, drift.n, drift.clusters) == (pytest.approx(-0.4), 5, 3)
    assert isinstance(drift.interval, Undefined)
    assert in_english(drift.interval.reason).startswith("an interval needs at least 5 items")


def test_a_metric_never_repeated_in_full_is_undefined_and_the_others_stand() -> None:
    found = repeats([("a", "KA", 3, 3), ("a", "BA", 3, NAN), ("b", "BA", NAN, NAN)])
    assert in_english(found.by_metric["BA"]) == Undefined(
        "none of the 2 repeated scores has both a first and a second score"
    )
    assert found.overall.n == 1
    assert found.overall.left_out == 2


@pytest.mark.parametrize("rows", [[], [("a", "KA", 3.0, NAN)]])
def test_nothing_repeated_has_no_stability(rows: list[tuple[str, str, float, float]]) -> None:
    with pytest.raises(UndefinedStatistic, match=f"none of the {len(rows)} repeated scores"):
        repeats(rows)


def test_a_table_of_something_else_is_refused() -> None:
    with pytest.raises(RatingError, match="no column second"):
        repeats_of_rater(pd.DataFrame({"item": ["a"], "metric": ["KA"], "first": [3.0]}))
    for second in ("3", math.inf):
        with pytest.raises(RatingError, match="must contain finite floats"):
            repeats_of_rater(pd.DataFrame({"item": ["a"], "metric": ["KA"], "first": [3.0], "second": [second]}))
