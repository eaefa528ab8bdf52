"""The rehearsal as an application that speaks the OpenAI chat API."""

import asyncio
import hashlib
import json
import math
import re
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from characterbox.llm.rehearsal.brief import Turn
from characterbox.llm.rehearsal.grammar import MODELS
from characterbox.llm.rehearsal.improvise import improvise

_TOKEN = re.compile(r"\s*(?:[\u2e80-\uffff]|[^\s\u2e80-\uffff]{1,4})|\s+")
_MOST_CHUNKS = 24
_CREATED = 0
"""Replies carry no wall-clock time: equal requests get equal replies."""


class _Part(BaseModel):
    type: Literal["text"]
    text: str


class _ChatMessage(BaseModel):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[_Part]

    def turn(self) -> Turn:
        if isinstance(self.content, str):
            return Turn(self.role, self.content)
        return Turn(self.role, "".join(part.text for part in self.content))


class _JsonSchema(BaseModel):
    name: str


class _Prose(BaseModel):
    type: Literal["text", "json_object"]


class _Structured(BaseModel):
    type: Literal["json_schema"]
    json_schema: _JsonSchema


class _StreamOptions(BaseModel):
    include_usage: bool = False


class _ChatRequest(BaseModel):
    """The fields that matter here; sampling options such as temperature are accepted and have no effect."""

    model_config = ConfigDict(extra="ignore")

    model: Annotated[str, Field(min_length=1)]
    messages: Annotated[list[_ChatMessage], Field(min_length=1)]
    seed: int | None = None
    n: Literal[1] | None = None
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    response_format: Annotated[_Prose | _Structured, Field(discriminator="type")] | None = None

    def turns(self) -> list[Turn]:
        return [message.turn() for message in self.messages]

    def form(self) -> str | None:
        return self.response_format.json_schema.name if isinstance(self.response_format, _Structured) else None


def rehearsal_app(latency: float = 0.0, *, own_names_only: bool = False) -> Starlette:
    """The application. A reply takes `latency` seconds; a streamed one spreads them over its chunks.

    With its own names only, it refuses to answer as any other model: where others reach it by its address, nothing but
    the name tells them that it is no language model.
    Raises ValueError if the latency is negative.
    """
    if latency < 0:
        raise ValueError(f"latency: {latency} is less than 0 seconds")

    async def chat(request: Request) -> Response:
        arrived = asyncio.get_running_loop().time()
        try:
            asked = _ChatRequest.model_validate_json(await request.body())
        except ValidationError as error:
            return _refusal(error)
        if own_names_only and asked.model not in MODELS:
            return _error(404, f"model {asked.model!r}: there is none; there are {', '.join(MODELS)}", "model")
        if not asked.stream:
            await asyncio.sleep(latency / 2)  # so that others who come at the same time are not kept waiting
        turns = asked.turns()
        text = improvise(asked.model, turns, asked.seed, asked.form())
        usage = _usage(turns, text)
        head = {"id": _id_of(asked), "created": _CREATED, "model": asked.model}
        if asked.stream:
            include_usage = asked.stream_options is not None and asked.stream_options.include_usage
            events = _events(text, head, usage if include_usage else None, latency)
            return StreamingResponse(events, media_type="text/event-stream", headers={"cache-control": "no-cache"})
        await asyncio.sleep(arrived + latency - asyncio.get_running_loop().time())
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return JSONResponse({**head, "object": "chat.completion", "choices": [choice], "usage": usage})

    routes = [
        Route("/v1/models", _models, methods=["GET"]),
        Route("/v1/chat/completions", chat, methods=["POST"]),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _http_error})


def tokens(text: str) -> list[str]:
    """The text in pieces that stand for tokens: a Chinese character or up to four letters each."""
    return _TOKEN.findall(text)


async def _models(request: Request) -> Response:
    models = [{"id": id, "object": "model", "created": _CREATED, "owned_by": "characterbox"} for id in MODELS]
    return JSONResponse({"object": "list", "data": models})


async def _events(text: str, head: dict[str, Any], usage: dict[str, int] | None, latency: float) -> AsyncIterator[str]:
    """The reply as server-sent events."""
    pieces = tokens(text)
    size = max(1, math.ceil(len(pieces) / _MOST_CHUNKS))
    chunks = ["".join(pieces[at : at + size]) for at in range(0, len(pieces), size)]
    base = {**head, "object": "chat.completion.chunk"} | ({} if usage is None else {"usage": None})
    yield _event(base, {"role": "assistant", "content": ""})
    for chunk in chunks:
        await asyncio.sleep(latency / len(chunks))
        yield _event(base, {"content": chunk})
    yield _event(base, {}, finish_reason="stop")
    if usage is not None:
        yield f"data: {json.dumps({**base, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


def _event(base: dict[str, Any], delta: dict[str, str], finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return f"data: {json.dumps({**base, 'choices': [choice]}, ensure_ascii=False)}\n\n"


def _usage(turns: Sequence[Turn], text: str) -> dict[str, int]:
    asked, answered = sum(len(tokens(turn.content)) for turn in turns), len(tokens(text))
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _id_of(asked: _ChatRequest) -> str:
    return f"chatcmpl-{hashlib.sha256(asked.model_dump_json().encode()).hexdigest()[:24]}"


def _refusal(error: ValidationError) -> Response:
    first = error.errors(include_url=False)[0]
    param = ".".join(str(part) for part in first["loc"]) or None
    return _error(400, f"{param or 'body'}: {first['msg']}", param)


async def _http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return _error(error.status_code, f"{request.method} {request.url.path}: {error.detail}", None)


def _error(status: int, message: str, param: str | None) -> Response:
    content = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return JSONResponse({"error": content}, status_code=status)
