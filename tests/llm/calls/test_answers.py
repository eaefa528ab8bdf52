"""Answers that are JSON and still no chat completions, or more than a reply can be: the endpoint is at fault."""

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from characterbox.errors import EndpointError
from characterbox.llm.calls.client import MAX_TEXT, Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.server import Server
from tests.fakes.in_process_servers import ToNearby, nearby

REQUEST = Request("r1/ann/action", "Ann", "en", (ChatMessage("user", "What does Ann do?"),))


def answer(text="She bows.", **more):
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", **more} | {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]
    }


async def completed(body, key=None):
    async def complete(_):
        return JSONResponse(body)

    def registered(url):
        return Server(url=url, name="Lab", kind="api", key="LAB_API_KEY")

    client = Client(registered, key_of=lambda _: key, patience=RetryPolicy(pause=0.001), transport=ToNearby())
    with nearby(Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])) as address:
        try:
            return await client.complete(Endpoint(url=f"{address}/v1", model="m"), REQUEST, seed=1)
        finally:
            await client.close()


@pytest.mark.parametrize("choices", ["abc", [None], [{"message": "hello"}], [{"message": {"content": 7}}], []])
async def test_what_is_no_completion_is_the_endpoints_fault(choices):
    with pytest.raises(EndpointError, match="the response is not a chat completion"):
        await completed(answer() | {"choices": choices})


async def test_figures_that_are_no_counts_are_not_taken():
    usage = {"prompt_tokens": 10**30, "completion_tokens": 5, "total_tokens": 5, "prompt_tokens_details": "x"}
    reply = await completed(answer(usage=usage))
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cached_tokens) == (None, 5, None)


async def test_a_reply_without_end_counts_as_cut_off():
    reply = await completed(answer("ha " * MAX_TEXT))
    assert len(reply.text) == MAX_TEXT
    assert reply.finish_reason == "length"


async def test_a_key_that_is_echoed_is_not_kept():
    reply = await completed(answer("It is Bearer sk-secret."), SecretStr("sk-secret"))
    assert reply.text == "It is Bearer ***."
