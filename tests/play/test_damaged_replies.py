"""Damaged replies to every task of a story: what a careful reader would make of them, and nothing else."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import pytest

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import read_prose
from characterbox.play.replies import forms, readers
from characterbox.play.replies.form_reading import read_form
from tests.fakes.cases import case
from tests.play.damaged import CONTROLS, PROSE_READ, PROSE_REFUSED, READ, REFUSED, TEXT, Whole, in_prose

NAMES = ("Hermione Granger", "Ron Weasley", "Ginny Weasley", "孙悟空", "唐僧")
OTHERS = {name: name for name in NAMES[1:]}
read_action = partial(readers.read_action, speaker=NAMES[0], names=OTHERS)
read_influence = partial(readers.read_influence, actor=NAMES[0], names=NAMES)
read_result = partial(readers.read_result, names=NAMES)
read_updates = partial(readers.read_updates, names=NAMES)
read_character_update = partial(read_form, model=forms.CharacterUpdateReply)
read_environment_update = partial(read_form, model=forms.EnvironmentUpdateReply)


@dataclass(frozen=True)
class Task:
    """A structured task: how its replies are read, and a well-formed one."""

    name: str
    read: Callable[[str], Any]
    fields: Mapping[str, Any]
    chinese: tuple[str, ...]

    @property
    def prose(self) -> str | None:
        """The field that plain prose is taken for, if any is."""
        return next((field for field in ("result", "action") if field in self.fields), None)

    @property
    def whole(self) -> Whole:
        return Whole(self.fields, dict(zip(self.fields, self.chinese, strict=True)))


DOOR, TIRED = "At 10:30: by the door (Ron's), half in; half out", "Tired, but: awake"
SAID = "Now (at once): half in, or half out?"
TASKS = [
    Task("action", read_action,
         {"action": DOOR, "dialogue": SAID, "to": "Ron Weasley", "whispered": True, "unseen": False},
         ("行动", "台词", "对谁", "是否低声", "是否隐蔽")),
    Task("行动", read_action,
         {"action": "赫敏推门：一半在内。", "dialogue": "十点半了：走吧。", "to": "孙悟空",
          "whispered": False, "unseen": True},
         ("动作", "对话", "对象", "低声", "不被察觉")),
    Task("updates", read_updates,
         {"position": DOOR, "state": TIRED, "visible": "tears: two", "other_position": "Upstairs; alone",
          "other_state": "Cold: very", "other_visible": "a cut", "time": "10:30", "location": "The hall: upstairs",
          "description": "It is dark, and: damp", "concluded": True, "hidden": None},
         ("位置", "状态", "外表", "对方位置", "对方状态", "对方外表", "时间", "地点", "描述", "是否结束", "不被察觉")),
    Task("influence", read_influence, {"affected": "Ron Weasley", "effect": DOOR, "importance": 7,
          "seen_by": ["Ron Weasley", "孙悟空"], "heard_by": ["唐僧"]},
         ("受影响者", "影响", "重要性", "谁看见", "谁听见")),
    Task("influence on nobody", read_influence,
         {"affected": None, "effect": "十点半：灯灭了。", "importance": 1, "seen_by": None, "heard_by": None},
         ("目标", "具体影响", "重要程度", "看见者", "听见者")),
    Task("result", read_result,
         {"result": DOOR, "felt": TIRED, "importance": 10, "seen_by": ["孙悟空"], "recognised": None},
         ("结果", "感受", "重要性", "谁看见", "被认出")),
    Task("character update", read_character_update, {"position": DOOR, "state": TIRED}, ("位置", "状态")),
    Task("角色更新", read_character_update, {"position": "门边，离他三步", "state": "累了；但是：清醒"},
         ("所在位置", "状态")),
    Task("environment update", read_environment_update,
         {"time": "10:30", "location": "The hall: upstairs", "description": DOOR, "concluded": True},
         ("时间", "地点", "场景描述", "是否结束")),
    Task("self-belief", partial(read_form, model=forms.SelfBeliefReply),
         {"belief": "I am late: it is 10:30.", "desire": "To sleep", "intention": "I go; now."},
         ("信念", "愿望", "意图")),
    Task("environment-belief", partial(read_form, model=forms.EnvironmentBeliefReply),
         {"others": "They hide: all.", "scene": "A trap", "bearing": "I wait, as I did at 10:30."},
         ("对他人的看法", "对场景的理解", "对行为的影响")),
]  # fmt: skip
RESULT = [task for task in TASKS if task.name == "result"]
BULKY = [damage for damage in (*READ, *REFUSED) if "more than is read" in damage.name]
PLAIN = ("more than is read of prose", "more than is read of list marks")
"""What stays a text, and may therefore be a result, or an action."""


def test_the_table_is_as_long_as_it_says():
    rows = [*READ, *REFUSED]
    assert len({row.name for row in rows}) == len(rows) > 100
    assert len(PROSE_READ) + len(PROSE_REFUSED) > 60


def told(reply):
    """What a reply tells: without what nobody reads, and without flags that are not set."""
    return {field: value for field, value in reply.model_dump().items() if value not in (None, False, ())}


def set_in(fields):
    """What well-formed fields tell, in the same way."""
    texts = {field: tuple(value) if isinstance(value, list) else value for field, value in fields.items()}
    return {field: value for field, value in texts.items() if value not in (None, False)}


def check_read(task, damage):
    assert told(task.read(damage.of(task.whole))) == set_in(task.fields)


def check_refused(task, damage):
    text = damage.of(task.whole)
    if task.prose and damage.name in PLAIN:
        assert told(task.read(text)) == {task.prose: text.strip()}
        return
    if task.name == "updates" and damage.name == "ellipses for values":
        assert not any(told(task.read(text)).values()), "where and how all is, is as it was"
        return
    with pytest.raises(ReplyError, match=damage.problem) as caught:
        task.read(text)
    assert caught.value.reply == text


def test_what_a_careful_reader_can_read_is_read():
    for task, damage in product(TASKS, READ):
        if damage not in BULKY:
            with case(task.name, damage.name):
                check_read(task, damage)


@pytest.mark.slow
def test_what_would_be_a_guess_is_refused_with_the_reason():
    for task, damage in product(TASKS, REFUSED):
        if damage not in BULKY:
            with case(task.name, damage.name):
                check_refused(task, damage)


@pytest.mark.parametrize("tasks", [RESULT, pytest.param(TASKS, marks=pytest.mark.soak)], ids=["result", "all"])
def test_what_is_very_long_is_read_or_refused_in_the_same_way(tasks):
    for task, damage in product(tasks, BULKY):
        with case(task.name, damage.name):
            (check_read if damage.problem is None else check_refused)(task, damage)


def check_control(task, control, raw):
    def each_text(behind):
        return {key: value + behind if isinstance(value, str) else value for key, value in task.fields.items()}

    text = json.dumps(each_text(CONTROLS[control]))
    if raw:
        text = re.sub(r"\\u00(..)", lambda escape: chr(int(escape[1], 16)), text)
    shown = each_text("\ufffd" * len(CONTROLS[control]))
    names = {key: value for key, value in set_in(task.fields).items() if key in ("affected", "to")}
    assert told(task.read(text)) == set_in({**shown, **names})


def test_control_characters_in_a_text_can_be_read_and_are_not_told():
    for task, control, raw in product(TASKS, CONTROLS, (True, False)):
        with case(task.name, control, "raw" if raw else "escaped"):
            check_control(task, control, raw)


PROSE_TASKS = [("action", "行动"), ("dialogue", "台词"), ("reaction", "反应")]


def read_text(text, title):
    return read_prose(text, speaker="Ann", labels=readers.PROSE_LABELS[title])


@pytest.mark.parametrize(("title", "label"), PROSE_TASKS)
def test_the_text_that_a_careful_reader_sees_is_read(title, label):
    for damage, form in PROSE_READ.items():
        with case(damage):
            assert read_text(in_prose(form, title, label), title) == TEXT


@pytest.mark.parametrize(("title", "label"), PROSE_TASKS)
def test_what_is_no_text_is_refused(title, label):
    for damage, form in PROSE_REFUSED.items():
        text = in_prose(form, title, label)
        with case(damage):
            with pytest.raises(ReplyError, match=r"no text|refuses|JSON") as caught:
                read_text(text, title)
            assert caught.value.reply == text


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, Dave. I'm afraid I can't do that.",
        "Sorry, I can't help you with that, sir; the hotel is full.",
        "I'm sorry, my lord, but I cannot grant your request.",
        "Unfortunately, the king denies this request.",
        "As an AI, I feel nothing, Captain.",
        "对不起，我不能帮你。",
        "对不起，我不能答应你的请求。",
        "作为人工智能，我没有感觉，舰长。",
        "作为队长，我不能后退。",
        "He writes {x: 1} on the wall, and 2 < 3 below it.",
        "R&D is closed; AT&T too.",
        "Here is what she says:\nNo.",
        "<bows> at 10:30",
        "[Ron] bows to [Ann]",
        "She sends him a message: None: he thinks.",
    ],
)
def test_what_only_looks_damaged_stays_as_it_is(text):
    for title, _ in PROSE_TASKS:
        with case(title):
            assert read_text(text, title) == text


@pytest.mark.parametrize(
    ("named", "affected"),
    [
        ("Ron Weasley", "Ron Weasley"),
        ("RON WEASLEY", "Ron Weasley"),
        ("  ron   weasley ", "Ron Weasley"),
        ("Ｒｏｎ　Ｗｅａｓｌｅｙ", "Ron Weasley"),
        ("Ron_Weasley", "Ron Weasley"),
        ("[Ron Weasley]", "Ron Weasley"),
        ("**Ron Weasley**", "Ron Weasley"),
        ("'Ron Weasley'.", "Ron Weasley"),
        ("Mr. Ron Weasley", "Ron Weasley"),
        ("Ron", "Ron Weasley"),
        ("Weasley, Ron", "Ron Weasley"),
        ("Ron Weasley (Hermione's friend)", "Ron Weasley"),
        ("Ron Weasley - the youngest son", "Ron Weasley"),
        ("孙悟空。", "孙悟空"),
        ("【孙悟空】", "孙悟空"),
        ("大圣孙悟空", "孙悟空"),
        ("孙悟空（齐天大圣）", "孙悟空"),
        ("Hermione Granger", None),
        ("Hermione", None),
        ("Nobody", None),
        ("none.", None),
        ("N/A", None),
        ("-", None),
        ("", None),
        ("无", None),
        ("没有人", None),
    ],
)
def test_a_name_that_can_only_be_one_is_understood(named, affected):
    form = Whole({"affected": named, "effect": DOOR, "importance": 3}, {})
    assert read_influence(form.json).affected == affected


@pytest.mark.parametrize(
    "named",
    ["Weasley", "Molly Weasley", "Draco", "Ron and Ginny", "Ron Weasley, Ginny Weasley", "Ron's owl", "Ron/Ginny",
     "both", "everyone", "himself", "the guards", "孙悟空和唐僧", "孙悟空的棒子", "悟空、唐僧",
     "Nobody but Ron", "?", "3"],
)  # fmt: skip
def test_a_name_that_could_be_several_or_is_nobodys_is_refused(named):
    with pytest.raises(ReplyError, match="is none of the characters"):
        read_influence(Whole({"affected": named, "effect": DOOR}, {}).json)


@pytest.mark.parametrize("named", [["Ron"], {"name": "Ron"}, 3, True])
def test_a_name_is_a_text(named):
    with pytest.raises(ReplyError, match=r"affected: .*string"):
        read_influence(Whole({"affected": named, "effect": DOOR}, {}).json)


NUMBERS = [(7, 7), ("7", 7), (7.0, 7), ("7.0", 7), ("７", 7), ("7/10", 7), ("7 / 10", 7), ("7 out of 10", 7),
           ("7分", 7), ("7.", 7), ("**7**", 7), ("[7]", 7), ("seven", 7), ("Seven.", 7), ("七", 7), ("十分", 10),
           ("7 (high)", 7), ("7 - it matters", 7), ("7，很重要", 7), (None, None)]  # fmt: skip
NO_NUMBERS = [0, 11, -1, 4.5, "4.5", 1e300, True, False, "high", "7 or 8", "7-8", "7 - or eight",
              "7 thousand", "7 is too high",
              "7/5", "70%", "7th", "not 7", "", [7], {"value": 7}, "1" + "0" * 5000, "NaN"]  # fmt: skip


@pytest.mark.parametrize(("given", "importance"), NUMBERS)
def test_an_importance_is_the_number_that_is_told(given, importance):
    assert read_result(Whole({"result": DOOR, "importance": given}, {}).json).importance == importance
    assert (
        read_influence(Whole({"affected": "Ron", "effect": DOOR, "importance": given}, {}).json).importance
        == importance
    )


@pytest.mark.parametrize("given", NO_NUMBERS)
def test_what_is_no_number_on_the_scale_is_no_importance(given):
    with pytest.raises(ReplyError, match="importance: "):
        read_result(Whole({"result": DOOR, "importance": given}, {}).json)
    with pytest.raises(ReplyError, match="importance: "):
        read_influence(Whole({"affected": "Ron", "effect": DOOR, "importance": given}, {}).json)


@pytest.mark.parametrize(
    ("given", "concluded"),
    [(True, True), ("true", True), ("Yes.", True), ("是", True), (1, True), ("已结束", True),
     (False, False), ("FALSE", False), ("no", False), ("否。", False), (0, False), ("未结束", False)],
)  # fmt: skip
def test_a_story_has_come_to_its_end_when_that_is_told(given, concluded):
    text = Whole({"time": "Noon", "location": "Hall", "description": "Dark", "concluded": given}, {}).json
    assert read_environment_update(text).concluded is concluded


@pytest.mark.parametrize("given", ["perhaps", "not yet", 2, 0.5, None, [], "", "true or false"])
def test_whether_a_story_has_come_to_its_end_is_not_guessed(given):
    text = Whole({"time": "Noon", "location": "Hall", "description": "Dark", "concluded": given}, {}).json
    with pytest.raises(ReplyError, match="concluded: "):
        read_environment_update(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"position": "By the door", "state": "Tir', "no whole state"),
        ('{"position": "By the door", "state": ', "no whole state"),
        ('{"position": "By the door",', "no whole state"),
        ('{"position": "By the door", "sta', "no whole state"),
        ('{"position": "He says "no", "state": "Tir', "no whole state"),
        ("Position: By the door\nState:", "state: "),
    ],
)
def test_a_text_that_is_cut_off_is_no_text(text, problem):
    with pytest.raises(ReplyError, match=problem):
        read_character_update(text)


def test_without_the_last_brace_alone_nothing_is_lost_but_a_number_that_may_go_on():
    assert read_character_update('{"position": "By the door", "state": "Tired"').state == "Tired"
    cut = '{"result": "They part.", "importance": 1'
    with pytest.raises(ReplyError, match=r"no whole .*importance"):
        read_result(cut)
    assert told(read_result(cut, last=True)) == {"result": "They part."}
    with pytest.raises(ReplyError, match="no whole concluded"):
        read_environment_update('{"time": "Noon", "location": "Hall", "description": "Dark"')


@pytest.mark.parametrize(
    "text",
    [
        '{"position": "By the "door", at 10:30", "state": "He says "no", and leaves"}',
        "{'position': 'By the \"door\", at 10:30', 'state': 'He says \"no\", and leaves'}",
        '{"position": "By the \\"door\\", at 10:30", "state": "He says \\"no\\", and leaves"}',
    ],
)
def test_quotes_inside_a_text_belong_to_it(text):
    reply = read_character_update(text)
    assert (reply.position, reply.state) == ('By the "door", at 10:30', 'He says "no", and leaves')


@pytest.mark.parametrize(
    ("text", "problem"),
    [("[Hermione];; [Ron];; [He fa", "cut off"), ("[Hermione];; [Ron];; [None]", "effect: .*no text"),
     ("[Hermione];; [Draco];; [He falls.]", "none of the characters"),
     ("[Hermione];; [Ron];; [He falls.]\n[Hermione];; [Ginny];; [She falls.]", "neither")],
)  # fmt: skip
def test_the_three_parts_of_the_paper_are_refused_where_one_is_not_whole(text, problem):
    with pytest.raises(ReplyError, match=problem):
        read_influence(text)


@pytest.mark.parametrize(
    "text",
    ["[Hermione];; [Ron];; [He falls: at 10:30.]", "[HERMIONE] ；； [ ron weasley ]；；[He falls: at 10:30.]",
     "[Hermione]; [Ron]; [He falls: at 10:30.]", "Hermione;; Ron;; He falls: at 10:30.;;",
     "<think>[Hermione];; [Ginny];; [No.]</think>**Hermione** ;; **Ron** ;; He falls: at 10:30."],
)  # fmt: skip
def test_the_three_parts_of_the_paper_are_read(text):
    reply = read_influence(text)
    assert (reply.affected, reply.effect) == ("Ron Weasley", "He falls: at 10:30.")
