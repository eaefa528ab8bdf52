"""The chat client: one call to an OpenAI-compatible endpoint, streamed when somebody watches."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import openai
from openai import AsyncOpenAI
from openai.types import CompletionUsage
from pydantic import SecretStr

from characterbox.errors import EndpointError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.reading import storable
from characterbox.llm.rehearsal import rehearsal_app
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.llm.request import Form, Request

OnToken = Callable[[Request, str], None]
"""Takes the pieces of a reply as they stream; an empty piece says that the call is about to leave."""

MAX_RETRIES = 5
TIMEOUT = 180.0
"""Seconds after which a silent endpoint counts as failed."""
MAX_TOKENS = 1200
"""Bound of one reply: a step of a story is a few sentences."""

_FORMATS: tuple[Callable[[Form], Mapping[str, Any]], ...] = (
    lambda form: {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": form.name, "strict": True, "schema": form.schema},
        }
    },
    lambda _: {"response_format": {"type": "json_object"}},
    lambda _: {},
)
"""How a structured reply is asked for, from the strictest way to none at all."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of a reply and what it took."""

    text: str
    attempts: int
    latency: float
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    finish_reason: str | None


class _BrokenStream(Exception):
    """A stream broke off before the reply was complete: it can't be taken up again, only asked for anew."""

    def __init__(self, attempts: int) -> None:
        self.attempts = attempts


class Client:
    """Calls endpoints. It belongs to the event loop it is first used on; close it there."""

    def __init__(self, api_key: SecretStr | None = None, rehearsal_latency: float = 0.0) -> None:
        self._key = api_key.get_secret_value() if api_key else None
        self._rehearsal_latency = rehearsal_latency
        self._clients: dict[str, AsyncOpenAI] = {}
        self._format: dict[Endpoint, int] = {}

    async def complete(
        self, endpoint: Endpoint, request: Request, *, seed: int, on_token: OnToken | None = None
    ) -> Completion:
        """The reply to a request. Raises EndpointError when the endpoint refuses, or fails after all retries."""
        level = self._format.get(endpoint, 0)
        while True:
            try:
                completion = await self._call(endpoint, request, level, seed, on_token)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if request.form is None or level == len(_FORMATS) - 1:
                    raise self._failure(endpoint, error) from error
                level += 1
            except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
                raise self._failure(endpoint, error) from error
            else:
                self._format[endpoint] = max(self._format.get(endpoint, 0), level)
                return completion

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.close()

    async def _call(
        self, endpoint: Endpoint, request: Request, level: int, seed: int, on_token: OnToken | None
    ) -> Completion:
        arguments: dict[str, Any] = {
            "model": endpoint.model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "seed": seed,
            "max_completion_tokens": MAX_TOKENS,
            **(_FORMATS[level](request.form) if request.form else {}),
        }
        if on_token is not None:
            on_token(request, "")
        if on_token is None or request.form is not None:
            return await self._whole(endpoint, arguments)
        try:
            return await self._streamed(endpoint, arguments, lambda piece: on_token(request, piece))
        except _BrokenStream as broken:
            on_token(request, "")
            completion = await self._whole(endpoint, arguments)
            return replace(completion, attempts=completion.attempts + broken.attempts)

    async def _whole(self, endpoint: Endpoint, arguments: dict[str, Any]) -> Completion:
        started = time.perf_counter()
        raw = await self._client(endpoint).chat.completions.with_raw_response.create(**arguments)
        completion = raw.parse()
        if not getattr(completion, "choices", None):
            raise ValueError("the answer is no chat completion: it has no choices")
        choice = completion.choices[0]
        if choice.message is None or not isinstance(choice.message.content, str | None):
            raise ValueError("the answer is no chat completion: it has no message of text")
        text = choice.message.content or ""
        return _completion(text, raw.retries_taken, started, completion.usage, choice.finish_reason)

    async def _streamed(
        self, endpoint: Endpoint, arguments: dict[str, Any], on_piece: Callable[[str], None]
    ) -> Completion:
        started = time.perf_counter()
        raw = await self._client(endpoint).chat.completions.with_raw_response.create(
            **arguments, stream=True, stream_options={"include_usage": True}
        )
        pieces: list[str] = []
        usage, finish_reason = None, None
        try:
            async for chunk in raw.parse():
                usage = chunk.usage or usage
                for choice in (chunk.choices or ())[:1]:
                    finish_reason = choice.finish_reason or finish_reason
                    if choice.delta and choice.delta.content:
                        pieces.append(choice.delta.content)
                        on_piece(choice.delta.content)
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise _BrokenStream(raw.retries_taken + 1) from error
        if finish_reason is None:
            raise _BrokenStream(raw.retries_taken + 1)
        return _completion("".join(pieces), raw.retries_taken, started, usage, finish_reason)

    def _client(self, endpoint: Endpoint) -> AsyncOpenAI:
        if endpoint.url not in self._clients:
            self._clients[endpoint.url] = self._open(endpoint)
        return self._clients[endpoint.url]

    def _open(self, endpoint: Endpoint) -> AsyncOpenAI:
        if endpoint.is_rehearsal:
            transport = AppTransport(rehearsal_app(self._rehearsal_latency))
            return AsyncOpenAI(
                base_url="http://rehearsal/v1",
                api_key="none",
                http_client=httpx2.AsyncClient(transport=transport),
            )
        return AsyncOpenAI(base_url=endpoint.url, api_key=self._key or "none", max_retries=MAX_RETRIES, timeout=TIMEOUT)

    def _failure(self, endpoint: Endpoint, error: Exception) -> EndpointError:
        """The error in one line, without anything secret in it."""
        text = str(error)
        if cause := error.__cause__:
            text = f"{text.rstrip('.')}: {cause}" if str(cause) else text
        text = " ".join(text.split())
        if self._key:
            text = text.replace(self._key, "***")
        return EndpointError(f"endpoint {endpoint}: {type(error).__name__}: {text[:300]}")


def _completion(
    text: str, retries: int, started: float, usage: CompletionUsage | None, finish_reason: str | None
) -> Completion:
    details = usage.prompt_tokens_details if usage else None
    return Completion(
        text=storable(text),
        attempts=retries + 1,
        latency=time.perf_counter() - started,
        prompt_tokens=usage.prompt_tokens if usage else None,
        completion_tokens=usage.completion_tokens if usage else None,
        cached_tokens=details.cached_tokens if details else None,
        finish_reason=finish_reason,
    )
