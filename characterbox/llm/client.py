"""The chat client: one call to an OpenAI-compatible endpoint, streamed when somebody watches."""

import re
import time
from collections.abc import Callable, Collection, Mapping
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
MAX_TOKENS = 4000
"""Bound of one reply, thinking included: a safety net, as a critique takes less and a step of a story far less."""

MAX_TEXT = 40_000
"""Characters of a reply that are taken, whatever the endpoint makes of the bound; a longer one counts as cut off."""

_BOUNDS = ("max_completion_tokens", "max_tokens")
"""What the bound of a reply is called, now and before."""
_FORMATS: Mapping[str, Callable[[Form], Mapping[str, Any]]] = {
    "json_schema": lambda form: {
        "type": "json_schema",
        "json_schema": {"name": form.name, "strict": True, "schema": form.schema},
    },
    "json_object": lambda _: {"type": "json_object"},
}
"""How a structured reply is asked for, the strictest way first."""
_ABOUT_FORMAT = r"response.?format|json.?(?:object|mode)|structured.?output|schema|grammar|guided"
"""What an error that refuses a format speaks of."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of a reply and what it took."""

    text: str
    attempts: int
    """How many times the call was sent for this reply, those counted that failed or were refused."""
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
    """Calls endpoints. It belongs to the event loop it is first used on; close it there.

    An option that an endpoint refuses, such as the seed, is left out from then on, or asked for in an older way.
    """

    def __init__(self, api_key: SecretStr | None = None, rehearsal_latency: float = 0.0) -> None:
        self._key = api_key.get_secret_value() if api_key else None
        self._rehearsal_latency = rehearsal_latency
        self._clients: dict[str, AsyncOpenAI] = {}
        self._refused: dict[Endpoint, frozenset[str]] = {}
        """The options and formats that an endpoint was found to refuse."""

    async def complete(
        self, endpoint: Endpoint, request: Request, *, seed: int, on_token: OnToken | None = None
    ) -> Completion:
        """The reply to a request. Raises EndpointError when the endpoint refuses, or fails after all retries."""
        refused, sent = self._refused.get(endpoint, frozenset()), 0
        while True:
            options = _options(request, seed, refused, streamed=on_token is not None and request.form is None)
            try:
                completion = await self._call(endpoint, request, options, on_token)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if (named := _refused_by(error, options)) is None:
                    raise self._failure(endpoint, error) from error
                refused |= {named}
                sent += int(error.request.headers["x-stainless-retry-count"]) + 1
            except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
                raise self._failure(endpoint, error) from error
            else:
                self._refused[endpoint] = self._refused.get(endpoint, frozenset()) | refused
                return replace(completion, attempts=completion.attempts + sent)

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.close()

    async def _call(
        self, endpoint: Endpoint, request: Request, options: dict[str, Any], on_token: OnToken | None
    ) -> Completion:
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        arguments = {"model": endpoint.model, "messages": messages, **options}
        if on_token is not None:
            on_token(request, "")
        if on_token is None or "stream" not in options:
            return await self._whole(endpoint, arguments)
        try:
            return await self._streamed(endpoint, arguments, lambda piece: on_token(request, piece))
        except _BrokenStream as broken:
            on_token(request, "")
            arguments = {name: value for name, value in arguments.items() if not name.startswith("stream")}
            completion = await self._whole(endpoint, arguments)
            return replace(completion, attempts=completion.attempts + broken.attempts)

    async def _whole(self, endpoint: Endpoint, arguments: dict[str, Any]) -> Completion:
        started = time.perf_counter()
        raw = await self._client(endpoint).chat.completions.with_raw_response.create(**arguments)
        completion = raw.parse()
        choices = getattr(completion, "choices", None)
        if not isinstance(choices, list) or not choices:
            raise ValueError("the answer is no chat completion: it has no choices")
        message = getattr(choices[0], "message", None)
        if not isinstance(text := getattr(message, "content", 0), str | None):
            raise ValueError("the answer is no chat completion: it has no message of text")
        return self._completion(text or "", raw.retries_taken, started, completion.usage, choices[0].finish_reason)

    async def _streamed(
        self, endpoint: Endpoint, arguments: dict[str, Any], on_piece: Callable[[str], None]
    ) -> Completion:
        started = time.perf_counter()
        raw = await self._client(endpoint).chat.completions.with_raw_response.create(**arguments)
        text, usage, finish_reason = "", None, None
        try:
            async for chunk in raw.parse():
                usage = getattr(chunk, "usage", None) or usage
                choices = getattr(chunk, "choices", None)
                for choice in choices[:1] if isinstance(choices, list) else ():
                    finish_reason = getattr(choice, "finish_reason", None) or finish_reason
                    piece = getattr(getattr(choice, "delta", None), "content", None)
                    if isinstance(piece, str) and piece and len(text) <= MAX_TEXT:
                        text += piece
                        on_piece(piece)
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise _BrokenStream(raw.retries_taken + 1) from error
        if finish_reason is None:
            raise _BrokenStream(raw.retries_taken + 1)
        return self._completion(text, raw.retries_taken, started, usage, finish_reason)

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

    def _completion(
        self, text: str, retries: int, started: float, usage: CompletionUsage | None, finish_reason: str | None
    ) -> Completion:
        """What is taken of an answer: no more text than a step needs, no key of ours in it, no figures but counts."""
        if self._key:
            text = text.replace(self._key, "***")
        details = getattr(usage, "prompt_tokens_details", None)
        return Completion(
            text=storable(text[:MAX_TEXT]),
            attempts=retries + 1,
            latency=time.perf_counter() - started,
            prompt_tokens=_count(usage, "prompt_tokens"),
            completion_tokens=_count(usage, "completion_tokens"),
            cached_tokens=_count(details, "cached_tokens"),
            finish_reason="length" if len(text) > MAX_TEXT else finish_reason,
        )

    def _failure(self, endpoint: Endpoint, error: Exception) -> EndpointError:
        """The error in one line, without anything secret in it."""
        text = str(error)
        if isinstance(error, openai.APIStatusError) and " - " not in text:
            text = f"{text} - {error.response.text}"
        if cause := error.__cause__:
            text = f"{text.rstrip('.')}: {cause}" if str(cause) else text
        text = " ".join(text.split())
        if self._key:
            text = text.replace(self._key, "***")
        return EndpointError(f"endpoint {endpoint}: {type(error).__name__}: {text[:300]}")


