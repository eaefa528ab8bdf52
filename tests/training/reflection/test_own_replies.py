"""The replies of a character, and what their rewritings have to keep."""

import json
from dataclasses import replace

import pytest

from characterbox.errors import ReplyError
from characterbox.llm.request import ChatMessage
from characterbox.pause_reasons import Reason
from characterbox.play.paths import asked_at
from characterbox.play.settings import FIRST, Settings
from characterbox.play.world import Script
from characterbox.training.reflection.own_replies import own_replies
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import next_in
from tests.fakes.scenes import a_scene, masked_scene
from tests.fakes.stories import a_reply

WHISPER = {"action": "Ann leans in.", "dialogue": "Come.", "to": "Bob", "whispered": True, "unseen": False}
MUTE = {"action": "Ann waits.", "dialogue": None, "to": None, "whispered": False, "unseen": False}


async def own(instead=None, scene=None, settings=Settings(), name="Ann", **changes):  # noqa: B008 - frozen
    """The replies of Ann in a story of one round, of which some are given; `changes` are those of all replies."""
    scene = scene or a_scene("Ann", "Bob", "Cai")
    script = Script(scene=scene, rounds=1, settings=settings)
    given = {path: reply if isinstance(reply, str) else json.dumps(reply) for path, reply in (instead or {}).items()}
    ask = AnsweredAtOnce(script, next_in(scene), given)
    events = await played(script, ask)
    texts = {request.path: await ask(request) for request in [*ask.requests]}
    replies = {
        request.path: a_reply(request.path, text=texts[request.path], messages=request.messages, **changes)
        for request in ask.requests
    }
    return own_replies(script, events, replies, name), events, replies, scene


async def first(path, reply, scene=None, **more):
    found, *_, scene = await own({path: reply}, scene, **more)
    return next(one for one in found if one.path == path), scene


async def refusal(path, original, rewriting, scene=None, **more):
    """Why a rewriting is refused."""
    one, scene = await first(path, original, scene, **more)
    with pytest.raises(ReplyError) as refused:
        one.rewritten(rewriting if isinstance(rewriting, str) else json.dumps(rewriting), scene)
    return Reason.of(refused.value)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("settings", [Settings(), FIRST])
async def test_each_reply_of_a_character_is_there_once_and_tells_the_events_as_they_are(language, settings):
    names = ("Ann", "Bob") if language == "en" else ("林冲", "鲁智深")
    scene = a_scene(*names, language=language)
    found, events, replies, _ = await own(scene=scene, settings=settings, name=names[0])
    slug = "ann" if language == "en" else names[0]
    assert [one.path for one in found] == [path for path in replies if asked_at(path) == slug]
    assert [one.number for one in found] == [*range(1, len(found) + 1)]
    of_them = [event for one in found for event in one.events]
    assert of_them == [event for event in events if getattr(event, "character", None) == names[0] and event in of_them]
    for one in found:
        assert one.retold(one.rewritten(one.text, scene)) == one.events
        assert (one.form is None) == (not one.text.startswith("{"))


async def test_only_the_wording_is_another_once_it_is_retold():
    found, *_, scene = await own()
    for one in found:
        fields = {name: f"{text}!" if isinstance(text, str) else text for name, text in json.loads(one.text).items()} \
            if one.form else None  # fmt: skip
        told = one.rewritten(json.dumps(fields) if fields else f"{one.text}!", scene)
        for before, after in zip(one.events, one.retold(told), strict=True):
            changed = {name for name, value in before.model_dump().items() if getattr(after, name) != value}
            assert changed
            assert changed <= {"text", "belief", "desire", "intention", "others", "scene", "bearing"}
            assert all(getattr(after, name) == f"{getattr(before, name)}!" for name in changed)


A, R, B = "r1/ann/action", "r1/cai/reaction/ann", "r1/ann/self-belief"


@pytest.mark.parametrize(
    ("path", "original", "rewriting", "code"),
    [
        (A, WHISPER, {**WHISPER, "to": "Cai"}, "rewriting_changes"),
        (A, WHISPER, {**WHISPER, "to": None}, "rewriting_changes"),
        (A, WHISPER, {**WHISPER, "whispered": False}, "rewriting_changes"),
        (A, WHISPER, {**WHISPER, "unseen": True}, "rewriting_changes"),
        (A, WHISPER, {**WHISPER, "dialogue": None}, "rewriting_silent"),
        (A, WHISPER, {**WHISPER, "to": "Zed"}, "field_nobody_known"),
        (A, MUTE, {**MUTE, "dialogue": "Who goes there?"}, "rewriting_speaks"),
        (A, WHISPER, {"action": "Ann leans in."}, "field_missing"),
        (A, WHISPER, {"action": "", "dialogue": "Come."}, "field_no_text"),
        (A, WHISPER, '{"action": "Ann leans in.", "dialogue": "Co', "fields_cut_off"),
        (A, WHISPER, "I'm sorry, but I can't help with that.", "declined"),
        (R, "Ann nods.", "", "no_text"),
        (R, "Ann nods.", '{"action": "Ann nods.", "dialogue": "Yes."}', "json_without_text"),
        (R, "Ann nods.", "I'm sorry, but I can't assist with that request.", "declined"),
        (B, {"belief": "b", "desire": "d", "intention": "i"}, {"belief": "b", "desire": "d"}, "field_missing"),
        (B, {"belief": "b", "desire": "d", "intention": "i"}, "I believe that all will be well.", "no_fields"),
    ],
)
async def test_a_damaged_rewriting_is_refused(path, original, rewriting, code):
    reason = await refusal(path, original, rewriting)
    assert reason.code == code, str(reason)


