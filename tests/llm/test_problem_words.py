"""What models are told of a reply that cannot be used: in words that never change, whatever people read.

A recorded reply to a question that was put once more belongs to the prompt that holds these words.
"""

import json
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from annotations.rubrics.rubric import load_rubric
from characterbox import reason_sentences
from characterbox.crafting.draft import scene_of
from characterbox.errors import ReplyError
from characterbox.judging.protocol import read_all_scores
from characterbox.llm.problem_words import TOLD, as_asked
from characterbox.llm.request import Request
from characterbox.pause_reasons import TEXTS

ROOT = Path(__file__).parents[2]
WHO = {"description": "A clerk.", "position": "at the door", "state": "tired"}
CAST = [{"name": "Ann", **WHO}, {"name": "Bob", **WHO}]
DRAFT = {
    "id": "made-1",
    "title": "The Watch",
    "work": "The Hotel",
    "language": "en",
    "origin": "generated",
    "environment": {"time": "Noon", "location": "Hall", "description": "A hall with a clock."},
    "cast": CAST,
}
NOT_A_TEXT = "has to be a text, not an object; write a text there"


def fault(changes):
    with pytest.raises(ReplyError) as caught:
        scene_of({**DRAFT, **changes}, "the reply")
    return caught.value


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"title": {}}, f"title: it {NOT_A_TEXT}"),
        ({"title": {}, "plot": {}}, f"title: it {NOT_A_TEXT} (to correct as well: plot)"),
        ({"title": ""}, "title: it is empty; write something there"),
        ({"cast": {}}, "cast: it has to be a list of characters, not an object; write a list of characters there"),
        (
            {"cast": [CAST[0], {"name": "ann!", **WHO}]},
            "cast: the names 'Ann' and 'ann!' are too alike to be told apart; rename one of them or give it a name",
        ),
        (
            {"cast": [{**CAST[0], "unseen_by": ["Cy"]}, CAST[1]]},
            "cast[0].unseen_by: 'Cy' is nobody else of the cast; name others of the cast",
        ),
        (
            {"cast": [{**CAST[0], "known_as": [{"name": "Bob"}]}, CAST[1]]},
            "cast[0].known_as[0].name: 'Bob' is the name of somebody else; write another one, or take it out",
        ),
    ],
)
def test_of_a_draft(changes, told):
    error = fault(changes)
    assert as_asked(error) == told
    again = Request("scene-1/1/screenwriter", "screenwriter", "en", ()).again(error)
    assert again.problem == told
    assert told in again.messages[-1].content


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (45, "KA: 45 lies outside the scale; give a whole number from 1 to 5"),
        (4.5, "KA: 4.5 is not a whole number; give a whole number from 1 to 5"),
        ("good", "KA: 'good' is not a number; give a whole number from 1 to 5"),
    ],
)
def test_of_scores(score, told):
    rubric = load_rubric("character")
    with pytest.raises(ReplyError) as caught:
        read_all_scores(json.dumps({**dict.fromkeys(rubric.keys, 3), "KA": score}), rubric, rubric.keys, "the work")
    assert as_asked(caught.value) == told


def test_each_reason_is_told_in_words_of_its_own_that_do_not_change():
    of_replies = list(TEXTS)[list(TEXTS).index("score_missing") :]
    assert set(of_replies) <= reason_sentences.TEXTS.keys()


def test_each_text_that_people_read_is_one_of_the_catalogue_with_the_same_places():
    with (ROOT / "annotations/i18n/locale/zh/LC_MESSAGES/characterbox.po").open("rb") as file:
        known = {message.id for message in read_po(file, locale="zh")}
    for read, told in TOLD.items():
        assert read in known, "where people read another text, models are still told the one of before"
        assert sorted(re.findall(r"\{[^}]*\}", read)) == sorted(re.findall(r"\{[^}]*\}", told))