def _options(request: Request, seed: int, refused: Collection[str], *, streamed: bool) -> dict[str, Any]:
    """What is asked of an endpoint besides the messages, but for what it refuses."""
    options: dict[str, Any] = {"seed": seed}
    for bound in [name for name in _BOUNDS if name not in refused][:1]:
        options[bound] = MAX_TOKENS
    for way in [name for name in _FORMATS if name not in refused][:1]:
        if request.form is not None:
            options["response_format"] = _FORMATS[way](request.form)
    if streamed:
        options |= {"stream": True, "stream_options": {"include_usage": True}}
    return {name: value for name, value in options.items() if name not in refused}


def _refused_by(error: openai.APIStatusError, options: Mapping[str, Any]) -> str | None:
    """The option that the error speaks of first, a format by its type; None if it speaks of none."""
    marks = {name: rf"\b{name}\b" for name in options if name in ("seed", "stream_options", *_BOUNDS)}
    if "response_format" in options:
        marks[options["response_format"]["type"]] = _ABOUT_FORMAT
    found = {name: re.search(mark, error.response.text, re.IGNORECASE) for name, mark in marks.items()}
    places = {name: match.start() for name, match in found.items() if match}
    return min(places, key=places.__getitem__, default=None)


def _count(of: object, name: str) -> int | None:
    """A count that the endpoint gives; None when it gives none, or something that is none."""
    count = getattr(of, name, None)
    return count if isinstance(count, int) and 0 <= count < 2**31 else None
