"""Several figures from the same draws, against each by itself; what has no interval; r from sums."""

import numpy as np
import pandas as pd
import pytest

from annotations.estimates import as_they_stand, intervals
from annotations.resampling import Drawing, Floats, resampling
from annotations.undefined import Undefined
from annotations.weighted import pearson_of_sums, pearson_terms, weighted_pearson

PLACES = pd.DataFrame({"scene": list("abcdef") * 5, "model": [name for name in "uvwxy" for _ in range(6)]})
X, Y = np.random.default_rng(5).normal(size=(2, 30))


def test_each_figure_has_the_interval_that_it_has_by_itself() -> None:
    def figures(counts: Floats) -> Floats:
        return np.stack([counts @ X / counts.sum(axis=1), weighted_pearson(counts, X, Y)])

    assert as_they_stand(figures, 30) == pytest.approx([X.mean(), np.corrcoef(X, Y)[0, 1]], abs=1e-12)
    drawn = resampling(PLACES["scene"], PLACES["model"], Drawing(draws=300, seed=4))
    alone = drawn.interval(lambda counts: weighted_pearson(counts, X, Y))[0]
    assert intervals(PLACES, figures, Drawing("scenes and models", 300, 4))[1] == alone


def test_all_figures_are_worked_out_once_for_each_block_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotations.resampling._BLOCK", 3000)
    asked = []

    def figures(counts: Floats) -> Floats:
        asked.append(len(counts))
        return np.stack([counts @ X, counts @ Y, counts.sum(axis=1)])

    intervals(PLACES, figures, Drawing("scenes", 250, 0))
    assert asked == [1, 1, 100, 100, 50]


def test_a_figure_that_draws_leave_undefined_takes_nothing_from_the_others() -> None:
    def figures(counts: Floats) -> Floats:
        return np.stack([counts @ X, np.full(len(counts), np.nan)])

    mean, none = intervals(PLACES, figures, Drawing("models", 100, 0))
    assert mean.draws == 100
    assert none == Undefined("it has no value on the items as they stand")


def test_too_few_places_give_no_interval_but_the_reason() -> None:
    few = PLACES[:8].assign(model="u", scene=list("abcdabcd"))
    found = intervals(few, lambda counts: (counts @ X[:8])[None], Drawing("scenes and models", 100, 0))
    assert found == [Undefined("resampling needs at least 5 of them; there are 4 scenes and 1 model")]


def test_r_from_sums_passes_over_items_that_lack_a_score() -> None:
    x, y = X.copy(), Y.copy()
    x[3], y[[3, 7]] = np.nan, np.nan
    counts = np.random.default_rng(1).integers(0, 4, size=(5, 30)).astype(float)
    whole = np.delete(np.arange(30), [3, 7])
    expected = weighted_pearson(counts[:, whole], x[whole], y[whole])
    assert pearson_of_sums((counts @ pearson_terms(x, y)).T) == pytest.approx(expected, abs=1e-12)


def test_r_from_sums_is_nan_where_nothing_varies() -> None:
    for x in (np.ones(30), np.full(30, np.nan)):
        assert np.isnan(pearson_of_sums(pearson_terms(x, Y).sum(axis=0)[:, None])).all()
