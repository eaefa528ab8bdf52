"""Asking a server of this computer whether it is well, what it serves, and how much it has to do."""

import asyncio
import math
import re
from contextlib import aclosing
from dataclasses import dataclass

import httpx2
from pydantic import BaseModel, ValidationError

from characterbox.errors import EndpointDown, EndpointError
from characterbox.llm.calls.address import Reach
from characterbox.llm.calls.http import Wire
from characterbox.llm.calls.retry_policy import Refusal, TransportError
from characterbox.values import Value

_PATIENCE = 1.0
"""Seconds that a server may be silent."""


class Answer(Value):
    """What a server that is well serves."""

    models: tuple[str, ...]
    """Their names, adapters included."""
    context: int | None
    """Tokens that prompt and reply have room for."""


class _Model(BaseModel):
    id: str
    max_model_len: int | None = None


class _Models(BaseModel):
    data: list[_Model]


def ask(root: str) -> Answer:
    """What the server at an address such as `http://127.0.0.1:8000` serves.

    Raises TimeoutError when it is silent, as one may be that has much to do, and EndpointDown when it is not there or
    says that it is not well.
    """
    try:
        with httpx2.Client(base_url=root, timeout=_PATIENCE, trust_env=False) as client:
            client.get("/health").raise_for_status()
            told = _Models.model_validate_json(client.get("/v1/models").raise_for_status().content)
    except httpx2.TimeoutException as error:
        raise TimeoutError(f"{root} is silent") from error
    except httpx2.HTTPStatusError as error:
        raise EndpointDown(
            "{url} returned status {status}", url=error.request.url, status=error.response.status_code
        ) from error
    except httpx2.HTTPError as error:
        raise EndpointDown("{root} cannot be reached ({kind})", root=root, kind=type(error).__name__) from error
    except ValidationError as error:
        raise EndpointDown("{root}/v1/models lists no model names", root=root) from error
    lengths = [model.max_model_len for model in told.data if model.max_model_len is not None]
    return Answer(models=tuple(model.id for model in told.data), context=min(lengths, default=None))


_MOST = 8_000_000
"""Bytes of an answer that are read; a real one has about 60,000 per engine."""
_SAMPLE = re.compile(r"^vllm:(\w+)(?:\{.*\})? (\S+)(?: -?\d+)?$", re.MULTILINE)
_NAMES = {
    "num_requests_running": "running",
    "num_requests_waiting": "waiting",
    "kv_cache_usage_perc": "kv_cache_usage",
    "gpu_cache_usage_perc": "kv_cache_usage",
    "prompt_tokens_total": "prompt_tokens",
    "generation_tokens_total": "generation_tokens",
    "prefix_cache_queries_total": "prefix_queries",
    "gpu_prefix_cache_queries_total": "prefix_queries",
    "prefix_cache_hits_total": "prefix_hits",
    "gpu_prefix_cache_hits_total": "prefix_hits",
}
"""What vLLM calls the figures, in this version and in older ones, of which a server tells one."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """Figures of a server, all its engines together. None is a figure that this version does not tell."""

    running: int | None
    """Requests that are being worked on."""
    waiting: int | None
    """Requests in the queue."""
    kv_cache_usage: float | None
    """The share of the key-value cache that is in use, from 0 to 1; that of the fullest engine."""
    prompt_tokens: int | None
    """Tokens of prompts since the server started."""
    generation_tokens: int | None
    """Tokens of replies since the server started."""
    prefix_queries: int | None
    """Tokens that were looked up in the prefix cache since the server started."""
    prefix_hits: int | None
    """How many of them were found there."""

    @property
    def hit_rate(self) -> float | None:
        """The share of tokens found in the prefix cache; None before the first prompt."""
        return self.prefix_hits / self.prefix_queries if self.prefix_queries and self.prefix_hits is not None else None


def read_metrics(text: str) -> Metrics:
    """The figures in an answer of `/metrics`, in the text format of Prometheus. Names of older versions are known.

    Raises EndpointError if nothing in it comes from vLLM, or a figure is no number.
    """
    samples: dict[str, list[float]] = {}
    for name, value in _SAMPLE.findall(text):
        if name in _NAMES:
            samples.setdefault(_NAMES[name], []).append(_number(name, value))
    if not samples:
        raise EndpointError("/metrics has no vLLM metrics; another program runs at this address")

    def total(name: str) -> int | None:
        return int(sum(samples[name])) if name in samples else None

    return Metrics(
        running=total("running"),
        waiting=total("waiting"),
        kv_cache_usage=max(samples["kv_cache_usage"]) if "kv_cache_usage" in samples else None,
        prompt_tokens=total("prompt_tokens"),
        generation_tokens=total("generation_tokens"),
        prefix_queries=total("prefix_queries"),
        prefix_hits=total("prefix_hits"),
    )


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise EndpointError("the value of vllm:{name} in /metrics is not a number", name=name)
    return number


def metrics(url: str, timeout: float = 3.0, reach: Reach = "anywhere") -> Metrics:
    """The figures of the vLLM server at a base URL such as `http://127.0.0.1:8000/v1`, started by the app or not.

    `timeout` is the longest silence in seconds, and `reach` where the connection may go. Raises EndpointDown when the
    server can't be reached, and EndpointError when it tells no figures, or its name leads beyond that reach. Not to be
    called where an event loop runs.
    """
    return read_metrics(asyncio.run(_told(url.rstrip("/").removesuffix("/v1"), timeout, reach)))


async def _told(root: str, patience: float, reach: Reach) -> str:
    address, content, wire = f"{root}/metrics", bytearray(), Wire(root)
    try:
        async with wire.request("/metrics", key=None, patience=patience, reach=reach) as response:
            if response.status != 200:
                raise EndpointError(
                    "{address} returned status {status}; it is not a vLLM server",
                    address=address,
                    status=response.status,
                )
            async with aclosing(response.parts()) as parts:
                while part := await response.next_part(parts, asyncio.get_running_loop().time() + patience):
                    content += part
                    if len(content) > _MOST:
                        raise EndpointError(
                            "the response from {address} does not end; it is not a vLLM server", address=address
                        )
    except TransportError as error:
        raise EndpointDown(
            "{address} cannot be reached ({kind}); check that the server is running", address=address, kind=error.kind
        ) from error
    except Refusal as error:
        raise EndpointError(error.reason) from error
    finally:
        await wire.close()
    return content.decode("utf-8", "replace")
