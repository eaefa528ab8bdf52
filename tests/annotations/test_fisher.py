"""Fisher's interval of r."""

import pytest

from annotations.fisher import fisher_interval


@pytest.mark.parametrize(
    ("r", "n", "low", "high"),
    [
        (0.5, 28, 0.1560, 0.7358),  # z = atanh(0.5) = 0.549306; half = 1.959964 / 5 = 0.391993; tanh of both ends
        (0.9, 3, -1, 1),
        (1.0, 10, 1, 1),
    ],
)
def test_worked_by_hand(r: float, n: int, low: float, high: float) -> None:
    found = fisher_interval(r, n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert (found.way, found.draws, found.seed) == ("fisher", 0, None)
