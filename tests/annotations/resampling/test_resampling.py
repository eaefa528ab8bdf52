"""Drawing scenes and models anew, against the same done by hand; what is too little to draw."""

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.estimates import intervals
from annotations.resampling.jackknife import Drawing, Resampling, resampling
from annotations.validity.pearson import pearson_figures
from tests.annotations.bias_corrected import bias_corrected
from tests.fakes.in_english import in_english

SCENES = pd.Series(list("abcdef") * 5)
MODELS = pd.Series(list("uvwxy")).repeat(6).reset_index(drop=True)
PLACES = pd.DataFrame({"scene": SCENES, "model": MODELS})


def all_counts(drawn: Resampling) -> np.ndarray:
    return np.concatenate(list(drawn.counts()))


def test_an_item_counts_as_often_as_its_scene_times_its_model():
    counts = all_counts(resampling(SCENES, MODELS, Drawing(draws=50)))
    assert counts.shape == (50, 30)
    tables = counts.reshape(50, 5, 6)
    assert (counts.sum(axis=1) == 30).all()
    for table in tables:
        assert np.linalg.matrix_rank(table) == 1
    assert (tables.sum(axis=(0, 2)) > 0).all()
    assert (counts == np.round(counts)).all()


@pytest.mark.parametrize(("by", "axis"), [("scenes", 1), ("models", 2)])
def test_one_of_them_alone_is_drawn(by, axis):
    tables = all_counts(resampling(SCENES, MODELS, Drawing(by, 50))).reshape(50, 5, 6)
    assert (tables == tables.max(axis=axis, keepdims=True)).all()
    assert resampling(SCENES, MODELS, Drawing(by)).way == f"one-way cluster bootstrap by {by}"


def test_few_models_stay_as_they_are():
    few = MODELS.replace({"x": "w", "y": "w"})
    drawn = resampling(SCENES, few, Drawing(draws=50))
    tables = all_counts(drawn).reshape(50, 5, 6)
    assert (tables == tables[:, :1]).all()
    assert drawn.way == "one-way cluster bootstrap by scenes"
    assert resampling(SCENES, MODELS).way == "two-way cluster bootstrap"
    with pytest.raises(UndefinedStatistic, match="3 models, of 5 that are needed"):
        resampling(SCENES, few, Drawing("models"))


def test_an_interval_is_that_of_items_written_as_often_as_they_count():
    random = np.random.default_rng(5)
    x, y = random.normal(size=(2, 30))
    drawn = resampling(SCENES, MODELS, Drawing(draws=200, seed=7))
    [interval] = intervals(PLACES, pearson_figures(x, y), drawn.drawing)
    assert not isinstance(interval, Undefined)
    by_hand = [np.corrcoef(np.repeat(x, count), np.repeat(y, count))[0, 1] for count in all_counts(drawn).astype(int)]
    assert (interval.low, interval.high) == pytest.approx(
        bias_corrected(float(np.corrcoef(x, y)[0, 1]), by_hand), abs=1e-12
    )
    assert (interval.draws, interval.seed, interval.way) == (200, 7, "two-way cluster bootstrap")


def test_the_order_of_the_items_and_the_size_of_the_blocks_change_nothing(monkeypatch):
    random = np.random.default_rng(5)
    x, y = random.normal(size=(2, 30))
    order = random.permutation(30)

    def interval(at):
        [made] = intervals(PLACES.iloc[at], pearson_figures(x[at], y[at]), Drawing(draws=200))
        return made.low, made.high

    whole = interval(np.arange(30))
    assert interval(order) == pytest.approx(whole, abs=1e-12)
    monkeypatch.setattr("annotations.resampling.jackknife._BLOCK", 100)
    assert interval(np.arange(30)) == pytest.approx(whole, abs=1e-12)


def test_a_statistic_that_most_draws_leave_undefined_has_no_interval():
    x = np.zeros(30)
    x[0] = 1
    [none] = intervals(PLACES, pearson_figures(x, x), Drawing())
    assert isinstance(none, Undefined)
    assert "of 2,000 draws it has no value" in in_english(none.reason)
