"""What a model proposes for a role, in the forms in which models write it."""

import pytest

from characterbox.errors import ReplyError
from characterbox.rolebench.profiles.proposals import read_catchphrases, read_description, read_level


@pytest.mark.parametrize(
    "text",
    [
        "You mind the doors.",
        "Your description is: You mind the doors.",
        "**Description:** You mind the doors.",
        "The character’s description is: You mind the doors.",
        "<think>Hm.</think>You mind the doors.",
    ],
)
def test_a_description_is_read_without_its_announcement(text):
    assert read_description(text) == "You mind the doors."


def test_a_chinese_one_as_well():
    assert read_description("你的描述是：你看守城门。") == "你看守城门。"


@pytest.mark.parametrize("text", ["", "I'm sorry, but I can't help with that.", '{"a": "b", "c": "d"}'])
def test_no_description_is_an_error(text):
    with pytest.raises(ReplyError):
        read_description(text)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        (
            '{"catchphrases": ["How you doin\'?", " Mark  my words. ", "Mark my words."]}',
            ("How you doin'?", "Mark my words."),
        ),
        ('{"catchphrases": []}', ()),
        ('{"catchphrases": null}', ()),
        ("“How you doin’?”/“Mark my words”", ("How you doin’?", "Mark my words")),
        ("no", ()),
        ("没有。", ()),
        ("「走着瞧」/「来了」", ("走着瞧", "来了")),
    ],
)
def test_catchphrases_are_read_as_json_or_as_in_the_paper(text, phrases):
    assert read_catchphrases(text) == phrases


@pytest.mark.parametrize("text", ["She has some.", '{"catchphrases": [1]}', '{"catchphrases": ["' + "x" * 201 + '"]}'])
def test_no_catchphrase_is_made_up(text):
    with pytest.raises(ReplyError):
        read_catchphrases(text)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ('{"reason": "Plain.", "level": 1}', 1),
        ('{"reason": "Plain.", "level": "3/4"}', 3),
        ('{"reason": "Plain.", "level": "extremely distinct"}', 4),
        ("Reason: Plain.\nLevel: somewhat distinct", 2),
        ("理由：Plain.\n程度：很鲜明", 3),
    ],
)
def test_levels_are_read_as_numbers_or_in_the_words_of_the_paper(text, level):
    assert read_level(text) == (level, "Plain.")


@pytest.mark.parametrize(
    "text",
    ['{"reason": "Plain.", "level": 5}', '{"level": 2}', '{"reason": "", "level": 2}', "Hm.", '{"reason": "Plain."}'],
)
def test_no_level_or_no_reason_is_an_error(text):
    with pytest.raises(ReplyError):
        read_level(text)
