"""Why a story stands still: stored as a code with values, told in the language of the one who looks."""

import ast
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

import characterbox
from annotations.i18n.messages import Message
from annotations.i18n.translation import speaking, translate
from characterbox.components.player.text import player_words
from characterbox.errors import EndpointDown, RecordMismatch, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import ChatMessage, Request
from characterbox.pause_reasons import (
    _PLACES,
    MOST_REASON,
    MOST_SAID,
    TEXTS,
    InnerAddress,
    OfferedModels,
    Reason,
    ServerWords,
    at_endpoint,
    filed,
    in_full,
    said,
    seen,
    several,
    stored,
)
from characterbox.play.events import SelfBelief
from characterbox.play.world import Script
from characterbox.stage.live.player_data import player_data
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply, a_story, casting_at

QUICK = RetryPolicy(pause=0.001)
SECRET = "the secret of another service"
AT = "http://10.0.0.5/v1#m"
TEXT = st.text(max_size=20)
WITHHELD = st.sampled_from([ServerWords, InnerAddress, OfferedModels]).map(lambda kind: kind(SECRET))


def reasons_of(parts):
    """Any reason, in whose places stands anything."""
    return st.sampled_from(sorted(TEXTS)).flatmap(
        lambda code: st.fixed_dictionaries(dict.fromkeys(sorted(_PLACES[code]), parts)).map(
            lambda values: Reason(code, **values)
        )
    )


ANY = st.recursive(reasons_of(TEXT | st.integers() | WITHHELD), lambda inner: reasons_of(inner | TEXT), max_leaves=5)


@given(ANY)
def test_a_reason_is_the_same_after_it_was_stored(reason):
    assert Reason.read(json.loads(stored(reason))) == reason
    assert TypeAdapter(Reason).validate_json(TypeAdapter(Reason).dump_json(reason)) == reason
    again = pickle.loads(pickle.dumps(reason))
    assert (again, again.code, str(again)) == (reason, reason.code, str(reason))


@given(ANY, st.sampled_from(["en", "zh"]))
def test_what_is_withheld_is_read_by_admins_alone_wherever_it_stands(reason, language):
    withheld = SECRET in str(reason)
    with speaking(language):
        assert SECRET not in translate(reason)
        assert SECRET not in stored(filed(reason))
        assert SECRET not in stored(seen(reason))
        assert translate(seen(reason)) == translate(reason)
        with in_full():
            assert (SECRET in translate(reason)) == withheld
            assert filed(reason) == seen(reason) == reason
        assert SECRET not in translate(reason)


@given(ANY)
def test_what_leaves_in_a_file_is_the_same_after_it_was_brought_in(reason):
    assert filed(filed(reason)) == filed(reason)


@pytest.mark.parametrize("model", ["x: affected: a is none of the characters b", "x: y (z", "x: HTTP 500", "x:"])
def test_no_name_of_a_model_has_the_words_of_a_server_taken_for_others(model):
    """Whoever has a server asked chooses the name."""
    what = Reason("after_attempts", what=said(Reason("status", status=404), ServerWords(SECRET)), count=6)
    reason = at_endpoint(f"http://10.0.0.5/v1#{model}", what)
    told = translate(reason)
    assert told == f"endpoint http://10.0.0.5/v1#{model}: HTTP 404: an admin sees what was said (6 attempts)"


def test_admins_see_the_beginning_of_what_a_server_said():
    with in_full():
        assert translate(ServerWords("x" * 300).for_reader()) == f"{'x' * MOST_SAID} …"


def test_a_file_says_that_something_is_left_out():
    reason = at_endpoint(AT, said(Reason("status", status=500), ServerWords(SECRET)))
    with speaking("zh"):
        assert translate(filed(reason)) == f"端点 {AT}：HTTP 500: 文件中不含服务器返回的内容"


def test_a_reason_leaves_no_longer_than_a_file_may_have_it():
    models = OfferedModels("m" * 90_000)
    reason = at_endpoint("e" * 90_000, Reason("not_offered", absent="a" * 90_000, models=models))
    with in_full():
        assert len(stored(filed(reason))) < MOST_REASON


def test_several_reasons_are_told_in_a_row_each_once():
    missing = [Reason("score_missing", metric=key) for key in ("KA", "BA", "KA")]
    assert several(missing[:1]) == missing[0]
    assert str(several(missing)) == "KA: the score is missing; BA: the score is missing"
    with speaking("zh"):
        assert translate(several(missing)) == "KA：缺少分数；BA：缺少分数"


