"""The form of an influence has the names that may be given, and no others."""

import json
from dataclasses import replace

import pytest

from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.llm.request import ChatMessage, Request
from characterbox.play import replies
from characterbox.play.algorithm import play
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import next_in
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


def test_the_form_is_what_strict_endpoints_take():
    assert replies.influence_form(("Bob", "孙悟空")).schema == {
        "type": "object",
        "properties": {
            "affected": {"anyOf": [{"type": "string", "enum": ["Bob", "孙悟空"]}, NOBODY]},
            "effect": {"type": "string", "minLength": 1},
            "importance": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 10}, NOBODY]},
        },
        "required": ["affected", "effect", "importance"],
        "additionalProperties": False,
    }
    assert replies.influence_form(()).schema["properties"]["affected"] == NOBODY


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
    digests = {replace(question, form=replies.influence_form(others)).digest(1) for others in casts}
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
