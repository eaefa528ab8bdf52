"""The probe: what an endpoint can do, found out by three short calls and a look at what it offers."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from characterbox.errors import EndpointDown, EndpointError
from characterbox.llm.calls.call import Format
from characterbox.llm.calls.client import Client, Completion
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import ChatMessage, Form, Request
from characterbox.pause_reasons import Reason, at_endpoint
from characterbox.values import Value

Part = Literal["models", "call", "stream", "structured"]
"""What is looked at, each for itself: a part that fails hides no other."""

_TINY, _SHORT = 16, 200
"""Tokens that the replies may have."""
_FORM = Form(
    "result",
    {
        "type": "object",
        "properties": {"result": {"type": "string"}, "importance": {"type": "integer"}},
        "required": ["result", "importance"],
        "additionalProperties": False,
    },
)
"""A form that stories ask for, so that the rehearsal knows it too."""


class Probe(Value):
    """What was found out about an endpoint. A value is None where its part failed, or where the endpoint is silent."""

    endpoint: Endpoint
    models: tuple[str, ...] | None = None
    """The names of the models that are offered."""
    context: int | None = None
    """Tokens of the context window, as vLLM tells it."""
    latency: float | None = None
    """Seconds of a call with a tiny prompt and reply."""
    pieces: int | None = None
    """In how many pieces a reply streamed."""
    first_token: float | None = None
    """Seconds until the first piece came."""
    tokens_per_second: float | None = None
    """The speed from the first piece to the last."""
    structured: Format | None = None
    """The strictest way of asking for a structured reply that works."""
    errors: Mapping[Part, Reason] = {}
    """Why a part failed, in one line."""

    @property
    def reachable(self) -> bool:
        """Whether the endpoint answered a call."""
        return self.latency is not None or self.pieces is not None or self.structured is not None


async def probe(client: Client, endpoint: Endpoint) -> Probe:
    """Try all parts, one after the other, so that they don't slow each other down. Raises nothing for what fails."""
    client.try_again(endpoint.url)
    parts: dict[Part, Callable[[Client, Endpoint], Awaitable[dict[str, Any]]]] = {
        "models": _models,
        "call": _call,
        "stream": _stream,
        "structured": _structured,
    }
    found: dict[str, Any] = {}
    errors: dict[Part, Reason] = {}
    for part, look in parts.items():
        try:
            found |= await look(client, endpoint)
        except EndpointDown as error:
            errors[part] = Reason.of(error)
            if part == "models":  # nobody is there: the calls would only take long to find out
                return Probe(endpoint=endpoint, errors=dict.fromkeys(parts, Reason.of(error)))
        except EndpointError as error:
            errors[part] = Reason.of(error)
    return Probe(endpoint=endpoint, errors=errors, **found)


async def _models(client: Client, endpoint: Endpoint) -> dict[str, Any]:
    offers = await client.offers(endpoint.url)
    if offers is None:
        return {}
    context = next((offer.context for offer in offers if offer.model == endpoint.model), None)
    return {"models": tuple(offer.model for offer in offers), "context": context}


async def _call(client: Client, endpoint: Endpoint) -> dict[str, Any]:
    done = await client.complete(endpoint, _request("call", "Say: yes."), seed=0, bound=_TINY)
    return {"latency": done.usage.latency}


async def _stream(client: Client, endpoint: Endpoint) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    started, times = loop.time(), list[float]()

    def note(_: Request, piece: str) -> None:
        nonlocal started
        if piece:
            times.append(loop.time())
        else:
            started = loop.time()
            times.clear()

    request = _request("stream", "Write out the numbers from one to thirty as words, nothing else.")
    done = await client.complete(endpoint, request, seed=0, on_token=note, bound=_SHORT)
    if not times:
        raise EndpointError(at_endpoint(endpoint, Reason("not_streamed", count=len(done.text))))
    return {"pieces": len(times), "first_token": times[0] - started, "tokens_per_second": _speed(done, times)}


def _speed(done: Completion, times: list[float]) -> float | None:
    """Tokens per second after the first piece; None when they were not counted, or came all at once."""
    took = times[-1] - times[0]
    tokens = done.usage.completion_tokens
    return (tokens - 1) / took if tokens and len(times) > 1 and took > 0 else None


async def _structured(client: Client, endpoint: Endpoint) -> dict[str, Any]:
    request = _request("structured", 'Answer with a JSON object like {"result": "yes", "importance": 1}', _FORM)
    done = await client.complete(endpoint, request, seed=0, bound=_SHORT)
    way = client.format_of(endpoint)
    if way != "text" and not _is_object(done.text):
        told = "no_object_cut" if done.finish_reason == "length" else "no_object"
        raise EndpointError(at_endpoint(endpoint, Reason(told, way=way)))
    return {"structured": way}


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def _request(part: Part, text: str, form: Form | None = None) -> Request:
    return Request(f"probe/{part}", None, "en", (ChatMessage("user", text),), form)
