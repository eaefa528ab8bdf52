"""How much a character repeats itself, read from the trajectory as a judge is shown it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.llm.rehearsal.judge import own_lines, repetition
from characterbox.play.trajectory import Step, as_text
from characterbox.prompts import words

OWN = ("action", "dialogue", "reaction")


def shown(*steps, language="en"):
    """A trajectory of these kinds and texts, three steps a round."""
    return as_text([Step(1 + at // 3, kind, text, False) for at, (kind, text) in enumerate(steps)], language)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_of_four_own_lines_that_is_said_again_is_a_quarter(language):
    text = shown(
        ("observation", "Ann waits."),
        ("action", "Ann waits."),
        ("dialogue", "Well."),
        ("observation", "Ann waits."),
        ("reaction", "Ann waits."),
        ("dialogue", "Good night."),
        language=language,
    )
    assert list(own_lines(text)) == ["Ann waits.", "Well.", "Ann waits.", "Good night."]
    assert repetition(text) == 0.25


def test_case_spaces_and_punctuation_make_no_difference():
    assert repetition(shown(("dialogue", "Well, well!"), ("dialogue", "well well"))) == 0.5
    assert repetition(shown(("dialogue", "好吧。"), ("dialogue", "“好吧”！"), language="zh")) == 0.5
    assert repetition(shown(("dialogue", "Number 1"), ("dialogue", "Number 2"))) == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_silence_repeats_nothing(language):
    silent = ("dialogue", words(language).silence)
    assert repetition(shown(silent, silent, ("action", "A"), language=language)) == 0
    assert repetition(shown(silent, silent, language=language)) is None


@pytest.mark.parametrize(
    "text", ["", "no trajectory", "Round 1\n- Observation: Ann waits.", "Action: Ann waits.", "- "]
)
def test_where_there_is_no_own_line_nothing_is_known(text):
    assert repetition(text) is None


def test_a_text_of_several_lines_is_one_line_of_the_character():
    text = shown(("action", "She stops.\n- and turns\n"), ("observation", "It rains."), ("action", "She goes."))
    assert list(own_lines(text)) == ["She stops.\n  - and turns", "She goes."]


TEXT = st.sampled_from(["one", "Two.", "两个", "three\nthree", "四"])


@given(st.lists(st.tuples(st.sampled_from((*OWN, "observation")), TEXT)), st.sampled_from(["en", "zh"]))
def test_it_is_what_is_left_without_the_first_of_each(steps, language):
    texts = [text for kind, text in steps if kind in OWN]
    found = repetition(shown(*steps, language=language))
    if not texts:
        assert found is None
    else:
        assert found == pytest.approx(sum(text in texts[:at] for at, text in enumerate(texts)) / len(texts))
        assert 0 <= found < 1
