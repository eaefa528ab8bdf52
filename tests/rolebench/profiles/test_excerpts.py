"""Rounds out of a passage: what stands there word for word is taken, all else is rejected with its reason."""

import json

import pytest

from characterbox.errors import ReplyError
from characterbox.rolebench.profiles.excerpts import read_excerpt

PASSAGE = """“Who goes there?” asked the guard,
who had slept.

“Only I,” said Anna, “and
nobody else. I can't sleep.”

‘Then pass,’ said the guard. ‘It’s late.’ Anna laughed. “I will!”"""
NAMES = ("Anna", "Miss Anna")


def reply(*rounds):
    told = [{"turns": [{"speaker": who, "text": text} for who, text in one]} for one in rounds]
    return json.dumps({"rounds": told}, ensure_ascii=False)


def read(*rounds):
    return read_excerpt(reply(*rounds), PASSAGE, NAMES)


def test_lines_are_taken_whatever_their_blanks_and_quotation_marks():
    found = read(
        [("The guard", '"Who goes there?"'), ("miss anna", "Only I, and nobody  else. I can’t sleep.")],
        [("The guard", "Then pass, It's late."), ("Anna", "I will!")],
    )
    assert found.rejected == ()
    told = [[(turn.speaker, turn.text) for turn in one.turns] for one in found.rounds]
    assert told == [
        [("The guard", "Who goes there?"), ("Anna", "Only I, and nobody  else. I can’t sleep.")],
        [("The guard", "Then pass, It's late."), ("Anna", "I will!")],
    ]


def test_chinese_lines_are_found_across_line_ends():
    passage = "悟空笑道：“师父，\n　　你莫要念经。”又道：“俺老孙来也！”"
    found = read_excerpt(reply([("悟空", "师父，你莫要念经。俺老孙来也！")]), passage, ("悟空",))
    assert [one.answer for one in found.rounds] == ["师父，你莫要念经。俺老孙来也！"]


@pytest.mark.parametrize(
    ("round", "reason"),
    [
        ([("The guard", "Who goes there?")], "another_speaker"),
        ([("The guard", "Who comes there?"), ("Anna", "I will!")], "not_in_passage"),
        ([("Anna", "I will not!")], "not_in_passage"),
        ([("Anna", "")], "unreadable"),
        ([("", "I will!")], "unreadable"),
        ([("Anna", "“”")], "unreadable"),
        ([("x" * 81, "Who goes there?"), ("Anna", "I will!")], "unreadable"),
        ([], "unreadable"),
        ([("Anna", "I will!")] * 13, "unreadable"),
    ],
)
def test_what_is_not_in_the_passage_or_no_round_is_rejected(round, reason):
    found = read(round)
    assert (found.rounds, [one.reason for one in found.rejected]) == ((), [reason])


def test_a_round_that_is_given_twice_counts_once():
    found = read([("Anna", "I will!")], [("The guard", "Who goes there?"), ("Anna", "I  will!")])
    assert (len(found.rounds), [one.reason for one in found.rejected]) == (1, ["repeated"])


def test_turns_in_no_form_are_rejected_and_shown():
    text = '{"rounds": [{"turns": "Anna: I will!"}, {"turns": [7, {"speaker": "Anna", "text": "I will!"}]}]}'
    found = read_excerpt(text, PASSAGE, NAMES)
    assert [one.reason for one in found.rejected] == ["unreadable", "unreadable"]
    assert "I will!" in found.rejected[0].text


def test_none_are_none_and_no_list_is_an_error():
    assert read() == ((), ())
    for text in ("She says nothing.", "{}", "I'm sorry, but I can't help with that."):
        with pytest.raises(ReplyError):
            read_excerpt(text, PASSAGE, NAMES)
