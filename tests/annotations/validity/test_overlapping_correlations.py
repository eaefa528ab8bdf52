"""Two correlations that share a variable, against published and hand-worked values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import UndefinedStatistic
from annotations.validity.overlapping_correlations import williams, zou


def test_williams_has_the_value_of_other_packages():
    """As `psych::r.test(n=100, r12=.3, r13=.4, r23=.5)` and `cocor` have it."""
    found = williams(0.3, 0.4, 0.5, 100)
    assert (found.t, found.df, found.p) == (pytest.approx(-1.0767, abs=5e-5), 97, pytest.approx(0.2843, abs=5e-5))


def test_zou_has_the_value_of_his_paper():
    found = zou(0.396, 0.179, 0.088, 66)
    assert (found.low, found.high) == (pytest.approx(-0.093, abs=5e-4), pytest.approx(0.517, abs=5e-4))


@given(st.lists(st.floats(-1, 1), min_size=12, max_size=12))
def test_to_change_sides_turns_all_around(values):
    three = np.array(values).reshape(3, 4) + np.eye(3, 4) * 3  # no two are one and the same
    r = np.corrcoef(three)
    one, other, between = float(r[0, 1]), float(r[0, 2]), float(r[1, 2])
    ours, turned = williams(one, other, between, 30), williams(other, one, between, 30)
    assert (ours.t, ours.p) == (pytest.approx(-turned.t), pytest.approx(turned.p))
    this, that = zou(one, other, between, 30), zou(other, one, between, 30)
    assert (this.low, this.high) == (pytest.approx(-that.high), pytest.approx(-that.low))
    assert this.low <= one - other <= this.high


@pytest.mark.parametrize(
    ("r", "n", "reason"),
    [((0.3, 0.4, 0.5), 3, "at least 4 items"), ((0.4, 0.4, 1.0), 20, "determine each other")],
)
def test_what_williams_can_not_tell_has_a_reason(r, n, reason):
    with pytest.raises(UndefinedStatistic, match=reason):
        williams(*r, n)


@pytest.mark.parametrize(
    ("r", "n", "reason"), [((0.3, 0.4, 0.5), 3, "at least 4 items"), ((1.0, 0.4, 0.4), 20, "1 is at or beyond")]
)
def test_what_zou_can_not_tell_has_a_reason(r, n, reason):
    with pytest.raises(UndefinedStatistic, match=reason):
        zou(*r, n)
