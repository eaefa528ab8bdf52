"""Costs in words."""

import pytest

from characterbox.components.figures.tables.text import count, dollars, names, seconds
from characterbox.store.stories.costs_across_stories import Model


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.0, "0.00"),
        (1234.5, "1,234.50"),
        (1.0, "1.00"),
        (0.999, "0.9990"),
        (0.0785, "0.0785"),
        (0.00012, "0.00012"),
        (0.0000034, "0.0000034"),
        (1e-15, "0.000000000000"),
    ],
)
def test_a_price_has_the_digits_that_tell_it_from_others(value, told):
    assert dollars(value) == told


def test_a_deviation_has_the_decimals_of_its_mean():
    assert dollars(0.00080, 0.0184) == "0.0008"
    assert dollars(12.3456, 0.5) == "12.3456"
    assert dollars(0.004, 3.0) == "0.00"


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.04, "0.0 s"), (59.4, "59.4 s"), (59.5, "1.0 min"), (400, "6.7 min"), (3598, "1 h"), (39960, "11 h 6 min")],
)
def test_a_time_is_told_in_its_largest_units(value, told):
    assert seconds(value) == told


def test_tokens_are_whole_and_models_have_names():
    assert count(25723.4) == "25,723"
    assert names([Model("a", False), Model("b", True)]) == "a, b"
    assert names([]) == "nobody"
