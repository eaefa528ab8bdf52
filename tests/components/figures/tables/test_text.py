"""Figures in words: how an interval was made is told, whatever it is called."""

import pytest

from annotations.errors import Undefined
from annotations.resampling.jackknife import Interval
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.tables.text import in_full, interval, interval_in_words, wrapped


def correlation(interval: Interval | Undefined) -> Correlation:
    """Of 1,234 items in 10 scenes by one model."""
    return Correlation(0.5, interval, 1234, 10, 1, ())


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("jackknife by scenes", "jackknife by scenes, with models and raters fixed"),
        ("jackknife by scenes and by models", "jackknife by scenes and by models, with raters fixed"),
        ("jackknife by items", "jackknife by items"),
        ("fisher", "Fisher's interval, which assumes independent items and is too narrow otherwise"),
        ("feldt", "Feldt's interval, which assumes independent rows and is too narrow otherwise"),
    ],
)
def test_an_interval_is_told_with_what_was_taken_as_it_is(way: str, told: str) -> None:
    assert interval_in_words(correlation(Interval(0.3, 0.7, way))) == told


def test_where_there_is_no_interval_nothing_is_told_of_how_it_was_made() -> None:
    assert interval_in_words(correlation(Undefined("too few"))) == ""


def test_a_figure_in_full_has_its_interval_or_says_that_there_is_none() -> None:
    assert in_full(correlation(Interval(-0.001, 0.777, "fisher"))) == "0.50 [0.00, 0.78], n = 1,234"
    assert in_full(correlation(Undefined("too few"))) == "0.50 no interval, n = 1,234"
    assert interval(Undefined("too few")) == "no interval"


@pytest.mark.parametrize("letters", [12, 30])
def test_lines_hold_no_more_than_they_can_and_a_chinese_character_takes_the_room_of_two(letters: int) -> None:
    text = "无定义：全部 24 个条目的分数相同，都是 3（characterrm），因此无法计算相关。"
    lines = wrapped(text, letters)
    assert all(
        sum(1 + (sign > "⺀") for sign in line) <= letters + 2 for line in lines
    )  # a full stop stays by its word
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_lines_of_letters_break_between_words() -> None:
    assert wrapped("all 24 scores are the same", 12) == ["all 24", "scores are", "the same"]
