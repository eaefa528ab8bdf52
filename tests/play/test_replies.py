"""Replies in a form as models really give them: what can be read is read, what can't is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import read_prose
from characterbox.play.replies import (
    ActionReply,
    UpdatesReply,
    read_action,
    read_character_update,
    read_environment_belief,
    read_environment_update,
    read_influence,
    read_result,
    read_self_belief,
    read_updates,
)

NAMES = ("Harry Potter", "Ron Weasley", "Ginny Weasley", "Professor Minerva McGonagall", "孙悟空", "猪八戒")
THERE = ("Ron Weasley", "孙悟空")


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


@pytest.mark.parametrize(
    ("told", "seen_by"),
    [
        ("null", None), ('"null"', None), ('"n/a"', None), ('""', None),
        *((told, THERE) for told in ('"all"', '"Everyone present."', '["everyone else"]', '"所有人"', '"在场的人"')),
        ("[]", ()), ('"[]"', ()), ('"nobody"', ()), ('"No one."', ()), ('"无人"', ()), ('["nobody"]', ()),
        ('["Ron Weasley"]', ("Ron Weasley",)), ('["孙悟空", "Ron"]', ("Ron Weasley", "孙悟空")),
        ('"Ron Weasley, Ginny Weasley"', ("Ron Weasley", "Ginny Weasley")),
        ('"[孙悟空、猪八戒]"', ("孙悟空", "猪八戒")),
        ('["Ron Weasley", "ron weasley", "Harry Potter"]', ("Ron Weasley",)),
    ],
)  # fmt: skip
def test_who_perceives_it_is_a_list_of_others_in_cast_order_or_all_or_nobody(told, seen_by):
    for field in ("seen_by", "heard_by"):
        text = f'{{"affected": null, "effect": "Dust rises.", "{field}": {told}}}'
        reply = read_influence(text, actor="Harry Potter", names=NAMES, there=THERE)
        assert getattr(reply, field) == seen_by
    with_actor = result(f'{{"result": "Dust rises.", "seen_by": {told}}}', there=THERE).seen_by
    assert with_actor == seen_by or with_actor == ("Harry Potter", *(seen_by or ()))


@pytest.mark.parametrize(
    "told",
    [
        '"everyone except Ron"',
        '["all but Ginny"]',
        '"除孙悟空以外"',
        '["Draco"]',
        '["Ron Weasley", "the owl"]',
        '"Weasley"',
        "[3]",
        "true",
        '{"who": "Ron"}',
    ],
)
def test_who_perceives_it_is_somebody_of_the_cast_or_is_asked_for_and_then_left_out(told):
    text = f'{{"affected": "Ron", "effect": "He falls.", "importance": 3, "seen_by": {told}}}'
    with pytest.raises(ReplyError, match="seen_by"):
        read_influence(text, actor="Harry Potter", names=NAMES)
    last = read_influence(text, actor="Harry Potter", names=NAMES, last=True)
    assert (last.affected, last.effect, last.seen_by) == ("Ron Weasley", "He falls.", None)
    text = f'{{"result": "He falls.", "felt": "It hurts.", "seen_by": {told}}}'
    with pytest.raises(ReplyError, match="seen_by"):
        result(text)
    assert result(text, last=True).seen_by is None


@pytest.mark.parametrize(
    ("told", "recognised"),
    [
        ("null", {}), ("[]", {}), ('"None"', {}),
        ('[{"who": "Ron Weasley", "by": ["Harry Potter"]}]', {"Ron Weasley": ("Harry Potter",)}),
        ('[{"who": "ron", "by": ["Harry", "悟空"]}]', {"Ron Weasley": ("Harry Potter", "孙悟空")}),
        ('[{"who": "Ron", "by": ["Harry"]}, {"who": "Ron", "by": ["Ginny", "Harry"]}]',
         {"Ron Weasley": ("Harry Potter", "Ginny Weasley")}),
        ('{"who": "Ron Weasley", "by": ["Harry Potter"]}', {"Ron Weasley": ("Harry Potter",)}),
        ('[{"who": "Ron Weasley", "by": "Harry, Ginny"}]', {"Ron Weasley": ("Harry Potter", "Ginny Weasley")}),
        ('[{"who": "Ron", "by": ["Ron"]}]', {}), ('[{"who": "Ron", "by": []}]', {}),
        ('[{"who": "nobody", "by": []}]', {}),
        ('[{"who": "Ron", "by": "everyone"}]', {"Ron Weasley": tuple(name for name in NAMES if name != "Ron Weasley")}),
    ],
)  # fmt: skip
def test_who_is_recognised_is_told_once_with_those_who_recognise_it(told, recognised):
    reply = result(f'{{"result": "The hood falls.", "recognised": {told}}}')
    assert {one.who: one.by for one in reply.recognised} == recognised


def test_whom_nobody_knows_is_not_recognised():
    text = (
        '{"result": "It falls.", "recognised": [{"who": "Ron", "by": ["the owl", "Harry"]}, {"who": "Zoe", "by": []}]}'
    )
    with pytest.raises(ReplyError, match="recognised: 'the owl' is none of the characters Harry Potter"):
        result(text)
    [only] = result(text, last=True).recognised
    assert (only.who, only.by) == ("Ron Weasley", ("Harry Potter",))


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
    ("told", "hidden"),
    [
        ("null", None), ('"None"', None), ("[]", {}), ('[{"who": "Ron", "by": ["Harry", "悟空"]}]',
         {"Ron Weasley": ("Harry Potter", "孙悟空")}),
        ('[{"who": "nobody", "by": []}]', {}),
    ],
)  # fmt: skip
def test_nobody_is_hidden_is_another_thing_than_all_is_as_it_was(told, hidden):
    reply = updates(f'{{"state": "calm", "hidden": {told}}}')
    assert (reply.hidden if reply.hidden is None else {one.who: one.by for one in reply.hidden}) == hidden


@pytest.mark.parametrize(
    "told",
    [
        '[{"who": "Ron", "by": []}]',
        '[{"who": "the owl", "by": ["Ron"]}]',
        '[{"who": "Ron", "by": ["the owl", "Harry"]}]',
        '["Ron"]',
        '"Ron"',
    ],
)
def test_who_is_hidden_is_as_before_where_the_last_reply_too_names_somebody_unknown(told):
    text = f'{{"state": "calm", "hidden": {told}}}'
    with pytest.raises(ReplyError, match="hidden"):
        updates(text)
    last = updates(text, last=True)
    assert (last.state, last.hidden) == ("calm", None)


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
    reply = result(text)
    assert (reply.result, reply.importance) == expected


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
    readers = (read_character_update, read_environment_update, read_self_belief, read_prose)
    for read in (*readers, influence, result, action, updates):
        assert refused_reply(read, text) in (None, text)
