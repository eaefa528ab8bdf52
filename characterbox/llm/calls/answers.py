"""Reading the answers of endpoints that speak the OpenAI chat API, as far as they are what they should be.

Keys are masked before a text is cut: where one stands across the cut, its first part would not be known any more.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from characterbox.llm.calls.retry_policy import Refusal, TransportError, retry_after
from characterbox.llm.keys import Keyring
from characterbox.llm.usage import NO_USAGE, Usage
from characterbox.llm.vectors import packed_vectors
from characterbox.pause_reasons import InnerAddress, Reason, ServerWords, said

if TYPE_CHECKING:
    from characterbox.llm.calls.http import Response

MAX_TEXT = 40_000
"""Characters of a reply that are taken, whatever the endpoint makes of the bound; a longer one counts as cut off."""

_PASSING = frozenset({408, 409, 425, 429})
_BUSY = frozenset({429, 503, 529})
"""Statuses that ask to come later; their Retry-After goes for all calls."""
_SPENT = re.compile(r"insufficient[_ ]?(?:quota|balance|funds)|billing|余额不足|欠费|额度", re.IGNORECASE)
_LONGEST_LINE = 4_000_000
_CLOSING = 1.0
"""Seconds that a stream has to end after it said that it does."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of a reply, without keys in it, why it ended, and what it took."""

    text: str
    finish_reason: str | None = None
    usage: Usage = NO_USAGE


@dataclass(slots=True)
class _Text:
    """The text of a reply that comes in pieces, of which no more is shown and kept than is taken."""

    show: Callable[[str], None]
    pieces: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, piece: str) -> None:
        if taken := piece[: max(0, MAX_TEXT - self.size)]:
            self.show(taken)
        self.pieces.append(piece)
        self.size += len(piece)


async def check(response: "Response", keys: Keyring) -> None:
    """Raise Trouble or Refusal, by the status, if the response is no success."""
    status = response.status
    if status == 200:
        return
    text = (await response.whole()).decode("utf-8", "replace")
    kind, words = Reason("status", status=status), _said_in(text, keys)
    if status in (402, 429) and (status == 402 or _SPENT.search(text)):
        raise TransportError(kind, words, spent=True)
    if status in _PASSING or status >= 500:
        after = retry_after(response.headers, datetime.now(UTC))
        busy = status in _BUSY
        raise TransportError(kind, words, after=after, holds=busy and after is not None, later=busy)
    if 300 <= status < 400:
        address = response.headers.get("location")
        to = Reason("leads_on", address=InnerAddress(address)) if address else Reason("leads_elsewhere")
        raise Refusal(said(kind, to), status, text)
    raise Refusal(said(kind, words), status, text)


def read_completion(body: bytes, keys: Keyring) -> Completion:
    """The answer in a whole body. Raises Trouble if it is none."""
    content = _json(body, keys)
    choice = _first_choice(content)
    message = choice.get("message") if choice is not None else None
    text = message.get("content") if isinstance(message, dict) else 0
    if choice is None or not isinstance(text, str | None):
        raise TransportError(Reason("no_completion"), _said_in(body.decode("utf-8", "replace"), keys))
    return _answer(keys.mask(text or ""), _finish_reason(choice, keys), content.get("usage"))


def read_embeddings(body: bytes, count: int, keys: Keyring) -> Completion:
    """The vectors of so many texts in a whole body, packed. Raises Trouble if they are not there."""
    content = _json(body, keys, "no_embeddings")
    try:
        listed = sorted(content["data"], key=lambda entry: int(entry["index"]))
        vectors = np.array([entry["embedding"] for entry in listed], dtype=np.float64)
        if [entry["index"] for entry in listed] != [*range(count)] or vectors.ndim != 2 or not vectors.shape[1]:
            raise ValueError("it is not one vector for each text")
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ValueError("a vector points nowhere")
    except (KeyError, OverflowError, TypeError, ValueError):
        told = _said_in(json.dumps(content["error"]), keys) if content.get("error") else None
        raise TransportError(Reason("no_embeddings"), told) from None
    usage = content.get("usage")
    taken = Usage(prompt_tokens=_count(usage, "prompt_tokens"), completion_tokens=0)
    return Completion(packed_vectors(vectors), usage=taken)


