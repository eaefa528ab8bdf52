"""Words as numbers: the same wherever the wording is, and none the same for another word."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.scenes import ngrams
from characterbox.scenes.ngrams import runs_of, words_of


def words_in(text: str) -> list[str]:
    words = words_of(text)
    return [text[start:end] for start, end in zip(words.starts, words.ends, strict=True)]


def same(one: str, other: str) -> bool:
    return words_of(one).codes.tolist() == words_of(other).codes.tolist()


def test_words_and_their_places() -> None:
    assert words_in("“Don’t,” said R2-D2_x;  no.") == ["Don’t", "said", "R2", "D2", "x", "no"]
    assert words_in("他说：“OK，三十2年。”") == ["他", "说", "OK", "三", "十", "2", "年"]
    assert words_in("") == words_in(" … ") == []
    assert words_in("𠀀a\U0001f600b") == ["𠀀", "a", "b"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Don’t STOP", "dont, stop"),
        ("ＡＢＣ１", "abc1"),
        ("雨 落。", "雨落"),
        ("École\u200b", "école"),
        ("co\u00adop", "coop"),
    ],
)
def test_case_width_and_marks_do_not_matter(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(("one", "other"), [("ab", "ba"), ("a b", "ab"), ("雨落", "落雨"), ("a", "aa"), ("", "a")])
def test_what_differs_differs(one: str, other: str) -> None:
    assert not same(one, other)


texts = st.text(string.ascii_letters + "0 .,\n雨落é’", max_size=80)


@given(texts)
def test_words_are_those_of_a_slow_and_simple_search(text: str) -> None:
    passed = text.replace("’", "")
    plain = [word for part in re.findall(r"[^\W_]+", passed) for word in re.findall(r"[雨落]|[^雨落]+", part)]
    assert [word.replace("’", "") for word in words_in(text)] == plain


@given(texts, texts)
def test_runs_are_the_same_where_the_words_are(one: str, other: str) -> None:
    first, second = (words_of(text).codes.tolist() for text in (one, other))
    runs = {tuple(first[at : at + 3]) for at in range(len(first) - 2)} & {
        tuple(second[at : at + 3]) for at in range(len(second) - 2)
    }
    found = set(runs_of(words_of(one), 3).tolist()) & set(runs_of(words_of(other), 3).tolist())
    assert len(found) == len(runs)


@given(texts)
def test_long_texts_are_read_the_same(text: str) -> None:
    short = words_of(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "_LONG", 0)
        long = words_of(text)
    assert (short.codes.tolist(), short.starts.tolist()) == (long.codes.tolist(), long.starts.tolist())
