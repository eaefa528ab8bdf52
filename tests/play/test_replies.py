"""Replies in a form as models really give them: what can be read is read, what can't is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import read_prose
from characterbox.play.replies import (
    read_character_update,
    read_environment_belief,
    read_environment_update,
    read_influence,
    read_result,
    read_self_belief,
)

NAMES = ("Harry Potter", "Ron Weasley", "Ginny Weasley", "Professor Minerva McGonagall", "孙悟空", "猪八戒")


def influence(text):
    reply = read_influence(text, actor="Harry Potter", names=NAMES)
    return reply.affected, reply.effect, reply.importance


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"affected": "Ron Weasley", "effect": "He falls.", "importance": 7}', ("Ron Weasley", "He falls.", 7)),
        ('{"affected": "ron weasley ", "effect": "He falls."}', ("Ron Weasley", "He falls.", None)),
        ('{"affected": null, "effect": "The lamp goes out.", "importance": 1}', (None, "The lamp goes out.", 1)),
        ('{"affected": "None", "effect": "Nothing moves."}', (None, "Nothing moves.", None)),
        ('{"affected": "Harry Potter", "effect": "He hurts himself."}', (None, "He hurts himself.", None)),
        ('Sure!\n```json\n{"affected": "Ron", "effect": "He falls."}\n```\nDone.', ("Ron Weasley", "He falls.", None)),
        (
            '<think>{"affected": "Ginny"}</think>{"affected": "Ron", "effect": "Falls."}',
            ("Ron Weasley", "Falls.", None),
        ),
        ('Who? Perhaps {Ginny}.</think>\n{"affected": "Ron", "effect": "Falls."}', ("Ron Weasley", "Falls.", None)),
        ("[Harry Potter];; [Ron Weasley];; [He falls.]", ("Ron Weasley", "He falls.", None)),
        ("[harry potter] ;;[ RON  weasley ];;[He falls.]", ("Ron Weasley", "He falls.", None)),
        ("【Harry Potter】；；【Ron Weasley】；；【He falls.】", ("Ron Weasley", "He falls.", None)),
        ("Harry Potter;; None;; Nothing moves.", (None, "Nothing moves.", None)),
        ("[Harry Potter];; [Harry Potter];; [He hurts himself.]", (None, "He hurts himself.", None)),
        ("[Harry];; [Prof. McGonagall];; [Her hat slips.]", (NAMES[3], "Her hat slips.", None)),
        (
            "[Harry];; [Ron];; [At 10:30 the clock: it strikes.]",
            ("Ron Weasley", "At 10:30 the clock: it strikes.", None),
        ),
        ("[唐僧]；；[孙悟空]；；[十点半：他跌倒了。]", ("孙悟空", "十点半：他跌倒了。", None)),
        (
            "**Target**: Ron Weasley\n**Effect**: At 10:30 he falls.\nImportance: 8/10",
            ("Ron Weasley", "At 10:30 he falls.", 8),
        ),
        ("目标：悟空\n影响：他跌倒了。\n重要性：7分", ("孙悟空", "他跌倒了。", 7)),
        ("1. Target: Ron\n2. Effect: He falls.", ("Ron Weasley", "He falls.", None)),
        ('{"influence": {"affected": "Ron", "effect": "He falls."}}', ("Ron Weasley", "He falls.", None)),
        ('{"affected": "nobody in particular", "effect": "Nothing."}', (None, "Nothing.", None)),
        ('{"affected": "Nobody (Ron is untouched)", "effect": "Nothing."}', (None, "Nothing.", None)),
        ('{"affected": "None of them", "effect": "Nothing."}', (None, "Nothing.", None)),
        ('{"affected": "no one else", "effect": "Nothing."}', (None, "Nothing.", None)),
        ('{"affected": "没有人受到影响", "effect": "无事。"}', (None, "无事。", None)),
    ],
)
def test_influences_that_can_be_read(text, expected):
    assert influence(text) == expected


@pytest.mark.parametrize("name", ["Nobody", "None", "No One", "N/A", "无人", "没有人", "没有"])
def test_a_character_called_nobody_is_affected_where_it_is_named(name):
    names = ("Ann", name)
    for text in (
        json.dumps({"affected": name, "effect": "Falls."}, ensure_ascii=False),
        json.dumps({"affected": f"{name} (asleep)", "effect": "Falls."}, ensure_ascii=False),
        f"[Ann];; [{name}];; [Falls.]",
        f"Target: {name}\nEffect: Falls.",
    ):
        assert read_influence(text, actor="Ann", names=names).affected == name, text
    nobody = '{"affected": null, "effect": "Nothing."}'
    assert read_influence(nobody, actor="Ann", names=names).affected is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "neither a JSON object nor text"),
        ("None", "neither a JSON object nor text"),
        ("Harry bows and Ron laughs.", "neither a JSON object nor text"),
        ('{"affected": "Ron Weasley", "effect": "He fa', "cut off: it has no whole effect"),
        ('{\n "affected": "Ron Weasley",\n "effect": "He fa', "cut off: it has no whole effect"),
        ('{"affected": "Ron Weasley", "effect": ""}', "effect: .*has no text"),
        ('{"affected": "Ron Weasley", "effect": null}', "effect: .*has no text"),
        ('{"affected": "Ron Weasley"}', "effect: .*required"),
        ('{"effect": "He falls."}', "affected: .*required"),
        ('{"affected": ["Ron Weasley"], "effect": "He falls."}', "affected: .*string"),
        ('{"affected": "Draco Malfoy", "effect": "He falls."}', "'Draco Malfoy' is none of the characters Ron"),
        ('{"affected": "Weasley", "effect": "Somebody falls."}', "'Weasley' is none of the characters"),
        ('{"affected": "Molly Weasley", "effect": "She falls."}', "'Molly Weasley' is none of the characters"),
        ('{"affected": "Ron", "effect": "He falls.", "importance": 11}', "importance: "),
        ('{"affected": "Ron", "effect": "He falls.", "importance": 4.5}', "importance: "),
        ('{"affected": "Ron", "effect": "He falls.", "importance": "high"}', "importance: "),
        ('{"affected": "Nobody but Ron", "effect": "He falls."}', "'Nobody but Ron' is none of the characters"),
        (
            f'{{"affected": "Ron", "effect": "He falls.", "importance": 1{"0" * 5000}}}',
            "neither a JSON object nor text",
        ),
        ("[Harry];; [Ron]", "neither a JSON object nor text"),
        ("[Harry];; [];; [He falls.]", "neither a JSON object nor text"),
        ("<think>I should say Ron.", "neither a JSON object nor text"),
    ],
)
def test_influences_that_are_refused(text, problem):
    with pytest.raises(ReplyError, match=problem) as caught:
        influence(text)
    assert caught.value.reply == text


DOOR = ("By the door", "Angry; at 10:30: tired")


@pytest.mark.parametrize(
    "text",
    [
        '{"position": "By the door", "state": "Angry; at 10:30: tired"}',
        '{"Position": "By the door", "State": "Angry; at 10:30: tired", "note": "x"}',
        '```\n{"position": " By the door ", "state": "Angry; at 10:30: tired"}\n```',
        "Position: By the door\nState: Angry; at 10:30: tired",
        "Position: By the door; State: Angry; at 10:30: tired",
        "POSITION : [By the door]\nstate: [Angry; at 10:30: tired]",
        "**Position:** By the door\n**State:** Angry; at 10:30: tired",
        "- Position： By the door\n- State： Angry; at 10:30: tired",
        "位置：By the door\n状态：Angry; at 10:30: tired",
        "【位置】：By the door；【状态】：Angry; at 10:30: tired",
        '{"位置": "By the door", "状态": "Angry; at 10:30: tired"}',
        "Here is the update:\nPosition: By the door\nState: Angry; at 10:30: tired",
    ],
)
def test_character_updates_that_can_be_read(text):
    reply = read_character_update(text)
    assert (reply.position, reply.state) == DOOR


@pytest.mark.parametrize(
    "text",
    ["", "None", "{}", "He stays where he is.", "Position: By the door", "Position: None\nState: calm",
     '{"position": "By the door", "state": "无"}', '{"position": "By the door", "state": {"mood": "calm"}}',
     '{"position": "By the door", "sta', "[]", "Position:\nState:"],
)  # fmt: skip
def test_character_updates_that_are_refused(text):
    with pytest.raises(ReplyError):
        read_character_update(text)


@pytest.mark.parametrize(
    ("text", "concluded"),
    [
        ('{"time": "10:30", "location": "Hall", "description": "Dark: very.", "concluded": true}', True),
        ('{"time": "10:30", "location": "Hall", "description": "Dark: very."}', False),
        ("Time: 10:30\nLocation: Hall\nDescription: Dark: very.\nConcluded: No.", False),
        ("Time: 10:30\nPlace: Hall\nDescription: Dark: very.\nStory concluded: yes", True),
        ("时间：10:30\n地点：Hall\n描述：Dark: very.\n是否结束：否", False),
        ("时间：10:30\n地点：Hall\n描述：Dark: very.\n是否结束：是。", True),
    ],
)
def test_environment_updates_that_can_be_read(text, concluded):
    reply = read_environment_update(text)
    assert (reply.time, reply.location, reply.description) == ("10:30", "Hall", "Dark: very.")
    assert reply.concluded is concluded


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (
            "Time: 9:00\nLocation: Hall\nDescription: Dark. A clock on the wall. Time: it shows 10:30.",
            "Dark. A clock on the wall. Time: it shows 10:30.",
        ),
        ("Location: Hall\nDescription: Dark. Time: it flies.\nTime: 9:00", "Dark. Time: it flies."),
        ("Time: 9:00; Location: Hall; Description: Dark.\nTime: it flies.", "Dark.\nTime: it flies."),
        ("时间：9:00\n地点：Hall\n描述：暗。时间：停了。", "暗。时间：停了。"),
    ],
)
def test_a_label_that_comes_again_belongs_to_the_text_it_stands_in(text, description):
    reply = read_environment_update(text)
    assert (reply.time, reply.location, reply.description) == ("9:00", "Hall", description)


@pytest.mark.parametrize(
    "text",
    ["", "It is late.", "Time: 10:30\nLocation: Hall",
     '{"time": "10:30", "location": "Hall", "description": "Dark.", "concluded": "perhaps"}',
     '{"time": "10:30", "location": "Hall", "description": "Dark.", "concluded": [1]}'],
)  # fmt: skip
def test_environment_updates_that_are_refused(text):
    with pytest.raises(ReplyError):
        read_environment_update(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"result": "They part.", "importance": 3}', ("They part.", 3)),
        ("Result: At 10:30 they part.\nImportance: 3", ("At 10:30 they part.", 3)),
        ("结果：他们分开了。", ("他们分开了。", None)),
        ("At 10:30 they part.", ("At 10:30 they part.", None)),
        ('"They part."', ("They part.", None)),
        ("She draws {x | x > 3} on the wall.", ("She draws {x | x > 3} on the wall.", None)),
        ('Neo types {"cmd": "ls"} and waits.', ('Neo types {"cmd": "ls"} and waits.', None)),
        ('Of course: {"result": "They part.", "importance": 3}', ("They part.", 3)),
    ],
)
def test_results_that_can_be_read(text, expected):
    reply = read_result(text)
    assert (reply.result, reply.importance) == expected


@pytest.mark.parametrize(
    "text",
    ["", "None", "{}", '{"result": "They pa', '{"result": ""}', "<think>Hm.", '{"what": "They part."}', "Result:",
     "Result: They part.\nImportance: high", 'So: {"result": "They part.", "importance": "high"}'],
)  # fmt: skip
def test_results_that_are_refused(text):
    with pytest.raises(ReplyError):
        read_result(text)


@pytest.mark.parametrize("importance", ['"high"', "11", "0", "4.5", '"7 or 8"', "[7]"])
def test_an_importance_that_can_not_be_used_is_left_out_of_the_last_reply_alone(importance):
    text = f'{{"result": "They part.", "importance": {importance}}}'
    with pytest.raises(ReplyError, match="importance: "):
        read_result(text)
    assert read_result(text, last=True).model_dump() == {"result": "They part.", "importance": None}
    text = f'{{"affected": "Ron", "effect": "He falls.", "importance": {importance}}}'
    reply = read_influence(text, actor="Harry Potter", names=NAMES, last=True)
    assert (reply.affected, reply.effect, reply.importance) == ("Ron Weasley", "He falls.", None)


@pytest.mark.parametrize("text", ['{"importance": 7}', '{"effect": "", "importance": "high"}', "Importance: high"])
def test_in_the_last_reply_too_all_else_is_needed(text):
    with pytest.raises(ReplyError):
        read_influence(text, actor="Harry Potter", names=NAMES, last=True)


def test_in_the_last_reply_too_an_importance_that_can_be_used_counts():
    assert read_result('{"result": "They part.", "importance": "7/10"}', last=True).importance == 7


@pytest.mark.parametrize(
    "text",
    [
        '{"belief": "I am late.", "desire": "To sleep.", "intention": "I go."}',
        "Belief: I am late.\nDesire: To sleep.\nIntention: I go.",
        "**Beliefs**: I am late. **Desires**: To sleep. **Intentions**: I go.",
        "信念：I am late.\n欲望：To sleep.\n意图：I go.",
    ],
)
def test_self_beliefs_that_can_be_read(text):
    reply = read_self_belief(text)
    assert (reply.belief, reply.desire, reply.intention) == ("I am late.", "To sleep.", "I go.")


@pytest.mark.parametrize(
    "text",
    [
        '{"others": "They hide.", "scene": "A trap.", "bearing": "I wait."}',
        "Perception of Others: They hide.\nUnderstanding of the Scene: A trap.\nInfluence on Behavior: I wait.",
        "对他人的感知：They hide.\n对场景的理解：A trap.\n对行为的影响：I wait.",
    ],
)
def test_environment_beliefs_that_can_be_read(text):
    reply = read_environment_belief(text)
    assert (reply.others, reply.scene, reply.bearing) == ("They hide.", "A trap.", "I wait.")


@pytest.mark.parametrize("read", [read_self_belief, read_environment_belief])
@pytest.mark.parametrize("text", ["", "None", "I feel fine.", '{"belief": "I am', '{"others": "a", "scene": "b"}'])
def test_beliefs_that_are_refused(read, text):
    with pytest.raises(ReplyError):
        read(text)


ANYTHING = st.text() | st.text(alphabet='{}[]":;；：,*<>/think affectedpositionstate\n')


def refused_reply(read, text):
    """The reply that an error of reading holds; None when the text can be read."""
    try:
        read(text)
    except ReplyError as error:
        return error.reply
    return None


@given(ANYTHING)
def test_no_text_whatever_makes_reading_fail_in_another_way(text):
    for read in (read_character_update, read_environment_update, read_result, read_self_belief, read_prose, influence):
        assert refused_reply(read, text) in (None, text)
