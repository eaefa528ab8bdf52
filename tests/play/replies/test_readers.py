"""Replies in a form as models really give them: what can be read is read, what can't is refused."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import read_prose
from characterbox.play.replies import forms
from characterbox.play.replies.form_reading import read_form
from characterbox.play.replies.forms import ActionReply, UpdatesReply
from characterbox.play.replies.readers import read_action, read_influence, read_result, read_updates

NAMES = ("Harry Potter", "Ron Weasley", "Ginny Weasley", "Professor Minerva McGonagall", "孙悟空", "猪八戒")


def result(text, **more):
    return read_result(text, names=NAMES, **more)


CALLED = {"Ron Weasley": "Ron Weasley", "the boy with the scar": "Harry Potter", "行者": "孙悟空"}
"""Whom Ginny perceives, by what she calls them."""


def action(text, **more):
    return read_action(text, speaker="Ginny Weasley", names=CALLED, **more)


def updates(text, **more):
    return read_updates(text, names=NAMES, **more)


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


WAVES = {"action": "Ginny Weasley waves.", "dialogue": "At 10:30, then: come."}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"action": "Ginny Weasley waves.", "dialogue": "At 10:30, then: come.", "to": null, "whispered": false, '
         '"unseen": false}', WAVES),
        ('{"action": "Ginny Weasley waves.", "dialogue": "At 10:30, then: come.", "to": "Ron", "whispered": true, '
         '"unseen": "yes"}', {**WAVES, "to": "Ron Weasley", "whispered": True, "unseen": True}),
        ('{"action": "Ginny Weasley waves.", "dialogue": null, "to": null}',
         {"action": "Ginny Weasley waves.", "dialogue": None}),
        ('{"action": "Ginny Weasley waves.", "dialogue": "At 10:30, then: come.", "to": "The boy with the scar."}',
         {**WAVES, "to": "Harry Potter"}),
        (
            '{"Action": "Ginny Weasley waves.", "Speech": "At 10:30, then: come.", "Addressee": "everyone present"}',
            WAVES,
        ),
        ('{"action": "Ginny Weasley waves.", "dialogue": "At 10:30, then: come.", "to": "nobody in particular", '
         '"whispered": null, "unseen": "n/a"}', WAVES),
        ("Action: Ginny Weasley waves.\nDialogue: At 10:30, then: come.", WAVES),
        ("**Action:** Ginny Weasley waves.\n**Dialogue:** At 10:30, then: come.\n**To:** Ron\n**Whispered:** yes\n"
         "**Unseen:** no", {**WAVES, "to": "Ron Weasley", "whispered": True}),
        ("行动：Ginny Weasley waves.\n台词：At 10:30, then: come.\n对谁：行者\n低声：是\n不被察觉：否",
         {**WAVES, "to": "孙悟空", "whispered": True}),
        ("【动作】Ginny Weasley waves.\n【对话】At 10:30, then: come.\n【对象】所有人", WAVES),
        ("Action: Ginny Weasley waves.", {"action": "Ginny Weasley waves."}),
        ("Ginny Weasley waves.", {"action": "Ginny Weasley waves."}),
        ("Ginny Weasley: **Ginny Weasley waves.**", {"action": "Ginny Weasley waves."}),
        ('Ginny Weasley waves. "Come," she says: now.', {"action": 'Ginny Weasley waves. "Come," she says: now.'}),
        ('<think>{"action": "No."}</think>{"action": "Ginny Weasley waves."}', {"action": "Ginny Weasley waves."}),
    ],
)  # fmt: skip
def test_actions_that_can_be_read(text, expected):
    told = action(text)
    assert told.model_dump() == ActionReply(**expected).model_dump()
    assert ("dialogue" in told.model_fields_set) == ("dialogue" in expected), "else the words are asked for"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no text"),
        ("None", "no text"),
        ("{}", "JSON|neither"),
        ('{"dialogue": "Come."}', "action: .*required"),
        ('{"action": null, "dialogue": "Come."}', "action: .*has no text"),
        ('{"action": "", "dialogue": "Come."}', "action: .*has no text"),
        ('{"action": "Waves.", "dialogue": "Co', "no whole dialogue"),
        ('{"action": ["Waves."], "dialogue": "Come."}', "action: .*string"),
        ('{"action": "Waves.", "whispered": "perhaps"}', "whispered: "),
        ('{"action": "Waves.", "unseen": ["no"]}', "unseen: "),
        ("Dialogue: Come.", "action: .*required"),
        ("**Dialogue:** Come.\n**To:** Ron", "action: .*required"),
        ("台词：来。\n对谁：行者", "action: .*required"),
        ("Action:\nDialogue:\nTo:", "neither a JSON object"),
        ("I'm sorry, but I can't assist with that request.", "refuses"),
        (
            '{"action": "Waves.", "to": "Harry Potter"}',
            "to: 'Harry Potter' is none of the characters Ron Weasley, the boy",
        ),
        ('{"action": "Waves.", "to": "Ginny Weasley"}', "to: 'Ginny Weasley' is none"),
        ('{"action": "Waves.", "to": "Ron and the boy"}', "to: "),
        ('{"action": "Waves.", "to": ["Ron Weasley", "the boy"]}', "to: .*string"),
        ('{"action": "Waves.", "to": "Ron", "whispered": true}', "no whole dialogue|dialogue: |dialogue"),
    ],
)  # fmt: skip
def test_actions_that_are_refused(text, problem):
    with pytest.raises(ReplyError, match=problem) as caught:
        action(text)
    assert caught.value.reply == text


def test_who_is_called_nobody_or_everybody_can_be_spoken_to():
    for name in ("Nobody", "Everybody"):
        text = f'{{"action": "Waves.", "dialogue": "Come.", "to": "{name}"}}'
        assert read_action(text, speaker="Ann", names={name: "Odysseus"}).to == "Odysseus"
        assert read_action(text, speaker="Ann", names={"Bob": "Bob"}).to is None


@pytest.mark.parametrize(
    "to", ['"Harry Potter"', '"Ginny Weasley"', '["Ron Weasley", "the boy"]', "3", '"Ron and the boy"']
)
def test_in_the_last_reply_words_for_whom_nobody_can_tell_are_for_all_but_no_whisper_is(to):
    text = f'{{"action": "Waves.", "dialogue": "Come.", "to": {to}, "whispered": true}}'
    with pytest.raises(ReplyError, match="to: "):
        action(text)
    told = action(text, last=True)
    assert (told.action, told.dialogue, told.to, told.whispered) == ("Waves.", "Come.", None, True)


@pytest.mark.parametrize(
    "text", ["", '{"dialogue": "Come."}', "Dialogue: Come.", '{"action": "Waves.", "dialogue": "Co']
)
def test_in_the_last_reply_too_an_action_has_to_be_told(text):
    with pytest.raises(ReplyError):
        action(text, last=True)


def test_of_updates_all_that_is_not_told_is_as_it_was():
    nothing = dict.fromkeys(UpdatesReply.model_fields)
    assert updates(json.dumps(nothing)) == UpdatesReply()
    assert updates('{"state": "null", "time": "N/A", "location": "", "concluded": null}') == UpdatesReply()
    told = updates('{"position": "By the door", "other_state": "Cold", "description": "Dark: very."}')
    assert told == UpdatesReply(position="By the door", other_state="Cold", description="Dark: very.")


@pytest.mark.parametrize(
    "text",
    [
        "Position: By the door\nState: Tired; calm\nVisible: tears\nOther position: On the stairs\nTime: 10:30\n"
        "Concluded: no\nHidden: none",
        "位置：By the door\n状态：Tired; calm\n外表：tears\n对方位置：On the stairs\n时间：10:30\n是否结束：否",
        '{"位置": "By the door", "状态": "Tired; calm", "可见": "tears", "对方位置": "On the stairs", "时间": "10:30"}',
    ],
)
def test_updates_in_other_shapes_are_read_as_well(text):
    assert updates(text) == UpdatesReply(
        position="By the door", state="Tired; calm", visible="tears", other_position="On the stairs", time="10:30"
    )


@pytest.mark.parametrize(("told", "visible"), [("null", None), ('""', ""), ('"nothing"', "nothing"), ('"none"', "")])
def test_what_shows_of_somebody_can_be_gone_or_as_it_was(told, visible):
    reply = updates(f'{{"visible": {told}, "other_visible": {told}}}')
    assert (reply.visible, reply.other_visible) == (visible, visible)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "neither a JSON object"), ("{}", "neither a JSON object"), ("All is as it was.", "neither a JSON object"),
        ('{"position": ["By the door"]}', "position: .*string"), ('{"concluded": "perhaps"}', "concluded: "),
        ('{"position": "By the door", "state": "Ti', "no whole "),
    ],
)  # fmt: skip
def test_updates_that_are_refused(text, problem):
    with pytest.raises(ReplyError, match=problem):
        updates(text)


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
    reply = result(text)
    assert (reply.result, reply.importance) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Importance: high", "result: the reply has an importance alone"),
        ("重要性：3", "result: the reply has an importance alone"),
        ("Felt: It hurts.", "result: Field required"),
        ('{"felt": "It hurts."}', "result: Field required"),
    ],
)
def test_a_reply_that_tells_all_but_the_result_is_told_what_is_missing(text, problem):
    with pytest.raises(ReplyError, match=problem):
        result(text)


@pytest.mark.parametrize(
    "text",
    ["", "None", "{}", '{"result": "They pa', '{"result": ""}', "<think>Hm.", '{"what": "They part."}', "Result:",
     "Result: They part.\nImportance: high", 'So: {"result": "They part.", "importance": "high"}'],
)  # fmt: skip
def test_results_that_are_refused(text):
    with pytest.raises(ReplyError):
        result(text)


@pytest.mark.parametrize("importance", ['"high"', "11", "0", "4.5", '"7 or 8"', "[7]"])
def test_an_importance_that_can_not_be_used_is_left_out_of_the_last_reply_alone(importance):
    text = f'{{"result": "They part.", "importance": {importance}}}'
    with pytest.raises(ReplyError, match="importance: "):
        result(text)
    reply = result(text, last=True)
    assert (reply.result, reply.importance) == ("They part.", None)
    text = f'{{"affected": "Ron", "effect": "He falls.", "importance": {importance}}}'
    reply = read_influence(text, actor="Harry Potter", names=NAMES, last=True)
    assert (reply.affected, reply.effect, reply.importance) == ("Ron Weasley", "He falls.", None)


@pytest.mark.parametrize("text", ['{"importance": 7}', '{"effect": "", "importance": "high"}', "Importance: high"])
def test_in_the_last_reply_too_all_else_is_needed(text):
    with pytest.raises(ReplyError):
        read_influence(text, actor="Harry Potter", names=NAMES, last=True)


def test_in_the_last_reply_too_an_importance_that_can_be_used_counts():
    assert result('{"result": "They part.", "importance": "7/10"}', last=True).importance == 7


@pytest.mark.parametrize("word", ["Nobody.", "no one", "没有", "无人"])
def test_a_word_for_nobody_is_neither_a_deed_nor_a_result(word):
    for read in (action, result):
        with pytest.raises(ReplyError, match="no text"):
            read(word)


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
    models = (forms.CharacterUpdateReply, forms.EnvironmentUpdateReply, forms.SelfBeliefReply)
    readers = [partial(read_form, model=model) for model in models]
    for read in (*readers, read_prose, influence, result, action, updates):
        assert refused_reply(read, text) in (None, text)
