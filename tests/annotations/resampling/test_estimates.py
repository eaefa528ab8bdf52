"""Several figures of the same items, worked out together, against each by itself; what has no interval; r from sums."""

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.resampling.estimates import as_they_stand, errors, estimates, interval_of, intervals
from annotations.resampling.jackknife import CORRELATION, MEAN, PLAIN, Error, Floats, Interval
from annotations.validity.pearson import pearson_figures
from tests.annotations import jackknifed as by_hand
from tests.annotations.jackknifed import ENDS_WITHOUT_ONE, jackknifed
from tests.fakes.in_english import in_english

PLACES = pd.DataFrame({"scene": list("abcdef") * 5, "model": [name for name in "uvwxy" for _ in range(6)]})
X, Y = np.random.default_rng(5).normal(size=(2, 30))


def both(counts: Floats) -> Floats:
    """The mean of X, and r of X with Y."""
    return np.vstack([counts @ X / counts.sum(axis=1), pearson_figures(X, Y)(counts)])


def test_each_figure_has_the_interval_that_it_has_by_itself() -> None:
    assert as_they_stand(both, 30) == pytest.approx([X.mean(), np.corrcoef(X, Y)[0, 1]], abs=1e-12)
    [alone] = intervals(PLACES, pearson_figures(X, Y), "scenes", [CORRELATION])
    mean, r = estimates(PLACES, both, "scenes", [PLAIN, CORRELATION])
    left = [PLACES["scene"] != scene for scene in "abcdef"]
    expected = (
        jackknifed(float(X.mean()), [float(X[those].mean()) for those in left]),
        jackknifed(
            float(np.corrcoef(X, Y)[0, 1]),
            [float(np.corrcoef(X[those], Y[those])[0, 1]) for those in left],
            by_hand.CORRELATION,
        ),
    )
    for found, limits in zip((mean, r), expected, strict=True):
        assert isinstance(found.interval, Interval)
        assert (found.interval.low, found.interval.high) == pytest.approx(limits, abs=1e-12)
    assert isinstance(alone, Interval)
    assert (alone.low, alone.high) == pytest.approx(expected[1], abs=1e-12)
    assert (mean.estimate, mean.n) == (pytest.approx(X.mean()), 30)


def test_an_error_makes_the_interval_or_says_why_there_is_none() -> None:
    many = PLACES.assign(model=list("stuvwxyzst" * 3))
    of_both = errors(many, both, "scenes and models", [PLAIN, CORRELATION])
    made = intervals(many, both, "scenes and models", [PLAIN, CORRELATION])
    for error, interval in zip(of_both, made, strict=True):
        assert isinstance(error, Error)
        assert error.interval == interval_of(error) == interval
    for found in errors(PLACES, both, "scenes and models", [PLAIN, CORRELATION]):
        assert isinstance(found, Undefined)
        assert interval_of(found) == found
        assert in_english(found.reason).startswith("an interval needs at least 8 models")


def test_all_figures_are_worked_out_once_for_each_block_of_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotations.resampling.jackknife._BLOCK", 120)
    asked = []

    def figures(counts: Floats) -> Floats:
        asked.append(len(counts))
        return np.stack([counts @ X, counts @ Y, counts.sum(axis=1)])

    intervals(PLACES, figures, "scenes", [PLAIN] * 3)
    assert asked == [1, 4, 2]


def test_a_figure_that_is_undefined_without_a_scene_takes_nothing_from_the_others() -> None:
    def figures(counts: Floats) -> Floats:
        return np.stack([counts @ X, np.full(len(counts), np.nan), np.where(counts[:, 0] > 0, counts @ X, np.nan)])

    mean, none, without = intervals(PLACES, figures, "scenes", [PLAIN] * 3)
    assert [mean] == intervals(PLACES, lambda counts: (counts @ X)[None], "scenes", [PLAIN])
    assert isinstance(mean, Interval)
    assert in_english(none) == Undefined("the statistic cannot be computed for these items")
    assert in_english(without) == Undefined(ENDS_WITHOUT_ONE)


def test_too_few_places_give_each_figure_its_value_and_no_interval_but_the_reason() -> None:
    few = PLACES[:8].assign(model="u", scene=list("abcdabcd"))
    found = estimates(few, lambda counts: np.stack([counts @ X[:8], counts @ Y[:8]]), "scenes", [PLAIN, PLAIN])
    assert [each.estimate for each in found] == pytest.approx([X[:8].sum(), Y[:8].sum()])
    for each in found:
        assert isinstance(each.interval, Undefined)
        assert in_english(each.interval.reason).startswith("an interval needs at least 5 scenes")


@pytest.mark.parametrize(("n", "told"), [(11, False), (12, True)])
def test_of_eleven_items_means_alone_have_an_interval(n: int, told: bool) -> None:
    random = np.random.default_rng(3)
    x, y = random.normal(size=(2, n))
    places = pd.DataFrame({"scene": np.arange(n) % 5, "model": np.arange(n) // 5})

    def mean(counts: Floats) -> Floats:
        return (counts @ x / counts.sum(axis=1))[None]

    [of_mean] = intervals(places, mean, "scenes", [MEAN])
    [of_r] = intervals(places, pearson_figures(x, y), "scenes", [CORRELATION])
    assert isinstance(of_mean, Interval)
    assert isinstance(of_r, Interval) == told
    if not told:
        assert in_english(of_r) == Undefined("an interval needs at least 12 items; found 11")


def test_several_rows_of_an_item_are_one_item() -> None:
    random = np.random.default_rng(4)
    x, y = random.normal(size=(2, 30))
    places = pd.DataFrame({"scene": np.arange(30) % 10, "model": 0, "item": np.arange(30) % 10})
    for items, counted in ((None, 10), (11, 11), (12, 12)):
        [found] = errors(places, pearson_figures(x, y), "scenes", [CORRELATION], items=items)
        few = Undefined(f"an interval needs at least 12 items; found {counted}")
        assert in_english(found) == few if counted < 12 else isinstance(found, Error)
