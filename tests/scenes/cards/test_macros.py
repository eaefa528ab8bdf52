"""Macros in the texts of cards: what each stands for, and what is said of those that chance would decide."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.scenes.cards.lorebook import Names, has_macros, resolved
from tests.fakes.in_english import in_english

NAMES = Names("Holmes", "Watson")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("{{char}} {{CHAR}} <bot> <BOT> <char>", "Holmes Holmes Holmes Holmes Holmes"),
        ("{{user}} <USER>", "Watson Watson"),
        ("{{ char }}", "Holmes"),
        ("a{{// a remark}}b{{comment: c}}c{{hidden_key:d}}d", "abcd"),
        ("{{reverse:Hello}}", "olleH"),
        ("{{roll:1}} {{roll:d1}}", "1 1"),
        ("{{pick:a}}", "a"),
        (r"{{random:a\,b}}", "a,b"),
        ("{{random:{{char}},{{char}}}}", "Holmes"),
        ("{{time}} {{getvar::x}} {char} { {char}}", "{{time}} {{getvar::x}} {char} { {char}}"),
        ("{{roll:0}} {{roll:x}}", "{{roll:0}} {{roll:x}}"),
        ("no macro", "no macro"),
    ],
)
def test_what_each_stands_for(text: str, read: str) -> None:
    assert resolved(text, NAMES)[0] == read


def test_what_chance_decides_is_one_of_the_choices_always_the_same_and_told() -> None:
    for text, choices in (("{{random:x,y,z}}", "xyz"), ("{{pick::x, y}}", "xy"), ("{{ROLL:d6}}", "123456")):
        read, told = resolved(text, NAMES)
        assert read in choices
        assert in_english(told) == (f"{text!r} gives a random value in each chat; here it is fixed to {read!r}",)
        assert resolved(text, NAMES) == (read, told)


def test_what_is_told() -> None:
    assert in_english(resolved("{{user}} {{user}} {{time}}{{// x}} {{char}} {{a:{{b}}}}", NAMES)[1]) == (
        "'{{user}}' read as 'Watson'",
        "'{{time}}' is not supported; kept unchanged",
        "'{{// x}}' left out; it is a comment",
        "'{{b}}' is not supported; kept unchanged",
        "'{{a:{{b}}}}' is not supported; kept unchanged",
    )


def test_a_name_is_never_read_as_a_macro() -> None:
    names = Names("{{user}}<user>{{char}}" * 3, "{{char}}")
    assert resolved("{{char}} {{user}}", names)[0] == f"{names.character} {names.user}"


@given(st.text(st.sampled_from("{}<>:,charuse/ \n"), max_size=60))
def test_any_text_comes_to_an_end_and_what_has_no_macros_stays(text: str) -> None:
    read, _ = resolved(text, NAMES)
    assert not re.search(r"\{\{char\}\}|<char>|<user>", read)
    if not has_macros(text):
        assert read == text


def test_a_long_text_is_read_in_one_go() -> None:
    assert resolved("{{" * 300_000, NAMES)[0] == "{{" * 300_000
    assert resolved("{{char}}" * 100_000, NAMES)[0] == "Holmes" * 100_000