@pytest.mark.parametrize(
    "stored",
    [None, 3, "the budget is used up", {}, {"code": "x"}, {"code": 3}, {"code": "spent", "what": 1}, {"code": "untold"},
     {"code": "untold", "endpoint": None}, {"code": "untold", "endpoint": {"server": 3}},
     {"code": "untold", "endpoint": {"words": "x"}}, {"code": "untold", "endpoint": ["x"]}],
)  # fmt: skip
def test_what_is_no_reason_is_refused(stored):
    with pytest.raises(ValueError, match="no reason"):
        Reason.read(stored)
    with pytest.raises(ValidationError, match="no reason"):
        TypeAdapter(Reason).validate_python(stored)


def test_reasons_in_reasons_have_a_bound():
    deep = {"code": "spent"}
    for _ in range(60):
        deep = {"code": "told", "what": deep}
    with pytest.raises(ValueError, match="no reason"):
        Reason.read(deep)


def test_a_reason_without_its_values_is_no_reason():
    with pytest.raises(ValueError, match="untold has the values"):
        Reason("untold", model="m")


def test_any_error_can_be_stored():
    why = Reason("spent")
    assert Reason.of(StoryError(why)) is why
    assert Reason.of(why) is why
    assert Reason.of(StoryError("story {id}: nobody", id="ab")) == Reason("told", what="story ab: nobody")
    assert Reason.of(Message(TEXTS["untold"], endpoint="e")) == Reason("untold", endpoint="e")
    within = Message("it failed: {why}", why=StoryError(Reason("told", what=ServerWords(SECRET))))
    assert Reason.of(within) == Reason("told", what=ServerWords(f"it failed: {SECRET}"))
    assert str(Reason.of(KeyError("x"))) == "x"


def test_whatever_the_program_itself_says_of_a_trouble_is_a_reason_that_is_told_in_chinese():
    """No text of ours stands in the code of the clients; what servers and the system say is none."""
    written = [
        word.value
        for file in (Path(characterbox.__file__).parent / "llm").rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", None) in ("Trouble", "_troubles")
        for word in call.args
        if isinstance(word, ast.Constant)
    ]
    assert written == []


async def performed(store, story):
    client = Client(patience=QUICK)
    try:
        with speaking("zh"):
            await perform(store.stories, client, story, PlaybackControl(), on_event=lambda _, __: None)
    finally:
        await client.close()


def as_seen(store, story):
    """The reason as it is stored, and as somebody reads it who reads Chinese."""
    story = store.stories.story(story.id)
    with speaking("zh"):
        shown = player_data(store.stories, story, "stage")["story"]
        return story.reason, player_words([shown])["reasons"][shown["reason"]]


PATH = "r0/ann/self-belief"
"""The first step of a story."""


async def test_a_reply_to_another_prompt_is_told_in_the_language_of_the_one_who_looks(store):
    story = a_story(store)
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply(PATH))
    with pytest.raises(RecordMismatch):
        await performed(store, story)
    assert as_seen(store, story) == (Reason("other_prompt", path=PATH), f"{PATH} 处记录的回复对应的提示词与现在的不同")


async def test_an_event_that_is_read_differently_is_told_in_the_language_of_the_one_who_looks(store):
    scene = a_scene()
    story = store.stories.create(Script(scene=scene), casting_at(Endpoint.parse("rehearsal"), scene), "app")
    with store.stories.claimed(story.id) as claimed:
        other = SelfBelief(path=PATH, round=0, character="Ann", belief="Other.", desire="-", intention="-")
        await claimed.record(1, other)
    with pytest.raises(RecordMismatch):
        await performed(store, story)
    kept, told = as_seen(store, story)
    assert kept == Reason("other_reading", path=PATH)
    assert told == f"{PATH} 处记录的内容与其回复现在的解读结果不同：回复的解读方式已有变化"


async def test_an_endpoint_that_is_not_there_is_told_in_the_language_of_the_one_who_looks():
    client = Client(patience=QUICK)
    request = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "Act."),))
    try:
        with pytest.raises(EndpointDown) as down:
            await client.complete(Endpoint(url="http://127.0.0.1:9/v1", model="m"), request, seed=1)
    finally:
        await client.close()
    with speaking("zh"):
        assert translate(down.value) == "端点 http://127.0.0.1:9/v1#m：连接被拒绝（尝试 6 次）"
