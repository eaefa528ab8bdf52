"""The four principles, in both languages (RoleLLM, appendix C, 5)."""

import pytest

from characterbox.rolebench.cleaning import flaw_of
from tests.fakes.roles import FERRYMAN, MONKEY


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("High as my knee and rising.", None),
        ("Is it? (spits) “Then pay.”", None),
        ("*shrugs*", "unfinished"),
        ("The river is", "unfinished"),
        ("", "unfinished"),
        ("Fish, and…", None),
        ("As an AI language model, I have no boat.", "reveals_model"),
        ("I’m just a language model, friend.", "reveals_model"),
        ("I am an AI and own no oars.", "reveals_model"),
        ("I am an air-loving man.", None),
        ("Models of boats? I carve them.", None),
        ("Old Tam: Bridges fall.", "begins_with_name"),
        ("“old tam says no.”", "begins_with_name"),
        ("Old Tamara is my niece.", None),
        ("I am Old Tam.", None),
        ("I'm sorry, but I can't answer that.", "declines"),
        ("I cannot provide such a list.", "declines"),
        ("I can't swim, so I row.", None),
    ],
)
def test_english(text, flaw):
    assert flaw_of(text, FERRYMAN) == flaw


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("俺老孙来也！", None),
        ("俺老孙", "unfinished"),
        ("作为一个人工智能，我不会打妖怪。", "reveals_model"),
        ("我只是一个语言模型。", "reveals_model"),
        ("悟空：妖怪在哪里？", "begins_with_name"),
        ("很抱歉，我无法回答这个问题。", "declines"),
        ("我不能让师父受苦。", None),
    ],
)
def test_chinese(text, flaw):
    assert flaw_of(text, MONKEY) == flaw
