"""A rater's own stability, worked by hand."""

import math

import pandas as pd
import pytest

from annotations.errors import RatingError, Undefined, UndefinedStatistic
from annotations.reliability.agreement import Repeats, Stability, repeats_of_rater
from annotations.resampling.estimates import MeanDifference
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


def test_drift_takes_items_as_independent() -> None:
    drift = repeats(BY_HAND).drift
    # By item the changes less -0.4 sum to 0.4 - 1.6, -0.6 + 0.4 and 1.4.
    assert isinstance(drift, MeanDifference)
    assert drift.estimate == pytest.approx(-0.4)
    assert drift.se == pytest.approx((3 / 2 * (1.44 + 0.04 + 1.96)) ** 0.5 / 5)
    assert (drift.n, drift.items) == (5, 3)


def test_two_repeated_items_say_nothing_of_drift() -> None:
    assert in_english(repeats(BY_HAND[:4]).drift) == Undefined("a mean difference needs at least 3 items; there are 2")


def test_a_metric_never_repeated_in_full_is_undefined_and_the_others_stand() -> None:
    found = repeats([("a", "KA", 3, 3), ("a", "BA", 3, NAN), ("b", "BA", NAN, NAN)])
    assert in_english(found.by_metric["BA"]) == Undefined(
        "none of the 2 repeated scores has both its first and its second"
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
        with pytest.raises(RatingError, match="must hold finite floats"):
            repeats_of_rater(pd.DataFrame({"item": ["a"], "metric": ["KA"], "first": [3.0], "second": [second]}))
