"""The rehearsal speaks the OpenAI chat API: with the real client, streamed or whole, and refusing bad requests."""

import asyncio
import json

import httpx2
import openai
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from openai import AsyncOpenAI

from characterbox.llm.endpoint import REHEARSAL_MODELS
from characterbox.llm.rehearsal.app import rehearsal_app, tokens
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.prompts import harmless, render

SPEECH = [{"role": "user", "content": render("dialogue", "zh", name="林黛玉")}]
ACT = [{"role": "user", "content": render("action", "en", name="Mary Jane O'Neill")}]


def client_of(app):
    return AsyncOpenAI(
        base_url="http://rehearsal/v1",
        api_key="-",
        max_retries=0,
        http_client=httpx2.AsyncClient(transport=AppTransport(app)),
    )


@pytest.fixture
async def client():
    async with client_of(rehearsal_app()) as client:
        yield client


async def post(body):
    """The response to a raw body."""
    async with httpx2.AsyncClient(transport=AppTransport(rehearsal_app()), base_url="http://rehearsal") as http:
        return await http.post("/v1/chat/completions", content=body)


def assert_openai_error(response, status):
    assert response.status_code == status
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"]


async def test_it_lists_its_models(client):
    listed = [model.id async for model in client.models.list()]
    assert listed == ["rehearsal", "rehearsal-plain", "rehearsal-wooden"]


async def test_equal_requests_get_equal_completions(client):
    first, second = [
        (await client.chat.completions.create(model="rehearsal", messages=ACT, seed=3)).model_dump() for _ in range(2)
    ]
    assert first == second
    assert "Mary Jane O'Neill" in first["choices"][0]["message"]["content"]


@pytest.mark.parametrize("messages", [SPEECH, ACT])
async def test_a_streamed_reply_is_the_whole_reply(client, messages):
    for seed in range(5):
        whole = await client.chat.completions.create(model="rehearsal", messages=messages, seed=seed)
        chunks = [
            chunk
            async for chunk in await client.chat.completions.create(
                model="rehearsal", messages=messages, seed=seed, stream=True, stream_options={"include_usage": True}
            )
        ]
        pieces = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
        assert "".join(pieces) == whole.choices[0].message.content
        assert chunks[-1].usage == whole.usage
        assert chunks[-2].choices[0].finish_reason == "stop"


async def test_a_stream_tells_usage_only_when_asked(client):
    stream = await client.chat.completions.create(model="rehearsal", messages=ACT, stream=True)
    chunks = [chunk async for chunk in stream]
    assert len(chunks) > 3
    assert all(chunk.usage is None and chunk.choices for chunk in chunks)


async def test_usage_counts_tokens(client):
    completion = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "你好 world"}])
    usage = completion.usage
    assert usage.prompt_tokens == 4  # 你, 好, worl, d
    assert usage.completion_tokens == len(tokens(completion.choices[0].message.content))
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


@given(st.text())
def test_tokens_make_up_the_text(text):
    assert "".join(tokens(text)) == text


@pytest.mark.parametrize("kind", ["json_object", "json_schema", "text"])
async def test_response_formats_are_accepted(client, kind):
    form = {"type": kind}
    if kind == "json_schema":
        form["json_schema"] = {"name": "self_belief", "strict": True, "schema": {"type": "object"}}
    messages = [{"role": "user", "content": render("self_belief", "en", name="Holmes")}]
    completion = await client.chat.completions.create(model="m", messages=messages, response_format=form)
    assert set(json.loads(completion.choices[0].message.content)) == {"belief", "desire", "intention"}


async def test_content_in_parts_is_read_as_one_text(client):
    text = ACT[0]["content"]
    parts = [{"type": "text", "text": text[:9]}, {"type": "text", "text": text[9:]}]
    whole = await client.chat.completions.create(model="m", messages=ACT, seed=1)
    split = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": parts}], seed=1)
    assert split.choices[0].message.content == whole.choices[0].message.content


