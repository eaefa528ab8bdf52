"""Holm's adjustment worked by hand, its laws, and Wald's test against plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from annotations.errors import UndefinedStatistic
from annotations.resampling.jackknife import Drawing, resampling
from annotations.validity.holm import holm, wald
from tests.annotations.crossed_ratings import beside, crossed


@pytest.fixture(scope="module")
def thirty() -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth = random.normal(3, 1, 30)
    return crossed({"ann": truth.tolist()}, {"gpt": (truth + random.normal(0, 2, 30)).tolist()})


def test_holm_worked_by_hand() -> None:
    # .005 * 4 = .02, .01 * 3 = .03, .03 * 2 = .06; .04 * 1 would be below the one before it.
    adjusted = holm({"KA": 0.01, "BA": 0.04, "EE": 0.03, "PT": 0.005})
    assert list(adjusted) == ["KA", "BA", "EE", "PT"]
    assert adjusted == pytest.approx({"KA": 0.03, "BA": 0.06, "EE": 0.06, "PT": 0.02}, abs=1e-12)
    assert holm({"KA": 0.7, "BA": 0.6}) == {"KA": 1.0, "BA": 1.0}
    assert holm({"KA": 0.2}) == {"KA": 0.2}
    assert holm({}) == {}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_never_lowers_p_keeps_the_order_and_lies_below_bonferroni(p: list[float]) -> None:
    adjusted = holm(dict(enumerate(p)))
    for at, value in enumerate(p):
        assert value <= adjusted[at] <= min(1, value * len(p))
        assert all(adjusted[at] <= adjusted[other] for other, bigger in enumerate(p) if bigger > value)


@given(st.permutations(range(5)))
def test_holm_does_not_depend_on_the_order(order: list[int]) -> None:
    p = [0.01, 0.01, 0.02, 0.3, 0.04]
    assert holm({at: p[at] for at in order}) == holm(dict(enumerate(p)))


def test_the_standard_error_is_that_of_z_over_the_draws(thirty: pd.DataFrame) -> None:
    found = wald(beside(thirty), ["KA"], Drawing(draws=150, seed=2))
    pairs = beside(thirty).means(["KA"])
    drawn = resampling(pairs["scene"], pairs["model"], Drawing(draws=150, seed=2))
    z = [
        np.arctanh(np.corrcoef(np.repeat(pairs["expert"], count), np.repeat(pairs["judge"], count))[0, 1])
        for count in np.concatenate(list(drawn.counts())).astype(int)
    ]
    assert found.se == pytest.approx(np.std(z, ddof=1), abs=1e-9)
    assert found.pearson == pytest.approx(np.corrcoef(pairs["expert"], pairs["judge"])[0, 1], abs=1e-12)
    assert found.z == pytest.approx(np.arctanh(found.pearson), abs=1e-12)
    assert found.p == pytest.approx(2 * norm.sf(abs(found.z) / found.se), abs=1e-12)
    assert (found.n, found.draws, found.seed, found.way) == (30, 150, 2, "two-way cluster bootstrap")


def test_an_r_that_is_there_has_a_small_p_and_noise_has_not() -> None:
    random = np.random.default_rng(7)
    truth, noise = random.normal(size=(2, 60))
    frame = crossed({"ann": truth.tolist()}, {"gpt": (truth + noise).tolist(), "dice": noise.tolist()})
    assert wald(beside(frame, "gpt"), ["KA"]).p < 0.001
    assert wald(beside(frame, "dice"), ["KA"]).p > 0.05


@pytest.mark.parametrize(
    ("expert", "judge", "reason"),
    [
        ([1, 2], [1, 2], "at least 3 items scored by the experts and gpt; there are 2"),
        ([1, 2, 3, 4, 5, 6], [2, 2, 2, 2, 2, 2], "gpt gave all 6 items the same score, 2"),
        ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], "r is 1.000"),
        ([1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 0, 6], "of 2,000 draws it has no value, or is 1 or -1"),
        ([1, 2, 3], [1, 3, 2], "too few to resample"),
    ],
)
def test_what_cannot_be_tested(expert: list[float], judge: list[float], reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        wald(beside(crossed({"ann": expert}, {"gpt": judge})), ["KA"])
