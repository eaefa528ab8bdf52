"""Two judges: the difference of their r, and its p, against plain loops over the scenes that are left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.jackknife import Interval
from annotations.validity.compare_judges import Comparison, compare
from tests.annotations.crossed_ratings import beside, crossed
from tests.annotations.jackknifed import CORRELATION, HARDLY_CHANGES, PLAIN, jackknifed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def of(frame: pd.DataFrame) -> Comparison:
    return compare((beside(frame, "gpt"), beside(frame, "glm")), ["KA"])


def ends(interval: object) -> tuple[float, float]:
    assert isinstance(interval, Interval)
    return interval.low, interval.high


@pytest.fixture(scope="module")
def thirty() -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    scores = [(truth + random.normal(0, error, 30)).tolist() for error in (0.3, 0.3, 0.5, 1.5)]
    return crossed({"ann": scores[0], "bo": scores[1]}, {"gpt": scores[2], "glm": scores[3]})


def test_the_difference_has_the_interval_and_the_p_of_leaving_out_each_scene(thirty: pd.DataFrame) -> None:
    found = of(thirty)
    one, other = (beside(thirty, judge).means(["KA"]) for judge in ("gpt", "glm"))
    sides = np.array([one["expert"], one["judge"], other["judge"]])
    r = np.corrcoef(sides)
    rs = found.first_r.estimate, found.second_r.estimate, found.between
    assert rs == pytest.approx((r[0, 1], r[0, 2], r[1, 2]), abs=1e-12)
    assert found.difference.estimate == pytest.approx(r[0, 1] - r[0, 2], abs=1e-12)
    assert (found.first, found.second, found.n, found.left_out) == ("gpt", "glm", 30, 0)
    without = np.array([np.corrcoef(sides[:, one["scene"] != scene])[0, 1:] for scene in sorted(set(one["scene"]))])
    apart = without[:, 0] - without[:, 1]
    for estimate, left_out, scale in (
        (found.difference, apart, PLAIN),
        (found.first_r, without[:, 0], CORRELATION),
        (found.second_r, without[:, 1], CORRELATION),
    ):
        assert ends(estimate.interval) == pytest.approx(
            jackknifed(estimate.estimate, left_out.tolist(), scale), abs=1e-9
        )
    se = np.sqrt(5 / 6 * ((apart - apart.mean()) ** 2).sum())
    assert found.p == pytest.approx(2 * student.sf(found.difference.estimate / se, 5), abs=1e-12)


def test_p_is_below_5_percent_just_where_the_interval_leaves_out_0() -> None:
    random, below = np.random.default_rng(3), 0
    for _ in range(40):
        truth, *errors = random.normal(size=(4, 40))
        ann, gpt, glm = ((truth + size * error).tolist() for size, error in zip((0.5, 0.5, 1), errors, strict=True))
        found = of(crossed({"ann": ann}, {"gpt": gpt, "glm": glm}, scenes=8))
        assert isinstance(found.p, float)
        low, high = ends(found.difference.interval)
        assert (found.p < 0.05) == (low > 0 or high < 0)
        below += found.p < 0.05
    assert 0 < below < 40


@pytest.mark.slow
@pytest.mark.parametrize(("studies", "wider"), [(200, 2.0), pytest.param(2000, 1.0, marks=pytest.mark.soak)])
def test_p_keeps_its_level_where_items_of_a_scene_resemble_each_other(studies: int, wider: float) -> None:
    # Two judges of the same error, each with a bias of its own in each of 12 scenes: p is below .05 in about one of
    # twenty studies.
    random, small = np.random.default_rng(6), 0
    for _ in range(studies):
        truth, *errors = random.normal(size=(4, 60))
        scene = np.tile(random.normal(size=(3, 12)), 5)
        ann, gpt, glm = ((truth + error + own).tolist() for error, own in zip(errors, scene, strict=True))
        p = of(crossed({"ann": ann}, {"gpt": gpt, "glm": glm}, scenes=12)).p
        assert isinstance(p, float)
        small += p < 0.05
    assert small / studies == pytest.approx(0.05, abs=0.02 * wider)


def test_turned_round_the_difference_changes_its_sign(thirty: pd.DataFrame) -> None:
    one, other = of(thirty), compare((beside(thirty, "glm"), beside(thirty, "gpt")), ["KA"])
    low, high = ends(one.difference.interval)
    assert ends(other.difference.interval) == pytest.approx((-high, -low), abs=1e-9)
    assert other.p == pytest.approx(one.p, abs=1e-9)


def test_other_models_would_make_the_interval_wider_on_hanna(hanna: pd.DataFrame) -> None:
    sides = beside(hanna, "chatgpt"), beside(hanna, "llama-13b")
    (low, high), (lower, higher) = (
        ends(compare(sides, ["coherence"], drawn).difference.interval) for drawn in ("scenes", "scenes and models")
    )
    assert higher - lower > 2 * (high - low)
    assert compare(sides, ["coherence"]).n == 1056


def test_only_items_that_all_three_scored_count() -> None:
    found = of(crossed({"ann": [1, 2, 4, 5, 3, None]}, {"gpt": [1, 3, 4, 4, None, 2], "glm": [2, 1, 3, 5, 2, 1, 4]}))
    assert (found.n, found.left_out) == (4, 3)
    assert found.first_r.estimate == pytest.approx(np.corrcoef([1, 2, 4, 5], [1, 3, 4, 4])[0, 1], abs=1e-12)


def test_judges_that_give_the_same_have_no_difference_to_test() -> None:
    scores = [1, 3, 4, 4, 2] * 3
    found = of(crossed({"ann": [1, 2, 4, 5, 3] * 3}, {"gpt": scores, "glm": scores}))
    assert found.difference.estimate == pytest.approx(0, abs=1e-12)
    nothing = Undefined(HARDLY_CHANGES)
    assert in_english(found.p) == in_english(found.difference.interval) == nothing


def test_of_four_scenes_neither_the_difference_has_an_interval_nor_its_test_a_p() -> None:
    found = of(crossed({"ann": [1, 2, 4, 5] * 2}, {"gpt": [1, 3, 4, 4] * 2, "glm": [2, 1, 3, 5] * 2}, scenes=4))
    assert isinstance(found.p, Undefined)
    assert in_english(found.p.reason).startswith("an interval needs at least 5 scenes")
    assert found.difference.interval == found.first_r.interval == found.p


@pytest.mark.parametrize(
    ("expert", "gpt", "glm", "reason"),
    [
        ([1, 2, 3], [1, 2, 3], [3, 2, 1], "comparing gpt and glm needs at least 4 items .* found 3"),
        ([1, 2, 3, 4], [1, 2, 3, 4], [2, 2, 2, 2], "all 4 scores are the same for glm"),
    ],
)
def test_what_cannot_be_compared(expert: list[float], gpt: list[float], glm: list[float], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        of(crossed({"ann": expert}, {"gpt": gpt, "glm": glm}))


@settings(max_examples=examples(3, 10))
@given(st.permutations(range(120)), st.permutations(["ann", "bo"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(
    thirty: pd.DataFrame, order: list[int], names: list[str]
) -> None:
    renamed = thirty.iloc[order].replace({"rater": dict(zip(["ann", "bo"], names, strict=True))})
    one, other = of(thirty).difference, of(renamed).difference
    assert other.estimate == pytest.approx(one.estimate, abs=1e-9)
    assert ends(other.interval) == pytest.approx(ends(one.interval), abs=1e-9)
