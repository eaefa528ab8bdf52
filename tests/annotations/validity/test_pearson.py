"""Pearson's r from sums and Fisher's interval, by hand; covariances in draws against numpy's of the rows written as
often as they count."""

import numpy as np
import pytest

from annotations.errors import Undefined
from annotations.resampling.jackknife import Interval
from annotations.validity.pearson import (
    correlations,
    fisher_interval,
    item_sums,
    pearson_figures,
    pearson_matrix,
    pearson_of_sums,
    pearson_terms,
)
from tests.fakes.in_english import in_english

X, Y = np.random.default_rng(5).normal(size=(2, 30))


def test_they_are_those_of_rows_written_as_often_as_their_items_count() -> None:
    random = np.random.default_rng(1)
    scores, item = random.normal(1000, [1, 5, 0.1], size=(12, 3)), np.repeat(np.arange(4), 3)
    counts = np.array([[1.0, 1, 1, 1], [2, 0, 1, 1], [0, 0, 3, 1]])
    drawn = item_sums(scores, item, 4).covariances(counts)
    for count, covariances, r in zip(counts, drawn, correlations(drawn), strict=True):
        rows = np.repeat(scores, count[item].astype(int), axis=0)
        assert covariances == pytest.approx(np.cov(rows.T, ddof=0), rel=1e-6, abs=1e-9)
        assert r == pytest.approx(np.corrcoef(rows.T), abs=1e-9)
    assert pearson_matrix(scores) == pytest.approx(np.corrcoef(scores.T), abs=1e-12)


def test_what_does_not_vary_in_a_draw_has_no_correlation_there() -> None:
    scores = np.array([[1.0, 2], [1, 3], [2, 5]])
    drawn = item_sums(scores, np.arange(3), 3).covariances(np.array([[1.0, 1, 0], [0, 0, 0]]))
    assert np.isnan(drawn[0, 0, 0])
    assert drawn[0, 1, 1] == pytest.approx(0.25)
    assert np.isnan(correlations(drawn)[0, 0, 1])
    assert np.isnan(drawn[1]).all()
    assert np.isnan(pearson_matrix(np.ones((3, 2)))).all()


def test_r_from_sums_passes_over_items_that_lack_a_score() -> None:
    x, y = X.copy(), Y.copy()
    x[3], y[[3, 7]] = np.nan, np.nan
    counts = np.random.default_rng(1).integers(0, 4, size=(5, 30)).astype(float)
    whole = np.delete(np.arange(30), [3, 7])
    expected = pearson_figures(x[whole], y[whole])(counts[:, whole])[0]
    assert pearson_of_sums((counts @ pearson_terms(x, y)).T) == pytest.approx(expected, abs=1e-12)


def test_r_from_sums_is_nan_where_nothing_varies() -> None:
    for x in (np.ones(30), np.full(30, np.nan)):
        assert np.isnan(pearson_of_sums(pearson_terms(x, Y).sum(axis=0)[:, None])).all()


def test_fishers_interval_worked_by_hand() -> None:
    # z = atanh(0.5) = 0.549306; half = 1.959964 / 5 = 0.391993; tanh of both ends
    found = fisher_interval(0.5, 28)
    assert isinstance(found, Interval)
    assert (found.low, found.high) == pytest.approx((0.1560, 0.7358), abs=1e-4)
    assert found.way == "fisher"


@pytest.mark.parametrize(
    ("r", "n", "reason"),
    [
        (0.9, 3, "Fisher's interval needs at least 4 pairs; found 3"),
        (1.0, 10, "1 is at or beyond the end of its range"),
        (-1.0, 10, "-1 is at or beyond the end of its range"),
    ],
)
def test_of_three_pairs_and_of_an_r_of_1_there_is_no_interval(r: float, n: int, reason: str) -> None:
    assert in_english(fisher_interval(r, n)) == Undefined(reason)
