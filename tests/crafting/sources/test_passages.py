"""Passages: all of the text once and in order, at borders where reading can pause, and the choice among them."""

import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.crafting.sources.passages import choose, is_lively, names_in, speeches_in, split, text_of
from characterbox.crafting.sources.source import Source, pasted_source
from characterbox.values import Language
from tests.crafting.novels import novel

PIECES = [
    "Anna ",
    "waits",
    ". ",
    ", ",
    "\n\n",
    "\n\n\n",
    "\n",
    "“",
    "”",
    '"',
    "雨",
    "夜深",
    "。",
    "，",
    "「",
    "」",
    "e\u0301",
    " ",
]
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=120).map("".join)


def bare(text: str) -> Source:
    return Source("a.txt", text, ())


def parts(text: str, most: int) -> list[str]:
    source = bare(text)
    return [text_of(source, one) for one in split(source, most)]


@given(texts, st.integers(1, 60))
def test_joined_they_are_the_text_and_none_is_too_long(text: str, most: int) -> None:
    found = parts(text, most)
    assert "".join(found) == text
    assert all(0 < len(part) <= most for part in found)


@given(st.lists(st.tuples(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.sampled_from([" ", ", ", ".\n\n", "\n"]))))
def test_no_word_is_divided(words: list[tuple[str, str]]) -> None:
    found = parts("".join(word + after for word, after in words), 24)
    assert not [one for one, following in pairwise(found) if one[-1].isalpha() and following[0].isalpha()]


def test_the_best_border_is_taken() -> None:
    assert parts("One two. Three.\n\nFour five six. Seven.", 25) == ["One two. Three.\n\n", "Four five six. Seven."]
    assert parts("One two.\n\nThree.\n\n\nFour five six. Seven.", 25) == [
        "One two.\n\nThree.\n\n\n",
        "Four five six. Seven.",
    ]
    assert parts("One, two three four. Five six, seven eight.", 26) == [
        "One, two three four. ",
        "Five six, seven eight.",
    ]
    assert parts("One two three, four five six seven", 20) == ["One two three, ", "four five six seven"]
    assert parts("One two three four five six", 15) == ["One two three ", "four five six"]
    assert parts("雨落旧阶。夜深人静，不知信去。", 10) == ["雨落旧阶。", "夜深人静，不知信去。"]
    assert parts("雨落旧阶夜深人静不知信去", 8) == ["雨落旧阶夜深人静", "不知信去"]
    assert parts("Mr. Holmes came in. He sat down there.", 25) == ["Mr. Holmes came in. ", "He sat down there."]


def test_a_speech_stays_whole_where_it_can() -> None:
    told = "He rose, and said: “No. Not now. Not here. Not ever.” Then he left."
    assert parts(told, 60) == ["He rose, and said: “No. Not now. Not here. Not ever.” ", "Then he left."]
    assert parts(told.replace("“", '"').replace("”", '"'), 60)[1] == "Then he left."
    assert parts("他起身道：“不。现在不行。这里也不行。”说罢便走了。", 24)[1] == "说罢便走了。"
    assert parts("“No. Not now. Not here. Not ever and ever and ever.”", 30)[0] == "“No. Not now. Not here. "


def test_a_word_that_is_too_long_is_divided_between_letters() -> None:
    assert parts("a" * 10, 4) == ["aaaa", "aaaa", "aa"]
    assert all(not unicodedata.combining(part[0]) for part in parts("e\u0301" * 20, 5))
    assert parts("", 5) == []


def test_no_passage_goes_beyond_a_chapter() -> None:
    source = pasted_source("novel", novel("en", 100_000))
    found = split(source, 4_000)
    assert {one.chapter for one in found} == {one.title for one in source.chapters}
    for one in found:
        chapter = next(chapter for chapter in source.chapters if chapter.start <= one.start < chapter.end)
        assert one.end <= chapter.end
        assert one.chapter == chapter.title
        assert one.source == "novel"


def test_what_stands_before_the_first_chapter_is_in_none() -> None:
    source = pasted_source("novel", "A preface of a kind.\n\nChapter 1\n\nOne.")
    assert [(one.chapter, text_of(source, one)) for one in split(source, 100)] == [
        (None, "A preface of a kind.\n\n"),
        ("Chapter 1", "Chapter 1\n\nOne."),
    ]


def test_a_passage_has_at_least_one_character() -> None:
    with pytest.raises(ValueError, match="at least one"):
        split(bare("x"), 0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_choice_is_even_lively_and_the_same_for_a_seed(language: Language) -> None:
    source = pasted_source("novel", novel(language, 200_000))
    passages = split(source, 2_000)
    found = choose(source, passages, 10, seed=1)
    assert found == choose(source, passages, 10, seed=1)
    assert found != choose(source, passages, 10, seed=2)
    tenths = [passages[len(passages) * tenth // 10 : len(passages) * (tenth + 1) // 10] for tenth in range(10)]
    assert all(one in tenth for one, tenth in zip(found, tenths, strict=True))
    assert all(is_lively(text_of(source, one)) for one in found)
    assert choose(source, passages, len(passages), seed=1) == passages
    assert choose(source, passages, 0, seed=1) == ()


def test_the_one_stretch_in_which_people_talk_is_found() -> None:
    quiet = "The rain fell upon the old stairs, and nobody came. " * 8
    talk = "“Who is it?” asked Anna. “Me,” said Holmes, and Holmes sat. “You!” cried Anna, for Anna knew."
    source = pasted_source("a", "\n\n".join([quiet] * 5 + [talk + quiet[:300]] + [quiet] * 4))
    (only,) = choose(source, split(source, 450), 1, seed=3)
    assert "Anna" in text_of(source, only)


@pytest.mark.parametrize(
    ("text", "speeches", "names"),
    [
        ("“Who?” asked Anna. “Me,” said Anna, and saw Holmes. Then Holmes left, and Holmes came.", 2, {"Anna"}),
        ("玄德曰：公何人也？飞曰：某姓张。", 2, {"玄德"}),
        ("黛玉笑道：“你来了。”宝玉忙道：“是。”\n王熙凤说：“好。”", 3, {"黛玉", "宝玉", "王熙凤"}),
        ("HAMLET. To be.\nHORATIO. My lord.\nHAMLET. Or not.", 3, {"HAMLET"}),
        ("The rain fell, and nobody came.", 0, set()),
    ],
)
def test_speeches_and_names(text: str, speeches: int, names: set[str]) -> None:
    assert speeches_in(text) == speeches
    assert names <= names_in(text)


@pytest.mark.slow
def test_names_of_a_passage_of_nothing_else_are_counted_at_once() -> None:
    started = time.thread_time()
    assert names_in("CHAPTER I\n\n" * 50_000) == {"CHAPTER I"}
    assert time.thread_time() - started < 5  # counting each anew takes minutes
