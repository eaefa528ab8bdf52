"""Covariances in draws against numpy's of the rows written as often as they count."""

import numpy as np
import pytest

from annotations.covariances import correlations, item_sums, pearson_matrix


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
