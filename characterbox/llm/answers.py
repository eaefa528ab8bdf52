"""Reading the answers of endpoints that speak the OpenAI chat API, as far as they are what they should be."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx2

from characterbox.llm.patience import retry_after
from characterbox.llm.trouble import Refusal, Trouble
from characterbox.llm.wire import MOST_BYTES, whole

MAX_TEXT = 40_000
"""Characters of a reply that are taken, whatever the endpoint makes of the bound; a longer one counts as cut off."""

_PASSING = frozenset({408, 409, 425, 429})
_BUSY = frozenset({429, 503, 529})
"""Statuses that ask to come later; their Retry-After goes for all calls."""
_SPENT = re.compile(r"insufficient[_ ]?(?:quota|balance|funds)|billing|余额不足|欠费|额度", re.IGNORECASE)
_LONGEST_LINE = 4_000_000
_CLOSING = 1.0
"""Seconds that a stream has to end after it said that it does."""
_NO_COMPLETION = "no chat completion"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an endpoint answered."""

    text: str
    finish_reason: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None


async def check(response: httpx2.Response) -> None:
    """Raise Trouble or Refusal, by the status, if the response is no success."""
    status = response.status_code
    if status == 200:
        return
    text = (await whole(response)).decode("utf-8", "replace")
    said = said_in(text)
    if status in (402, 429) and (status == 402 or _SPENT.search(text)):
        raise Trouble(f"HTTP {status}", said, spent=True)
    if status in _PASSING or status >= 500:
        after = retry_after(response.headers, datetime.now(UTC))
        busy = status in _BUSY
        raise Trouble(f"HTTP {status}", said, after=after, holds=busy and after is not None, later=busy)
    if 300 <= status < 400:
        said = f"it leads on to {response.headers.get('location', 'another address')}; give that address"
    raise Refusal(status, text, said)


def read_completion(body: bytes) -> Answer:
    """The answer in a whole body. Raises Trouble if it is none."""
    content = _json(body)
    choice = _first_choice(content)
    message = choice.get("message") if choice is not None else None
    text = message.get("content") if isinstance(message, dict) else 0
    if choice is None or not isinstance(text, str | None):
        raise Trouble(_NO_COMPLETION, said_in(body[:10_000].decode("utf-8", "replace")))
    return _answer(text or "", _text(choice.get("finish_reason")), content.get("usage"))


async def read_stream(response: httpx2.Response, on_piece: Callable[[str], None]) -> Answer:
    """The answer in a stream, of which each piece is handed on. Raises Trouble if it breaks off, or is no stream.

    A stream is left as soon as more came than is taken of a reply.
    """
    pieces, size = [], 0
    finish_reason, usage = None, None
    try:
        async for data in _events(response):
            chunk = _json(data)
            usage = chunk.get("usage") or usage
            if "error" in chunk:
                raise Trouble("stream broken off", said_in(data.decode("utf-8", "replace")))
            if (choice := _first_choice(chunk)) is None:
                continue
            finish_reason = _text(choice.get("finish_reason")) or finish_reason
            delta = choice.get("delta")
            piece = delta.get("content") if isinstance(delta, dict) else None
            if isinstance(piece, str) and piece:
                pieces.append(piece)
                on_piece(piece[: max(0, MAX_TEXT - size)])
                size += len(piece)
                if size > MAX_TEXT:
                    break
    except httpx2.HTTPError as error:
        if isinstance(error, httpx2.TimeoutException):
            raise
        raise Trouble("stream broken off", str(error)) from error
    if finish_reason is None and size <= MAX_TEXT:
        raise Trouble("stream broken off")
    return _answer("".join(pieces), finish_reason, usage)


def said_in(text: str) -> str:
    """What the body of an answer says to people, in one line of 300 characters at most."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict):
        error = content.get("error", content)
        message = error.get("message") if isinstance(error, dict) else error
        text = message if isinstance(message, str) and message else text
    return " ".join(text[:3000].split())[:300]


def _answer(text: str, finish_reason: str | None, usage: Any) -> Answer:
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    return Answer(
        text=text[:MAX_TEXT],
        finish_reason="length" if len(text) > MAX_TEXT else finish_reason,
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        cached_tokens=_count(details, "cached_tokens"),
    )


async def _events(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The data of server-sent events, up to the one that says that there are no more."""
    rest, size = b"", 0
    parts = response.aiter_bytes()
    async for part in parts:
        size += len(part)
        if size > MOST_BYTES or len(rest) > _LONGEST_LINE:
            raise Trouble(_NO_COMPLETION, "a stream without end")
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            if line.startswith(b"data:") and (data := line[5:].strip()) == b"[DONE]":
                await _drain(parts)
                return
            elif line.startswith(b"data:"):
                yield data


async def _drain(parts: AsyncIterator[bytes]) -> None:
    """Read the end of a body of which all is known, so that its connection can be used again."""
    with suppress(httpx2.HTTPError, TimeoutError):
        async with asyncio.timeout(_CLOSING):
            async for _ in parts:
                pass


def _json(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise Trouble(_NO_COMPLETION, said_in(body[:10_000].decode("utf-8", "replace")))
    return content


def _first_choice(content: dict[str, Any]) -> dict[str, Any] | None:
    choices = content.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(of: object, name: str) -> int | None:
    """A count that the endpoint gives; None when it gives none, or something that is none."""
    count = of.get(name) if isinstance(of, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**31 else None
