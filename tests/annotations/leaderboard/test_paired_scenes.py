"""Models in the same scenes: worked by hand, and against Student's t of the differences."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from annotations.errors import Undefined, UndefinedStatistic
from annotations.leaderboard.paired_scenes import paired_scenes
from annotations.resampling.jackknife import Interval


def table(**by_model):
    """A row for each score of a model, in scenes 0, 1 and so on; several scores of a scene stand in a list."""
    return pd.DataFrame(
        [
            (f"scene {number}", model, score)
            for model, scores in by_model.items()
            for number, found in enumerate(scores)
            for score in (found if isinstance(found, list) else [found])
        ],
        columns=["scene", "model", "score"],
    )


def test_a_scene_counts_once_and_both_must_have_it():
    rows = table(tuned=[[3, 5], 4, 4, 5, 3, None, 2], base=[2, 3, 3, 4, [1, 3], 4])
    found = paired_scenes(rows, "tuned", "base")
    assert (found.mean, found.other, found.difference.n, found.unpaired) == (4, 2.8, 5, 2)
    assert found.difference.estimate == pytest.approx(1.2)
    assert found.percent.estimate == pytest.approx(100 * (4 / 2.8 - 1))
    # 2, 1, 1, 1, 1: mean 1.2, variance .2
    half = float(stats.t.ppf(0.975, 4)) * (0.2 / 5) ** 0.5
    assert found.difference.interval == Interval(
        pytest.approx(1.2 - half), pytest.approx(1.2 + half), "jackknife by scenes"
    )


def test_the_interval_of_the_per_cent_leaves_out_each_scene():
    tuned, base = np.array([4.0, 4, 4, 5, 3]), np.array([2.0, 3, 3, 4, 2])
    found = paired_scenes(table(tuned=tuned, base=base), "tuned", "base").percent
    without = np.array([100 * (np.delete(tuned, at).sum() / np.delete(base, at).sum() - 1) for at in range(5)])
    half = float(stats.t.ppf(0.975, 4)) * (4 / 5 * ((without - without.mean()) ** 2).sum()) ** 0.5
    assert (found.interval.low, found.interval.high) == pytest.approx((found.estimate - half, found.estimate + half))


@given(st.lists(st.tuples(st.floats(1, 5), st.floats(1, 5)), min_size=1, max_size=8), st.randoms())
def test_the_order_of_rows_does_not_matter_and_to_change_sides_turns_the_difference(scores, random):
    rows = table(tuned=[one for one, _ in scores], base=[other for _, other in scores])
    shuffled = rows.sample(frac=1, random_state=random.randrange(1000))
    found, again = paired_scenes(rows, "tuned", "base"), paired_scenes(shuffled, "tuned", "base")
    turned = paired_scenes(rows, "base", "tuned")
    assert again.difference.estimate == pytest.approx(found.difference.estimate)
    assert turned.difference.estimate == pytest.approx(-found.difference.estimate)


def test_what_can_not_be_told_has_a_reason():
    with pytest.raises(UndefinedStatistic, match="in no scene in common"):
        paired_scenes(table(tuned=[1], base=[]), "tuned", "base")
    few = paired_scenes(table(tuned=[1, 2, 3, 4], base=[2, 2, 2, 2]), "tuned", "base")
    assert "at least 5 scenes; found 4" in str(few.difference.interval.reason)
    of_nothing = paired_scenes(table(tuned=[1, 1, 1, 0, 1], base=[0, 0, 0, 0, 0]), "tuned", "base")
    assert isinstance(of_nothing.percent, Undefined)
    assert "not above 0" in str(of_nothing.percent.reason)
    assert isinstance(of_nothing.difference.interval, Interval)
