"""The estimate of tokens: on the safe side of what tokenizers are known to make of texts."""

import pytest

from characterbox.llm.request import ChatMessage
from characterbox.llm.usage import estimate

ENGLISH = "The quick brown fox jumps over the lazy dog."
CHINESE = "孙悟空一个筋斗云飞到了十万八千里之外。"


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        (ENGLISH, 10, 20),  # 10 tokens in the vocabulary of GPT-4: one a word, and the full stop
        (CHINESE, len(CHINESE), 1.4 * len(CHINESE)),  # at worst a little more than a token a character
        ("", 0, 0),
    ],
)
def test_the_estimate_is_on_the_safe_side_but_not_far_from_it(text, low, high):
    frame = estimate((ChatMessage("user", ""),))
    assert low <= estimate((ChatMessage("user", text),)) - frame <= high


def test_each_message_has_a_frame():
    one, two = (estimate((ChatMessage("user", ENGLISH),) * count) for count in (1, 2))
    assert two in (2 * one, 2 * one - 1), "rounded up once"
    assert estimate(()) == 0


def test_an_accent_counts_as_no_less_than_a_letter():
    assert estimate((ChatMessage("user", "é" * 100),)) >= estimate((ChatMessage("user", "e" * 100),))


def test_half_a_character_is_no_error():
    assert estimate((ChatMessage("user", "\ud83d"),)) > 0
