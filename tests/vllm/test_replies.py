"""How a real server replies: piece by piece in prose, guided in JSON, each adapter in its own words."""

import asyncio
import json

import pytest

from characterbox.llm.endpoint import Endpoint
from characterbox.llm.replies.reading import read_fields, storable
from characterbox.llm.request import ChatMessage, Request
from characterbox.play.replies.forms import (
    CHARACTER_UPDATE,
    ENVIRONMENT_BELIEF,
    ENVIRONMENT_UPDATE,
    OF_THE_AFFECTED,
    SELF_BELIEF,
    form_among,
)
from tests.vllm.server import ADAPTERS, BASE

pytestmark = pytest.mark.process

OTHERS = ("Ann 'Nan' \"O\" Lee", "孙悟空")
FORMS = {
    "action": form_among("action", OTHERS),
    "influence": form_among("influence", OTHERS),
    "result": form_among("result", OTHERS, ("recognised",)),
    "result in a masked scene": form_among("result", OTHERS),
    "updates": form_among("updates", OTHERS),
    "updates of one": form_among("updates", OTHERS, OF_THE_AFFECTED),
    "update": CHARACTER_UPDATE,
    "environment": ENVIRONMENT_UPDATE,
    "self-belief": SELF_BELIEF,
    "environment-belief": ENVIRONMENT_BELIEF,
}
QUESTION = (ChatMessage("system", "You play in a scene."), ChatMessage("user", "What happens? 发生了什么？"))


def form_at(path, replies):
    """The form of the reply at a path of a story without masks; None for prose."""
    turn, step = path.removesuffix("/again").rpartition("/")[::2]
    alone = step == "updates" and f"{turn}/result" not in replies
    return FORMS.get("updates of one" if alone else path.removesuffix("/again").split("/")[2])


@pytest.mark.parametrize("model", [BASE, *ADAPTERS])
async def test_prose_streams_piece_by_piece(server, client, model):
    pieces = []
    endpoint = Endpoint.parse(server.at(model))
    request = Request("r1/ann/action", "Ann", "en", QUESTION)
    completion = await client.complete(endpoint, request, seed=5, on_token=lambda _, piece: pieces.append(piece))
    assert pieces[0] == ""
    assert storable("".join(pieces)) == completion.text
    assert len(pieces) > completion.usage.completion_tokens / 2 > 4
    assert completion.finish_reason == "stop"


async def test_every_adapter_has_words_of_its_own(server, client):
    said = [
        await client.complete(Endpoint.parse(server.at(model)), Request("a", None, "en", QUESTION), seed=1)
        for model in (BASE, *ADAPTERS)
    ]
    assert len({completion.text for completion in said}) == 3


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_a_reply_in_a_form_has_that_form(server, client, form):
    endpoint, request = Endpoint.parse(server.at(BASE)), Request("a", None, "en", QUESTION, form)
    said = await asyncio.gather(*[client.complete(endpoint, request, seed=seed) for seed in range(8)])
    assert len({completion.text for completion in said}) == 8
    for completion in said:
        check_form(completion, form)


@pytest.mark.parametrize("name", OTHERS)
async def test_an_influence_names_whom_the_form_names_letter_by_letter(server, client, name):
    assert await named(server, client, (name,)) - {None} == {name}


async def test_an_influence_names_nobody_else(server, client):
    assert set() < await named(server, client, OTHERS) <= {*OTHERS, None}
    assert await named(server, client, ()) == {None}


async def named(server, client, others):
    """Who is affected, as the model has it when asked again and again."""
    endpoint = Endpoint.parse(server.at(BASE))
    request = Request("a", None, "en", QUESTION, form_among("influence", others))
    said = await asyncio.gather(*[client.complete(endpoint, request, seed=seed) for seed in range(16)])
    return {json.loads(completion.text, strict=False)["affected"] for completion in said}


def test_all_replies_of_a_story_have_the_form_they_were_asked_in(story):
    structured = [(reply, form) for path, reply in story.replies.items() if (form := form_at(path, story.replies))]
    assert len(structured) > len(story.replies) / 2
    for reply, form in structured:
        check_form(reply, form)


def check_form(reply, form):
    """The reply ended by itself, is JSON with the fields of the form, and can be read."""
    assert reply.finish_reason == "stop"
    said = json.loads(reply.text, strict=False)
    assert list(said) == form.schema["required"]
    usable = {field: storable(value).strip() if isinstance(value, str) else value for field, value in said.items()}
    ways = [with_objects(way.fields) for way in read_fields(reply.text, dict.fromkeys(said, ()))]
    assert {field: [value] for field, value in usable.items()} in ways


def with_objects(value):
    """What is read, in which objects within lists are pairs of their names and values, as JSON has it."""
    match value:
        case dict():
            return {name: with_objects(one) for name, one in value.items()}
        case tuple():
            return {name: with_objects(one) for name, one in value}
        case list():
            return [with_objects(one) for one in value]
        case _:
            return value
