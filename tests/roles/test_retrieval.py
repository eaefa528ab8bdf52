"""Which rounds of a role are found for what was said."""

import numpy as np
from bm25s import BM25
from hypothesis import given
from hypothesis import strategies as st

from characterbox.roles.retrieval import Similarity, examples_of
from characterbox.roles.words import words_of
from tests.fakes.roles import FERRYMAN, MERCHANT, role

TEXTS = ["the cat sat", "the dog ran", "a bird sang", "the cat ran away from the dog"]


def test_the_most_alike_comes_first_and_what_shares_no_word_is_left_out():
    found = Similarity(TEXTS, "en").nearest("Cat!", 9)
    assert [place for place, _ in found] == [0, 3]
    assert found[0][1] > found[1][1] > 0


def test_scores_are_those_of_bm25s():
    split = [words_of(text, "en") for text in TEXTS]
    index = BM25()
    index.index(split, show_progress=False)
    assert np.array_equal(Similarity(TEXTS, "en").scores("the dog"), index.get_scores(["the", "dog"]))


@given(st.lists(st.sampled_from(["red fox", "blue fox", "fox", ""]), min_size=1, max_size=12), st.integers(1, 5))
def test_of_equally_alike_texts_the_first_is_found(texts, count):
    found = Similarity(texts, "en").nearest("fox", count)
    assert len(found) == min(count, sum("fox" in text for text in texts))
    assert found == sorted(found, key=lambda one: (-one[1], one[0]))


def test_no_words_find_nothing():
    assert Similarity(["...", ""], "en").nearest("word", 3) == []
    assert Similarity(["word"], "en").nearest("?!", 3) == []
    assert Similarity([], "zh").nearest("字", 3) == []


def test_a_round_that_the_role_opens_is_no_example():
    opens = role("Ann", "You open.", [[("Ann", "Hello, river!")], [("Bob", "The river?"), ("Ann", "Yes.")]], "Hello!")
    assert [one.round.answer for one in examples_of(opens).nearest("river")] == ["Yes."]


def test_the_same_role_is_indexed_once():
    assert examples_of(FERRYMAN) is examples_of(FERRYMAN.model_copy(deep=True))
    assert examples_of(FERRYMAN) is not examples_of(MERCHANT)
