"""Figures in words: how an interval was made is told, whatever it is called."""

import pytest

from annotations.resampling.jackknife import Interval
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.tables.text import interval_in_words, wrapped


def made(interval: str) -> str:
    """How an interval of this name is told, of 40 items in 10 scenes by one model."""
    return interval_in_words(Correlation(0.5, Interval(0.3, 0.7, interval, 2000, 7), 40, 10, 1, ()))


@pytest.mark.parametrize(
    ("interval", "told"),
    [
        ("one-way cluster bootstrap by scenes", "over 10 scenes, with the 1 model as given, seed 7"),
        ("one-way cluster bootstrap by models", "over 1 model, with the 10 scenes as given, seed 7"),
        ("bootstrap of items", "over 40 items, seed 7"),
    ],
)
def test_an_interval_is_told_with_what_was_drawn(interval: str, told: str) -> None:
    assert made(interval) == f"{interval} {told}"


def test_an_interval_by_formula_has_no_seed() -> None:
    assert made("fisher").startswith("Fisher's interval, which takes the items as independent")
    assert "seed" not in made("fisher")


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