async def read_stream(response: "Response", show: Callable[[str], None], keys: Keyring) -> Completion:
    """The answer in a stream, of which each piece is shown. Raises Trouble if it breaks off, or is no stream.

    A stream is left as soon as more came than is taken of a reply, and counts as silent when it brings no data for
    `response.patience` seconds, whatever it brings to stay alive.
    """
    text = _Text(show)
    finish_reason, usage = None, None
    async with aclosing(_events(response)) as events:
        with keys.veiled(text.add) as add:
            async for data in events:
                chunk = _json(data, keys)
                usage = chunk.get("usage") or usage
                if chunk.get("error"):
                    raise TransportError(Reason("broken_off"), _said_in(data.decode("utf-8", "replace"), keys))
                if (choice := _first_choice(chunk)) is None:
                    continue
                finish_reason = _finish_reason(choice, keys) or finish_reason
                delta = choice.get("delta")
                piece = delta.get("content") if isinstance(delta, dict) else None
                if isinstance(piece, str) and piece:
                    add(piece)
                    if text.size > MAX_TEXT:
                        break
    if finish_reason is None and text.size <= MAX_TEXT:
        raise TransportError(Reason("broken_off"))
    return _answer("".join(text.pieces), finish_reason, usage)


def _said_in(text: str, keys: Keyring) -> ServerWords | None:
    """What the body of an answer says to people, in one line of 300 characters at most; None if nothing."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict):
        error = content.get("error", content)
        message = error.get("message") if isinstance(error, dict) else error
        text = message if isinstance(message, str) and message else text
    words = " ".join(keys.mask(text)[:3000].split())[:300]
    return ServerWords(words) if words else None


def _answer(text: str, finish_reason: str | None, usage: Any) -> Completion:
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    counts = Usage(
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        cached_tokens=_count(details, "cached_tokens"),
    )
    return Completion(text[:MAX_TEXT], "length" if len(text) > MAX_TEXT else finish_reason, counts)


async def _events(response: "Response") -> AsyncGenerator[bytes, None]:
    """The data of server-sent events, up to the one that says that there are no more."""
    rest, size, loop = b"", 0, asyncio.get_running_loop()
    silent = loop.time() + response.patience
    async with aclosing(response.parts()) as parts:
        while part := await response.next_part(parts, silent):
            size += len(part)
            if size > response.MOST_BYTES or len(rest) > _LONGEST_LINE:
                raise TransportError(Reason("no_completion"), Reason("endless"))
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                if not line.startswith(b"data:"):
                    continue
                if (data := line[5:].strip()) == b"[DONE]":
                    await _drain(parts)
                    return
                silent = loop.time() + response.patience
                yield data


async def _drain(parts: AsyncGenerator[bytes, None]) -> None:
    """Read the end of a body of which all is known, so that its connection can be used again."""
    with suppress(TransportError, TimeoutError):
        async with asyncio.timeout(_CLOSING):
            async for _ in parts:
                pass


def _json(body: bytes, keys: Keyring, otherwise: str = "no_completion") -> dict[str, Any]:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise TransportError(Reason(otherwise), _said_in(body.decode("utf-8", "replace"), keys))
    return content


def _first_choice(content: dict[str, Any]) -> dict[str, Any] | None:
    choices = content.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else None


def _finish_reason(choice: dict[str, Any], keys: Keyring) -> str | None:
    told = choice.get("finish_reason")
    return keys.mask(told) if isinstance(told, str) else None


def _count(of: object, name: str) -> int | None:
    """A count that the endpoint gives; None when it gives none, or something that is none."""
    count = of.get(name) if isinstance(of, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**31 else None


@dataclass(frozen=True, slots=True)
class Offer:
    """One model that is offered."""

    model: str
    context: int | None
    """Tokens of its context window, as vLLM tells it; that of its base for an adapter. None when not told."""


def read_offers(body: bytes) -> tuple[Offer, ...]:
    """The models in an answer to `GET /models`. Raises Trouble if it is no list of models."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    listed = content.get("data") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise TransportError(Reason("no_models"))
    models = {entry["id"]: entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str)}
    return tuple(Offer(model, _context(entry, models)) for model, entry in models.items())


def _context(entry: dict[str, Any], models: dict[str, dict[str, Any]]) -> int | None:
    parent = entry.get("parent")
    base = models.get(parent, {}) if isinstance(parent, str) else {}
    told = [of.get("max_model_len") for of in (entry, base)]
    return next((tokens for tokens in told if type(tokens) is int and 0 < tokens < 2**31), None)
