"""Folding, and the way back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.blinding.folded_text import folded
from tests.fakes.examples import examples


@pytest.mark.parametrize(
    ("original", "text"),
    [
        ("ＧＰＴ－４ｏ", "GPT-4o"),
        ("GPT\u20114", "GPT-4"),
        ("GPT\u20134 \u2212 5", "GPT-4 - 5"),
        ("I\u2019m \u201cClaude\u201d", 'I\'m "Claude"'),
        ("我是「豆包」，你呢？", '我是"豆包",你呢?'),
        ("G\u200bP\u00adT\ufeff", "GPT"),
        ("a\u00a0b\u3000c\td\re", "a b c d e"),
        ("one\ntwo", "one\ntwo"),
        ("作為語言模型", "作为语言模型"),
        ("e\u0301 é ﬁ", "e é fi"),
        ("", ""),
    ],
)
def test_what_looks_alike_is_equal(original: str, text: str) -> None:
    assert folded(original).text == text


@pytest.mark.parametrize(
    ("original", "words", "there"),
    [
        ("x ＧＰＴ－４ y", "GPT-4", "ＧＰＴ－４"),
        ("x G\u200bP\u200bT y", "GPT", "G\u200bP\u200bT"),
        ("a ㎏ b", "g", "㎏"),
        ("ﬁx", "x", "x"),
        ("\u200bGPT\u200b", "GPT", "GPT"),
    ],
)
def test_places_lead_back_to_the_original(original: str, words: str, there: str) -> None:
    text = folded(original)
    start = text.text.index(words)
    first, last = text.place(start, start + len(words))
    assert original[first:last] == there


@settings(max_examples=examples(40, 100))
@given(st.text(), st.data())
def test_a_place_folds_to_what_was_found_there(original: str, data: st.DataObject) -> None:
    text = folded(original)
    if not text.text:
        return
    start = data.draw(st.integers(0, len(text.text) - 1))
    end = data.draw(st.integers(start + 1, len(text.text)))
    first, last = text.place(start, end)
    assert 0 <= first < last <= len(original)
    assert text.text[start:end] in folded(original[first:last]).text
