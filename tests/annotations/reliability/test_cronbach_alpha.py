"""Alpha against values worked by hand and published ones, and its refusals."""

import math
from functools import partial
from random import Random

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution

from annotations.errors import Undefined, UndefinedStatistic
from annotations.reliability.cronbach_alpha import (
    ACROSS_METRICS,
    BETWEEN_RATERS,
    IncompleteRow,
    cronbach_alpha,
    feldt_interval,
    rater_table,
    trajectory_table,
)
from annotations.reliability.item_analysis import resampled_alpha, resampled_alpha_between
from annotations.resampling.jackknife import Interval
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

# Variances 5/3 and 5/3, covariance 1, so the sum has variance 16/3 and alpha = 2 (1 - (10/3) / (16/3)) = 3/4.
BY_HAND = pd.DataFrame({"IM": [1.0, 2, 3, 4], "AD": [2.0, 1, 4, 3]})


def test_alpha_worked_by_hand() -> None:
    alpha = cronbach_alpha(BY_HAND)
    assert alpha.estimate == pytest.approx(0.75, abs=1e-12)
    assert isinstance(alpha.interval, Interval)
    assert (alpha.n, alpha.items, alpha.dropped, alpha.interval.way, alpha.warning) == (4, 2, (), "feldt", None)


def test_feldt_s_interval_worked_by_hand() -> None:
    # F(3, 3) has its 97.5 % point at 15.439 (F tables) and, being its own inverse, its 2.5 % point at 1 / 15.439.
    found = feldt_interval(0.75, n=4, items=2)
    assert isinstance(found, Interval)
    assert found.low == pytest.approx(1 - 0.25 * 15.439, abs=2e-4)
    assert found.high == pytest.approx(1 - 0.25 / 15.439, abs=2e-4)
    found = feldt_interval(0.9, n=30, items=3)
    assert isinstance(found, Interval)
    assert found.low == pytest.approx(1 - 0.1 * f_distribution.isf(0.025, 29, 58), abs=1e-12)
    assert found.high == pytest.approx(1 - 0.1 * f_distribution.isf(0.975, 29, 58), abs=1e-12)


def test_an_alpha_of_1_has_no_interval() -> None:
    assert in_english(feldt_interval(1, n=30, items=3)) == Undefined("1 is at or beyond the end of its range")
    alpha = cronbach_alpha(BY_HAND.assign(AD=BY_HAND["IM"] + 1))
    assert alpha.estimate == pytest.approx(1)
    assert in_english(alpha.interval) == Undefined("1 is at or beyond the end of its range")


