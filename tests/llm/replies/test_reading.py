"""Prose as models really give it: what can be read is read, what can't is refused, and nothing is made up."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import is_nothing, plain, read_fields, read_prose, storable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He bows.", "He bows."),
        ("  He bows.\n", "He bows."),
        ('"He bows."', "He bows."),
        ("“He bows.”", "He bows."),
        ("*He bows.*", "He bows."),
        ("```\nHe bows.\n```", "He bows."),
        ("<thinking>How?</thinking>\nHe bows.", "He bows."),
        ("How should he greet?\n</think>\n\nHe bows.", "He bows."),
        ('{"action": "He bows."}', "He bows."),
        ("Harry: He bows.", "He bows."),
        ("**Harry**：He bows.", "He bows."),
        ("At 10:30 he bows: deeply.", "At 10:30 he bows: deeply."),
        ('"No," he says, "never."', '"No," he says, "never."'),
        ("Ron: He bows.", "Ron: He bows."),
        ('Ron: "Run."', 'Ron: "Run."'),
        ('{"name": "Harry", "action": "He bows."}', "He bows."),
        ('```json\n{"name": "Harry", "行动": "He bows."}\n```', "He bows."),
        ('{"text": "He bows.", "mood": 3}', "He bows."),
        ('{"deed": {"action": "He bows."}}', "He bows."),
        ('[{"action": "He bows."}]', "He bows."),
        ('Sure: {"action": "He bows."}', "He bows."),
        ('He types {"cmd": "ls"} and presses enter.', 'He types {"cmd": "ls"} and presses enter.'),
        ("{x} is what he writes.", "{x} is what he writes."),
        ("Action: He bows.", "He bows."),
        ("ACTION:He bows.", "He bows."),
        ("**Action:** He bows.", "He bows."),
        ("**Action**: He bows.", "He bows."),
        ("*Action: He bows.*", "He bows."),
        ("[Action]: [He bows.]", "He bows."),
        ("### Action:\nHe bows.", "He bows."),
        ("行动：He bows.", "He bows."),
        ("【行动】：He bows.", "He bows."),
        ("Action: Harry: He bows.", "He bows."),
        ("Harry: Action: He bows.", "He bows."),
        ("Harry:*bows* and leaves.", "*bows* and leaves."),
        ("Reaction: He bows.", "Reaction: He bows."),
        ("Action! He bows.", "Action! He bows."),
        ("In action: he bows.", "In action: he bows."),
        ("He bows. Action: none.", "He bows. Action: none."),
        ("Nobody.", "Nobody."),
        ("Harry: “No one.”", "No one."),
        ("没有。", "没有。"),
        ("没有人。", "没有人。"),
        ("无人", "无人"),
    ],
)
def test_prose_that_can_be_read(text, expected):
    assert read_prose(text, speaker="Harry", labels=("action", "行动")) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"action": ["Harry bows."]}',
        '{"name": "Harry", "action": ["Harry bows."]}',
        '{"action": "He bows.", "行动": "He sits."}',
        '{"what": "He bows.", "how": "Deeply."}',
        '{"action": "He bo',
        "{}",
        'Sure: {"action": "He bows."} And he goes.',
        '[{"action": "He bows."}, {"action": "He sits."}]',
    ],
)
def test_json_is_never_shown_as_prose(text):
    with pytest.raises(ReplyError, match="JSON") as caught:
        read_prose(text, speaker="Harry", labels=("action", "行动"))
    assert caught.value.reply == text


@pytest.mark.parametrize(
    "text",
    ["", "  \n", "None", '"none."', "无", "<think>He bows.", "<think>x</think>", "null", "Harry:", '{"action": ""}'],
)
def test_prose_that_is_refused(text):
    with pytest.raises(ReplyError, match="no text"):
        read_prose(text, speaker="Harry", labels=("action",))


@pytest.mark.parametrize("text", ["", "None", "[none]", "N/A", "nobody.", "无。", "（无）"])
def test_words_for_nothing(text):
    assert is_nothing(text)


CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@given(st.text(alphabet=st.characters(codec=None), max_size=20))
def test_what_is_made_storable_can_be_stored_and_stays_so(text):
    kept = storable(text)
    kept.encode()
    assert not CONTROLS.search(kept)
    assert storable(kept) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\0b\x06c\x1b[31md\x7fe\x9bf", "a\ufffdb\ufffdc\ufffd[31md\ufffde\ufffdf"),
        ("a\r\nb\rc\vd\fe\n\tf", "a\nb\nc\nd\ne\n\tf"),
        ("\ud83d and \ud83d\ude00", "\ufffd and \U0001f600"),
        ("naïve 孙悟空 \u2028", "naïve 孙悟空 \u2028"),
    ],
)
def test_what_can_not_be_stored_or_shown_is_replaced(text, kept):
    assert storable(text) == kept


@given(st.text(alphabet=st.characters(codec=None), max_size=20) | st.text(alphabet='&#x0189;\\u{}":,a\x06'))
def test_nothing_that_is_read_has_a_control_character(text):
    for read in (read_prose, lambda text: next(iter(read_fields(text, {"a": ()})[0].fields["a"]))):
        try:
            told = read(text)
        except ReplyError:
            continue
        assert not CONTROLS.search(str(told))


@pytest.mark.parametrize("control", ["\x06", "\\u0006", "\\ud83d", "\\u0000", "&#129;"])
def test_no_escape_brings_a_control_character_back(control):
    assert read_prose(f'{{"action": "He {control} bows."}}') == "He \ufffd bows."
    [way] = read_fields(f'{{"effect": "He {control} falls."}}', {"effect": ()})
    assert way.fields == {"effect": ["He \ufffd falls."]}


def test_plain_text_stays_as_it_is():
    assert plain("He bows at 10:30; she: laughs.") == "He bows at 10:30; she: laughs."
