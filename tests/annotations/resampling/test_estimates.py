"""Several figures from the same draws, against each by itself; what has no interval; r from sums."""

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.resampling.estimates import as_they_stand, estimates, intervals
from annotations.resampling.jackknife import Drawing, Floats, resampling
from annotations.validity.pearson import pearson_figures
from tests.fakes.in_english import in_english

PLACES = pd.DataFrame({"scene": list("abcdef") * 5, "model": [name for name in "uvwxy" for _ in range(6)]})
X, Y = np.random.default_rng(5).normal(size=(2, 30))


def test_each_figure_has_the_interval_that_it_has_by_itself() -> None:
    def figures(counts: Floats) -> Floats:
        return np.vstack([counts @ X / counts.sum(axis=1), pearson_figures(X, Y)(counts)])

    assert as_they_stand(figures, 30) == pytest.approx([X.mean(), np.corrcoef(X, Y)[0, 1]], abs=1e-12)
    drawing = Drawing("scenes and models", 300, 4)
    [alone] = intervals(PLACES, pearson_figures(X, Y), drawing)
    drawn = resampling(PLACES["scene"], PLACES["model"], drawing)
    [values] = drawn.values(pearson_figures(X, Y))
    [mean, r] = estimates(PLACES, figures, drawing)
    assert r.interval == alone == drawn.interval_of(r.estimate, values)
    assert (mean.estimate, mean.n) == (pytest.approx(X.mean()), 30)


def test_all_figures_are_worked_out_once_for_each_block_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotations.resampling.jackknife._BLOCK", 3000)
    asked = []

    def figures(counts: Floats) -> Floats:
        asked.append(len(counts))
        return np.stack([counts @ X, counts @ Y, counts.sum(axis=1)])

    intervals(PLACES, figures, Drawing("scenes", 250, 0))
    assert asked == [1, 100, 100, 50]


def test_a_figure_that_draws_leave_undefined_takes_nothing_from_the_others() -> None:
    def figures(counts: Floats) -> Floats:
        return np.stack([counts @ X, np.full(len(counts), np.nan)])

    mean, none = intervals(PLACES, figures, Drawing("models", 100, 0))
    assert mean.draws == 100
    assert in_english(none) == Undefined("it has no value on the items as they stand")


def test_too_few_places_give_no_interval_but_the_reason() -> None:
    few = PLACES[:8].assign(model="u", scene=list("abcdabcd"))
    found = intervals(few, lambda counts: (counts @ X[:8])[None], Drawing("scenes and models", 100, 0))
    assert in_english(found) == [Undefined("too few to resample: 4 scenes and 1 model, of 5 that are needed")]
