"""The forms of replies have the names that may be given, and no others."""

import json
from dataclasses import replace

import pytest

from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.llm.request import ChatMessage, Request
from characterbox.play.algorithm import play
from characterbox.play.replies import forms
from characterbox.play.world import Script
from characterbox.scenes.scene import Alias
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import next_in, nobody
from tests.fakes.scenes import a_scene

NOBODY = {"type": "null"}


def affected_in(request):
    return request.form.schema["properties"]["affected"]


def allowed(request):
    """What the form lets `affected` be."""
    match affected_in(request):
        case {"anyOf": [{"type": "string", "enum": names}, {"type": "null"}]}:
            return [*names, None]
        case {"type": "null"}:
            return [None]


TEXT_OR_NONE = {"anyOf": [{"type": "string"}, NOBODY]}


def test_the_forms_are_what_strict_endpoints_take():
    one = {"anyOf": [{"type": "string", "enum": ["Bob", "孙悟空"]}, NOBODY]}
    some = {"anyOf": [{"type": "array", "items": {"type": "string", "enum": ["Bob", "孙悟空"]}}, NOBODY]}
    importance = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 10}, NOBODY]}
    assert forms.form_among("influence", ("Bob", "孙悟空")).schema == {
        "type": "object",
        "properties": {
            "affected": one,
            "effect": {"type": "string", "minLength": 1},
            "importance": importance,
            "seen_by": some,
            "heard_by": some,
        },
        "required": ["affected", "effect", "importance", "seen_by", "heard_by"],
        "additionalProperties": False,
    }
    assert forms.form_among("action", ("Bob", "孙悟空")).schema["properties"] == {
        "action": {"type": "string", "minLength": 1},
        "dialogue": TEXT_OR_NONE,
        "to": one,
        "whispered": {"type": "boolean"},
        "unseen": {"type": "boolean"},
    }


@pytest.mark.parametrize("name", ["action", "influence", "result", "updates"])
def test_every_field_of_a_form_is_required_and_no_other_allowed(name):
    for others in ((), ("Bob",), ("Bob", "Cid")):
        schema = forms.form_among(name, others).schema
        assert schema["required"] == [*schema["properties"]]
        assert schema["additionalProperties"] is False


@pytest.mark.parametrize(("name", "fields"), [("influence", ("affected", "seen_by", "heard_by")), ("action", ("to",)),
                                              ("result", ("seen_by",))])  # fmt: skip
def test_where_there_is_nobody_else_nobody_can_be_named(name, fields):
    schema = forms.form_among(name, ()).schema
    assert {field: schema["properties"][field] for field in fields} == dict.fromkeys(fields, NOBODY)


def test_a_form_can_lack_fields():
    whole = forms.form_among("updates", ("Ann", "Bob")).schema["properties"]
    part = forms.form_among("updates", ("Ann", "Bob"), forms.OF_THE_AFFECTED).schema
    assert whole.keys() - part["properties"].keys() == {"other_position", "other_state", "other_visible"}
    assert part["required"] == [*part["properties"]]


async def forms_of(scene, affects):
    """The fields of each form that a story of one round asks for, by path."""
    script = Script(scene=scene, rounds=1)
    ask = AnsweredAtOnce(script, affects)
    await played(script, ask)
    return {one.path: [*one.form.schema["properties"]] for one in ask.requests if one.form is not None}


async def test_of_the_affected_is_only_asked_where_somebody_is_and_of_recognition_where_somebody_is_masked():
    touched, lone = await forms_of(a_scene(), next_in(a_scene())), await forms_of(a_scene(), nobody)
    assert "other_position" in touched["r1/ann/updates"]
    assert "other_position" not in lone["r1/ann/updates"]
    assert "recognised" not in touched["r1/ann/result"]
    ann, bob = a_scene().cast
    masked = ann.model_copy(update={"known_as": (Alias(name="the guest"),)})
    scene = a_scene().model_copy(update={"cast": (masked, bob)})
    assert "recognised" in (await forms_of(scene, next_in(scene)))["r1/ann/result"]