@pytest.mark.slow
async def test_latency_is_taken_by_a_whole_reply_and_spread_over_a_stream():
    loop = asyncio.get_running_loop()
    async with client_of(rehearsal_app(latency=0.2)) as client:
        start = loop.time()
        await client.chat.completions.create(model="m", messages=ACT)
        assert loop.time() - start >= 0.2
        start, at = loop.time(), []
        async for chunk in await client.chat.completions.create(model="m", messages=ACT, stream=True):
            if chunk.choices[0].delta.content:
                at.append(loop.time() - start)
    assert at[-1] - at[0] > 0.1
    assert at[-1] >= 0.2


async def test_at_an_address_of_its_own_it_answers_to_no_other_name():
    async with client_of(rehearsal_app(own_names_only=True)) as client:
        for model in REHEARSAL_MODELS:
            assert (await client.chat.completions.create(model=model, messages=ACT)).choices[0].message.content
        with pytest.raises(openai.NotFoundError, match="there are rehearsal, rehearsal-plain, rehearsal-wooden"):
            await client.chat.completions.create(model="gpt-4", messages=ACT)


def test_a_negative_latency_is_refused():
    with pytest.raises(ValueError, match="latency: -1 is less than 0 seconds"):
        rehearsal_app(latency=-1)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"model": "m"}',
        b'{"model": "m", "messages": []}',
        b'{"model": "", "messages": [{"role": "user", "content": "x"}]}',
        b'{"model": "m", "messages": ["just a text"]}',
        b'{"model": "m", "messages": [{"role": "wizard", "content": "x"}]}',
        b'{"model": "m", "messages": [{"role": "user", "content": "\\ud800"}]}',
        b'{"model": "m", "messages": [{"role": "user", "content": "x"}], "n": 2}',
        b'{"model": "m", "messages": [{"role": "user", "content": "x"}], "response_format": {"type": "xml"}}',
        b'{"model": "m", "messages": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
async def test_a_bad_body_is_refused_in_the_form_of_the_api(body):
    assert_openai_error(await post(body), 400)


async def test_the_client_understands_a_refusal(client):
    with pytest.raises(openai.BadRequestError, match="messages"):
        await client.chat.completions.create(model="m", messages=[])


async def test_unknown_places_and_methods_are_refused_in_the_form_of_the_api():
    async with httpx2.AsyncClient(transport=AppTransport(rehearsal_app()), base_url="http://rehearsal") as http:
        assert_openai_error(await http.get("/v1/embeddings"), 404)
        assert_openai_error(await http.get("/v1/chat/completions"), 405)


HEADINGS = ["## Task: action", "## Task: scores", "## 任务：影响", "## 任务：环境更新", "## Again", "## Task: critique"]
WORDS = st.one_of(st.text(max_size=40), st.sampled_from([*HEADINGS, "<cast>\n- ：\n</cast>", "$name ${x", "# 描述："]))
CONTENTS = st.lists(WORDS, max_size=5).map("\n".join)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": CONTENTS}),
    max_size=4,
)
FORMS = st.sampled_from([None, "influence", "result", "character_update", "environment_update", "scores", "other"])


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(messages=MESSAGES, form=FORMS, seed=st.one_of(st.none(), st.integers(0, 9)), stream=st.booleans())
def test_any_messages_get_a_reply_or_a_refusal(messages, form, seed, stream):
    body = {"model": "m", "messages": messages, "seed": seed, "stream": stream}
    if form is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": form, "schema": {}}}
    response = asyncio.run(post(json.dumps(body)))
    if not messages or any(message["role"] == "tool" for message in messages):
        assert_openai_error(response, 400)
    elif stream:
        assert response.status_code == 200
        assert response.text.endswith("data: [DONE]\n\n")
    else:
        assert response.status_code == 200
        assert response.json()["choices"][0]["message"]["content"].strip()


@settings(max_examples=40, deadline=None)
@example(name="##")
@given(name=st.text(min_size=1, max_size=12).filter(lambda name: name.strip() and name.isprintable()))
def test_any_name_can_act(name):
    body = {"model": "m", "messages": [{"role": "user", "content": render("action", "en", name=name)}]}
    response = asyncio.run(post(json.dumps(body)))
    told = json.loads(response.json()["choices"][0]["message"]["content"])
    assert harmless(name).strip() in told["action"]