async def test_words_that_were_asked_for_by_themselves_stay_words_and_silence_stays_silence():
    prose = {"r1/ann/action": "Ann waits.", "r1/ann/dialogue": "Well?"}
    found, *_, scene = await own(prose)
    action, words = (next(one for one in found if one.path == path) for path in prose)
    assert (action.form, action.text, words.text) == (None, "Ann waits.", "Well?")
    assert words.retold(words.rewritten("Well, then?", scene))[0].text == "Well, then?"
    with pytest.raises(ReplyError, match="has spoken words and the rewriting has none"):
        words.rewritten("(silent)", scene)
    silent, scene = await first("r1/ann/dialogue", "(silent)", settings=FIRST)
    assert silent.text == "(silent)"
    with pytest.raises(ReplyError, match="no spoken words"):
        silent.rewritten("Hm.", scene)


async def test_an_action_without_a_word_on_words_is_a_form_without_them():
    found, *_, scene = await own({"r1/ann/action": {"action": "Ann waits."}, "r1/ann/dialogue": "Well?"})
    action = next(one for one in found if one.path == "r1/ann/action")
    assert [*action.form.schema["properties"]] == ["action", "unseen"]
    assert json.loads(action.text) == {"action": "Ann waits.", "unseen": False}
    with pytest.raises(ReplyError, match="no spoken words"):
        action.rewritten(json.dumps({"action": "Ann waits.", "dialogue": "Well?"}), scene)


async def test_nobody_is_named_whom_the_character_does_not_know_there():
    path = "r1/bob/action"
    told = {**MUTE, "action": "Bob looks at the clerk."}
    found, *_, scene = await own({A: MUTE, path: told}, masked_scene(), name="Bob")  # she does not say her name
    one = next(one for one in found if one.path == path)
    with pytest.raises(ReplyError, match="names Ann, whom the character does not know there"):
        one.rewritten(json.dumps({**told, "action": "Bob looks at Ann."}), scene)
    assert one.rewritten(json.dumps({**told, "action": "Bob annoys the clerk."}), scene)
    known, scene = await first("r1/ann/action", {**MUTE, "action": "Ann looks at Bob."}, masked_scene())
    assert known.rewritten(json.dumps({**MUTE, "action": "Ann stares at Bob."}), scene)


async def test_those_whom_a_character_calls_otherwise_are_written_as_it_calls_them():
    told = {**MUTE, "action": "Bob bows.", "dialogue": "Madam?", "to": "the clerk"}
    one, scene = await first("r1/bob/action", told, masked_scene(), name="Bob")
    assert one.told.to == "Ann"
    assert json.loads(one.text) == told
    assert one.reader.written(one.rewritten(one.text, scene)) == one.text


async def test_what_people_wrote_and_neutral_outcomes_are_nobodys_to_rewrite():
    assert (await own(author="human"))[0] == (await own(author="edit"))[0] == []
    unread = dict.fromkeys((B, f"{B}/again"), "Nothing to say.")
    found, events, *_ = await own(unread)
    assert any(event.path == B and event.degraded for event in events)
    assert B not in [one.path for one in found]


async def test_of_a_question_that_was_put_once_more_the_first_prompt_and_the_second_reply_count():
    second = {"belief": "b", "desire": "d", "intention": "i"}
    found, _, replies, _ = await own({B: "Nothing to say.", f"{B}/again": second})
    one = next(one for one in found if one.path == B)
    assert one.asked == replies[B]
    assert json.loads(one.text) == second
    assert len(found) == len((await own())[0])


async def test_a_reply_that_was_cut_off_is_left_out():
    found, events, replies, scene = await own()
    cut = {path: replace(reply, finish_reason="length") if path == R else reply for path, reply in replies.items()}
    script = Script(scene=scene, rounds=1)
    assert R in [one.path for one in found]
    assert R not in [one.path for one in own_replies(script, events, cut, "Ann")]
    named = replace(replies[R], messages=(ChatMessage("user", "Zed is here."),))
    [one] = own_replies(script, events, {R: named}, "Ann")
    assert one.number == 1