async def test_a_character_can_call_whom_it_has_perceived_before():
    script = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=1)
    gone = '{"hidden": [{"who": "Ann", "by": ["Bob", "Cid"]}]}'
    call = '{"action": "Bob looks about.", "dialogue": "Come back!", "to": "Ann", "whispered": false}'
    ask = AnsweredAtOnce(script, nobody, instead={"r1/ann/updates": gone, "r1/bob/action": call})
    events = await played(script, ask)
    assert next(event for event in events if event.path == "r1/bob/dialogue").to == "Ann"


async def test_a_character_can_speak_to_those_whom_it_perceives_by_the_names_that_it_has():
    ann, bob, cid = a_scene("Ann", "Bob", "Cid").cast
    scene = a_scene("Ann", "Bob", "Cid").model_copy(
        update={
            "cast": (
                ann,
                bob.model_copy(update={"known_as": (Alias(name="the guest", by=("Ann",)),)}),
                cid.model_copy(update={"unseen_by": ("Ann",)}),
            )
        }
    )
    script = Script(scene=scene, rounds=1)
    said = '{"action": "Ann bows.", "dialogue": "Good evening.", "to": "the guest"}'
    ask = AnsweredAtOnce(script, nobody, instead={"r1/ann/action": said})
    events = await played(script, ask)
    named = {one.path: one.form.schema["properties"]["to"] for one in ask.requests if one.path.endswith("/action")}
    assert named["r1/ann/action"]["anyOf"][0]["enum"] == ["the guest"]
    assert named["r1/bob/action"]["anyOf"][0]["enum"] == ["Ann", "Cid"]
    spoken = next(event for event in events if event.path == "r1/ann/dialogue")
    assert (spoken.to, spoken.whispered) == ("Bob", False)


@pytest.mark.parametrize("names", [("Ann",), ("Ann", "Bob"), ("林黛玉", "贾宝玉", "薛宝钗")])
async def test_every_actor_may_touch_the_others_in_cast_order_or_nobody(names):
    script = Script(scene=a_scene(*names), rounds=2)
    ask = AnsweredAtOnce(script, next_in(script.scene))
    await played(script, ask)
    asked = [request for request in ask.requests if request.path.endswith("/influence")]
    others = [[*(other for other in names if other != actor), None] for actor in names]
    assert [allowed(request) for request in asked] == others * 2


def test_who_may_be_named_makes_another_digest():
    casts = [("Bob",), ("Bob", "Cid"), ("Cid", "Bob"), ()]
    question = Request("r1/ann/influence", None, "en", (ChatMessage("user", "Whom?"),))
    digests = {replace(question, form=forms.form_among("influence", others)).digest(1) for others in casts}
    assert len(digests) == len(casts)


async def test_a_name_that_is_not_in_the_form_is_still_refused_where_nothing_guides_the_reply():
    script = Script(scene=a_scene(), rounds=1)
    reply = '{"affected": "Cid", "effect": "He falls.", "importance": 3}'
    ask = AnsweredAtOnce(script, next_in(script.scene), instead={"r1/ann/influence": reply})
    await played(script, ask)
    [again] = [request for request in ask.requests if request.path == "r1/ann/influence/again"]
    assert "'Cid' is none of the characters Bob" in again.problem
    assert allowed(again) == ["Bob", None]


@pytest.mark.slow
@pytest.mark.parametrize("names", [("Ann",), ("Ann", "Bob", "Cid")])
async def test_the_rehearsal_names_only_whom_the_form_allows(names):
    client, named = Client(), []

    async def ask(request):
        text = (await client.complete(Endpoint.parse(REHEARSAL), request, seed=1)).text
        if request.path.endswith("/influence"):
            affected = json.loads(text)["affected"]
            assert affected in allowed(request)
            named.append(affected)
        return text

    async def emit(event):
        assert not event.degraded

    await play(Script(scene=a_scene(*names), rounds=4), ask, emit)
    await client.close()
    assert len(named) == 4 * len(names)
    assert any(named) is (len(names) > 1)
