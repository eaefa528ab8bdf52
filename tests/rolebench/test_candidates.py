"""Candidates are read from JSON and from labelled text; what can't be read is told, and never made up."""

import json

import pytest

from characterbox.errors import ReplyError
from characterbox.rolebench.candidates import read_triplets
from tests.fakes.instructing_model import triplet, triplets


def test_each_triplet_of_a_reply_is_read():
    found = read_triplets(triplets(triplet("Who are you?"), triplet("And now?", "low")))
    assert [(one.question, one.confidence, one.answer) for one in found.triplets] == [
        ("Who are you?", "high", "So it was."),
        ("And now?", "low", "So it was."),
    ]
    assert found.unreadable == ()


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([triplet("Who are you?")]),
        json.dumps(triplet("Who are you?")),
        f"Here they are:\n```json\n{triplets(triplet('Who are you?'))}\n```\nDone.",
        "Question 1: Who are you?\nFactualness: High, because it says all.\nResponse: So it was.",
        "**Question 1:** Who are you?\n**Completeness:** high (it says all)\n**Answer:** So it was.",
    ],
)
def test_other_forms_are_read_as_well(text):
    [one] = read_triplets(text).triplets
    assert (one.question, one.confidence, one.answer) == ("Who are you?", "high", "So it was.")
    assert "says all" in one.rationale


def test_chinese_labels_are_read():
    text = "问题1：你是谁？\n完整性：高（问得明白）\n回复：我是渡船人。\n"
    text += "问题2：他呢？\n完整性：低（不知是谁）\n回复：不知。"
    one, two = read_triplets(text).triplets
    assert (one.question, one.confidence, one.rationale, one.answer) == (
        "你是谁？",
        "high",
        "问得明白",
        "我是渡船人。",
    )
    assert two.confidence == "low"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"answer": ""}, "answer is missing"),
        ({"rationale": " "}, "rationale is missing"),
        ({"confidence": "middling"}, "it has to be high or low"),
        ({"confidence": 5}, "confidence is missing"),
        ({"answer": None}, "answer is missing"),
    ],
)
def test_one_that_lacks_something_is_told_and_the_others_are_kept(wrong, why):
    found = read_triplets(triplets(triplet("Who are you?"), {**triplet("What now?"), **wrong}))
    assert [one.question for one in found.triplets] == ["Who are you?"]
    [unread] = found.unreadable
    assert why in str(unread.why)
    assert "What now?" in unread.text
    with pytest.raises(ReplyError, match=why.split()[0]):
        read_triplets(triplets({**triplet("What now?"), **wrong}))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I'm sorry, but I can't assist with that request.", "refuses"),
        ("Three fine questions come to mind.", "no question"),
        ("{}", "no question"),
        ("", "no question"),
    ],
)
def test_a_reply_without_any_is_refused(text, why):
    with pytest.raises(ReplyError, match=why):
        read_triplets(text)


def test_of_a_reply_that_breaks_off_the_whole_ones_are_kept():
    whole = triplets(triplet("Who are you?"), triplet("What now?"))
    found = read_triplets(whole[: whole.index("What now?") + 9])
    assert [one.question for one in found.triplets] == ["Who are you?"]