def check_against_pingouin(table: pd.DataFrame) -> None:
    """The estimate is pingouin's; so is the interval, which pingouin rounds to three decimals."""
    estimate, interval = pingouin.cronbach_alpha(table)
    alpha = cronbach_alpha(table)
    assert alpha.estimate == pytest.approx(estimate, abs=1e-12)
    assert isinstance(alpha.interval, Interval)
    assert [alpha.interval.low, alpha.interval.high] == pytest.approx(list(interval), abs=5.1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_alpha_of_random_tables_is_pingouin_s(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, columns = random.integers(5, 60), random.integers(2, 8)
    scores = random.integers(1, 6, size=(rows, columns)) + random.normal(0, random.uniform(0.1, 3), (rows, 1))
    check_against_pingouin(pd.DataFrame(scores))


def test_alpha_of_real_tables_is_pingouin_s(hanna: pd.DataFrame, topical_chat: pd.DataFrame) -> None:
    experts = hanna[hanna["kind"] == "expert"]
    metrics = sorted(set(experts["metric"]))
    tables = [trajectory_table(experts, metrics), *(rater_table(experts, metric) for metric in metrics)]
    tables.append(trajectory_table(topical_chat, sorted(set(topical_chat["metric"]))))
    for table in tables:
        check_against_pingouin(table.dropna())


def test_incomplete_rows_go_before_anything_is_computed() -> None:
    gaps = pd.DataFrame({"IM": [5.0, np.nan, 1.0], "AD": [np.nan, np.nan, np.nan]}, index=["x", "y", "z"])
    whole, holed = cronbach_alpha(BY_HAND), cronbach_alpha(pd.concat([BY_HAND, gaps]))
    assert (holed.estimate, holed.interval, holed.n) == (whole.estimate, whole.interval, 4)
    assert holed.dropped == (
        IncompleteRow(("x",), ("AD",)),
        IncompleteRow(("y",), ("IM", "AD")),
        IncompleteRow(("z",), ("AD",)),
    )


def test_a_negative_alpha_says_so() -> None:
    # Variances 1 and 1 with covariance -1/2: the sum has variance 1, alpha = 2 (1 - 2) = -2.
    alpha = cronbach_alpha(pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 1]}))
    assert alpha.estimate == pytest.approx(-2, abs=1e-12)
    assert alpha.warning is not None
    assert "negative" in in_english(alpha.warning)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (BY_HAND[["IM"]], "at least two columns; found IM"),
        (BY_HAND[[]], "at least two columns; found none"),
        (BY_HAND[:2], "at least 3 rows with scores on each of IM, AD; found 2"),
        (BY_HAND.assign(AD=np.nan), "found 0"),
        (BY_HAND.assign(AD=4.0), "all 4 scores are the same for AD"),
        (BY_HAND.assign(IM=5.0, AD=4.0), "all 4 scores are the same for IM, AD"),
        (BY_HAND.assign(AD=5 - BY_HAND["IM"]), "the scores of all 4 rows have the same sum"),
    ],
)
def test_what_does_not_vary_has_no_alpha(table: pd.DataFrame, reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        cronbach_alpha(table)


def both_metrics(scores: list[list[int]], raters: tuple[str, ...] = ("ann", "bo")) -> pd.DataFrame:
    """Item i is scored scores[i][j] by rater j on IM, and one higher, cut at 5, on AD."""
    return frame_of(
        rating(item=str(i), scene=f"s{i}", metric=metric, rater=rater, kind="expert", score=min(score + more, 5))
        for i, row in enumerate(scores)
        for rater, score in zip(raters, row, strict=True)
        for metric, more in (("IM", 0), ("AD", 1))
    )


def test_rows_are_trajectories_for_a_dimension_and_items_for_a_metric() -> None:
    frame = both_metrics([[1, 2], [2, 1], [3, 4], [4, 3]])
    across = resampled_alpha(frame, ["IM", "AD"]).alpha
    assert (across.n, across.items, across.definition) == (8, 2, ACROSS_METRICS)
    between = resampled_alpha_between(frame, "IM").alpha
    assert between.estimate == pytest.approx(0.75, abs=1e-12)
    assert (between.n, between.items, between.definition) == (4, 2, BETWEEN_RATERS)


def test_one_rater_alone_agrees_with_nobody() -> None:
    frame = both_metrics([[1], [2], [3]], raters=("ann",))
    with pytest.raises(UndefinedStatistic, match="only one rater, ann, scored IM"):
        resampled_alpha_between(frame, "IM")


def outcomes(frame: pd.DataFrame) -> list[float]:
    """The figures of both alphas; NaN for one that is undefined."""
    figures: list[float] = []
    statistics = [partial(resampled_alpha, frame, ["IM", "AD"]), partial(resampled_alpha_between, frame, "IM")]
    for statistic in statistics:
        try:
            alpha = statistic().alpha
            figures += [alpha.estimate, alpha.n]
            figures += [alpha.interval.low, alpha.interval.high] if isinstance(alpha.interval, Interval) else [math.inf]
        except UndefinedStatistic:
            figures.append(math.nan)
    return figures


@pytest.mark.slow
@settings(max_examples=examples(10, 25))
@given(
    st.lists(st.lists(st.integers(1, 5), min_size=2, max_size=2), min_size=4, max_size=8),
    st.randoms(use_true_random=False),
)
def test_neither_the_order_of_rows_nor_the_raters_names_matter(scores: list[list[int]], random: Random) -> None:
    frame = both_metrics(scores)
    order = list(range(len(frame)))
    random.shuffle(order)
    other = frame.iloc[order].assign(rater=frame["rater"].map({"ann": "zoe", "bo": "al"}))
    assert outcomes(other) == pytest.approx(outcomes(frame), rel=1e-9, nan_ok=True)
