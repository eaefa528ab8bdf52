"""What a model is asked about its own part: what its character knows, numbered, and always from the same beginning."""

import json
import re
from itertools import pairwise, takewhile

import pytest

from characterbox.errors import ReplyError
from characterbox.play.world import Script
from characterbox.training.reflection.own_replies import own_replies
from characterbox.training.reflection.questions import Inconsistency, Questions, read_check, read_inconsistencies
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import next_in
from tests.fakes.scenes import a_scene, masked_scene, secret_of
from tests.fakes.stories import a_reply


async def questions(scene, name, rounds=2, instead=None):
    script = Script(scene=scene, rounds=rounds)
    ask = AnsweredAtOnce(script, next_in(scene), instead or {})
    events = await played(script, ask)
    replies = {one.path: a_reply(one.path, text=await ask(one), messages=one.messages) for one in [*ask.requests]}
    return Questions(script, events, name, own_replies(script, events, replies, name), "self-reflection/m/x/")


def said(request):
    return "\n".join(message.content for message in request.messages)


def shared_beginning(texts):
    """With what all the texts begin."""
    return "".join(letters[0] for letters in takewhile(lambda one: len(set(one)) == 1, zip(*texts, strict=False)))


@pytest.mark.parametrize(("language", "names"), [("en", ("Ann", "Bob", "Cai")), ("zh", ("林冲", "鲁智深", "杨志"))])
async def test_all_questions_about_a_part_begin_alike_and_what_was_rewritten_only_grows(language, names):
    asked = await questions(a_scene(*names, language=language), names[0])
    found = [Inconsistency(step=1, what="too tame")]
    so_far = [(one.number, f"rewritten {one.number}") for one in asked.own]
    rewritings = [asked.rewriting(one, found, so_far[:place]) for place, one in enumerate(asked.own)]
    checks = [asked.check(one, "rewritten") for one in asked.own]
    texts = [said(one) for one in (asked.inconsistencies(), *rewritings, *checks)]
    beginning = shared_beginning(texts)
    numbers = [int(number) for number in re.findall(r"^- \[(\d+)\] ", beginning, re.MULTILINE)]
    assert [*dict.fromkeys(numbers)] == [one.number for one in asked.own]
    for before, after in pairwise(rewritings):
        shared = shared_beginning([said(before), said(after)])
        assert all(text in shared for _, text in so_far[: rewritings.index(before)])
    for one, request in zip(asked.own, rewritings, strict=True):
        assert one.text in said(request)
        assert request.form == one.form
        assert request.path == f"self-reflection/m/x/rewrite/{one.path}"


async def test_a_part_holds_what_its_character_did_and_believed_and_nothing_that_it_does_not_know():
    asked = await questions(a_scene("Ann", "Bob"), "Ann")
    shown = said(asked.inconsistencies())
    assert secret_of("Ann") in shown
    assert secret_of("Bob") not in shown
    for one in asked.own:
        assert f"by Ann at {one.path}" in shown
    for kind in ("self-belief", "environment-belief"):
        assert f"by Bob at r1/bob/{kind}" not in shown
    assert "by Bob at r1/bob/action" in shown


async def test_who_is_masked_is_called_as_the_character_calls_them():
    mute = json.dumps({"action": "She waits.", "dialogue": None, "to": None, "whispered": False, "unseen": False})
    instead = {f"r{round}/ann/action": mute for round in (1, 2)}
    instead |= {f"r{round}/bob/reaction/ann": "He sits." for round in (1, 2)}
    asked = await questions(masked_scene(), "Bob", instead=instead)
    shown = said(asked.inconsistencies()).replace("by Ann at", "")
    assert "the clerk" in shown
    assert "Ann" not in shown


async def test_what_happened_after_a_reply_is_shown_up_to_the_next_act_of_the_character():
    asked = await questions(a_scene("Ann", "Bob"), "Ann")
    by_path = {one.path: one for one in asked.own}

    def after(path):
        return said(asked.check(by_path[path], "x")).partition("<afterwards>\n")[2].partition("\n</afterwards>")[0]

    of_action = after("r1/ann/action")
    assert "by the narrator at r1/ann/influence" in of_action
    assert "by Bob at r1/ann/reaction/bob" in of_action
    assert "by the narrator at r1/ann/updates" in of_action
    assert "by Bob at r1/bob/action" in of_action
    assert "by Ann" not in of_action
    assert "by the narrator at r1/bob/result" in after("r1/bob/reaction/ann")
    assert "by Ann at r2/ann/action" not in after("r1/ann/self-belief")
    assert after("r2/ann/environment-belief") == "(nothing)"


@pytest.mark.parametrize(
    "text",
    [
        '{"found": [{"step": 2, "what": "too tame"}]}',
        '```json\n{"found": [{"step": "2", "what": "too tame"}]}\n```',
        '{"found": [{"step": "[2]", "what": "too tame"}]}',
        '{"found": {"step": 2, "what": "too tame"}}',
        '{"inconsistencies": [{"step": 2, "what": "too tame"}]}',
    ],
)
def test_what_is_found_is_read_as_models_write_it(text):
    assert read_inconsistencies(text, 3) == (Inconsistency(step=2, what="too tame"),)


@pytest.mark.parametrize(
    "text",
    [
        '{"found": [{"step": 4, "what": "x"}]}',
        '{"found": [{"step": 0, "what": "x"}]}',
        '{"found": [{"step": 1}]}',
        "It is all very good.",
    ],
)
def test_what_names_no_reply_or_says_nothing_of_it_is_not_read(text):
    with pytest.raises(ReplyError):
        read_inconsistencies(text, 3)


def test_nothing_found_is_an_answer():
    assert read_inconsistencies('{"found": []}', 3) == ()


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('{"fits": true, "reason": "It does."}', True),
        ('{"fits": "yes", "reason": ""}', True),
        ("Fits: no\nReason: He is gone by then.", False),
        ("相符：是\n理由：后来的事说得通。", True),
        ('{"fits": null, "reason": "Who knows."}', False),
    ],
)
def test_whether_it_fits_is_read_as_models_write_it(text, fits):
    assert read_check(text).fits is fits


@pytest.mark.parametrize("text", ['{"reason": "It does."}', '{"fits": "perhaps"}', "Well."])
def test_what_does_not_say_whether_it_fits_is_not_read(text):
    with pytest.raises(ReplyError):
        read_check(text)
