"""Two judges: published values of Williams' test and Zou's interval, and the difference against plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from annotations.errors import Undefined, UndefinedStatistic
from annotations.resampling.jackknife import Drawing, Interval, resampling
from annotations.validity.compare_judges import Comparison, Williams, compare, williams, zou_interval
from tests.annotations.bias_corrected import bias_corrected
from tests.annotations.crossed_ratings import beside, crossed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english


def of(frame: pd.DataFrame, draws: int = 2000) -> Comparison:
    return compare((beside(frame, "gpt"), beside(frame, "glm")), ["KA"], Drawing(draws=draws))


@pytest.fixture(scope="module")
def thirty() -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    scores = [(truth + random.normal(0, error, 30)).tolist() for error in (0.3, 0.3, 0.5, 1.5)]
    return crossed({"ann": scores[0], "bo": scores[1]}, {"gpt": scores[2], "glm": scores[3]})


def test_the_published_example_of_williams_t() -> None:
    found = williams(0.3, 0.4, 0.5, 100)
    assert (found.t, found.df) == (pytest.approx(-1.0767, abs=5e-5), 97)
    assert found.p == pytest.approx(0.2843, abs=5e-5)
    assert found.p == pytest.approx(2 * student.cdf(found.t, 97), abs=1e-12)


def test_williams_t_worked_by_hand() -> None:
    # |R| = 1 - .25 - 0 - 0 = .75; mean r .25; t = .5 * sqrt(10 / (2 * .75 * 10 / 8 + .0625)) with n = 11.
    assert williams(0.5, 0, 0, 11).t == pytest.approx(0.5 * np.sqrt(10 / 1.9375), abs=1e-12)


def test_the_published_example_of_zou_s_interval() -> None:
    assert zou_interval(0.396, 0.179, 0.088, 66) == pytest.approx((-0.093, 0.517), abs=5e-4)


def test_williams_test_keeps_its_level_where_items_are_independent() -> None:
    # Two judges of the same error: p is below .05 in about one of twenty studies.
    random = np.random.default_rng(6)
    small = 0
    for _ in range(2000):
        truth, *errors = random.normal(size=(4, 40))
        expert, one, other = (truth + error for error in errors)
        r = np.corrcoef([expert, one, other])
        small += williams(r[0, 1], r[0, 2], r[1, 2], 40).p < 0.05
    assert small / 2000 == pytest.approx(0.05, abs=0.015)


def test_the_difference_has_the_interval_of_items_written_as_often_as_they_count(thirty: pd.DataFrame) -> None:
    found = of(thirty, draws=150)
    expert, gpt = (beside(thirty, "gpt").means(["KA"])[side].to_numpy() for side in ("expert", "judge"))
    glm = beside(thirty, "glm").means(["KA"])["judge"].to_numpy()
    places = beside(thirty, "gpt").means(["KA"])
    values = []
    for count in np.concatenate(list(resampling(places["scene"], places["model"], Drawing(draws=150)).counts())).astype(
        int
    ):
        r = np.corrcoef([np.repeat(side, count) for side in (expert, gpt, glm)])
        values.append(r[0, 1] - r[0, 2])
    assert isinstance(found.difference.interval, Interval)
    interval = found.difference.interval
    assert (interval.low, interval.high) == pytest.approx(bias_corrected(found.difference.estimate, values), abs=1e-9)
    r = np.corrcoef([expert, gpt, glm])
    rs = found.first_r.estimate, found.second_r.estimate, found.between
    assert rs == pytest.approx((r[0, 1], r[0, 2], r[1, 2]), abs=1e-12)
    assert found.difference.estimate == pytest.approx(r[0, 1] - r[0, 2], abs=1e-12)
    assert found.williams == williams(*rs, 30)
    assert found.zou == Interval(*zou_interval(*rs, 30), "zou")
    assert (found.first, found.second, found.n, found.left_out) == ("gpt", "glm", 30, 0)


def test_turned_round_the_difference_changes_its_sign(thirty: pd.DataFrame) -> None:
    one, other = of(thirty), compare((beside(thirty, "glm"), beside(thirty, "gpt")), ["KA"])
    assert isinstance(one.difference.interval, Interval)
    assert isinstance(other.difference.interval, Interval)
    assert isinstance(one.williams, Williams)
    assert isinstance(other.williams, Williams)
    assert one.difference.interval.low == pytest.approx(-other.difference.interval.high, abs=1e-9)
    assert one.williams.t == pytest.approx(-other.williams.t, abs=1e-9)


def test_items_as_independent_make_the_interval_too_narrow_on_hanna(hanna: pd.DataFrame) -> None:
    found = compare((beside(hanna, "chatgpt"), beside(hanna, "llama-13b")), ["coherence"])
    assert isinstance(found.difference.interval, Interval)
    assert isinstance(found.zou, Interval)
    assert found.difference.interval.high - found.difference.interval.low > 2 * (found.zou.high - found.zou.low)
    assert found.n == 1056


def test_only_items_that_all_three_scored_count() -> None:
    found = of(crossed({"ann": [1, 2, 4, 5, 3, None]}, {"gpt": [1, 3, 4, 4, None, 2], "glm": [2, 1, 3, 5, 2, 1, 4]}))
    assert (found.n, found.left_out) == (4, 3)
    assert found.first_r.estimate == pytest.approx(np.corrcoef([1, 2, 4, 5], [1, 3, 4, 4])[0, 1], abs=1e-12)


def test_judges_that_give_the_same_have_no_difference_to_test() -> None:
    scores = [1, 3, 4, 4, 2]
    found = of(crossed({"ann": [1, 2, 4, 5, 3]}, {"gpt": scores, "glm": scores}))
    assert found.difference.estimate == pytest.approx(0, abs=1e-12)
    assert isinstance(found.williams, Undefined)
    assert "order the items alike (r = 1.000)" in in_english(found.williams.reason)


def test_a_perfect_judge_has_no_interval_by_zou() -> None:
    found = of(crossed({"ann": [1, 2, 4, 5, 3]}, {"gpt": [1, 2, 4, 5, 3], "glm": [1, 3, 4, 4, 2]}))
    assert isinstance(found.zou, Undefined)
    assert "has no interval by Fisher's z" in in_english(found.zou.reason)


@pytest.mark.parametrize(
    ("expert", "gpt", "glm", "reason"),
    [
        ([1, 2, 3], [1, 2, 3], [3, 2, 1], "comparing gpt and glm needs at least 4 items .* there are 3"),
        ([1, 2, 3, 4], [1, 2, 3, 4], [2, 2, 2, 2], "all 4 scores are the same for glm"),
    ],
)
def test_what_cannot_be_compared(expert: list[float], gpt: list[float], glm: list[float], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        of(crossed({"ann": expert}, {"gpt": gpt, "glm": glm}))


def test_correlations_that_cannot_be_are_refused() -> None:
    for of_three in (williams, zou_interval):
        with pytest.raises(UndefinedStatistic, match=r"no three variables correlate by 0\.9, -0\.9 and 0\.9"):
            of_three(0.9, -0.9, 0.9, 50)
        with pytest.raises(UndefinedStatistic, match="at least 4 items; there are 3"):
            of_three(0.5, 0.4, 0.3, 3)


@settings(max_examples=examples(3, 10))
@given(st.permutations(range(120)), st.permutations(["ann", "bo"]))
def test_neither_the_order_of_rows_nor_the_raters_names_matter(
    thirty: pd.DataFrame, order: list[int], names: list[str]
) -> None:
    renamed = thirty.iloc[order].replace({"rater": dict(zip(["ann", "bo"], names, strict=True))})
    one, other = of(thirty, draws=50).difference, of(renamed, draws=50).difference
    assert isinstance(one.interval, Interval)
    assert isinstance(other.interval, Interval)
    assert (other.estimate, other.interval.low) == pytest.approx((one.estimate, one.interval.low), abs=1e-9)
