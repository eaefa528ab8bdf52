"""Names in the lists of replies: those of the cast in its order, everybody, nobody; what can't be used is left out."""

import pytest

from characterbox.errors import ReplyError
from characterbox.play.replies.readers import read_influence, read_result, read_updates

NAMES = ("Harry Potter", "Ron Weasley", "Ginny Weasley", "Professor Minerva McGonagall", "孙悟空", "猪八戒")
THERE = ("Ron Weasley", "孙悟空")


def result(text, **more):
    return read_result(text, names=NAMES, **more)


def updates(text, **more):
    return read_updates(text, names=NAMES, **more)


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
