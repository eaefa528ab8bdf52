"""The wire: HTTP requests to one address, over as many connections as are under way at once.

Each connection is a client of its own and the one used last is taken first, as the pool of one client looks through
all its connections at each request: with 200 under way that takes longer than the request itself.
"""

import errno
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache

import httpx2

from characterbox.llm.trouble import Refusal, Trouble

MOST_BYTES = 16_000_000
"""More than that is no answer."""
_IDLE = 4.0
"""Seconds that an unused connection counts as alive: uvicorn, and so vLLM, closes it after five."""
_CONNECT = 15.0
"""Seconds within which a connection stands, or there is nobody."""


@cache
def _trusted() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


class Wire:
    """Sends requests to one base URL. It belongs to one event loop; close it there."""

    def __init__(self, url: str, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._url = url
        self._shared = None if transport is None else httpx2.AsyncClient(transport=transport)
        self._all: list[httpx2.AsyncClient] = []
        self._idle: list[httpx2.AsyncClient] = []

    @asynccontextmanager
    async def request(
        self, path: str, body: bytes | None = None, *, key: str | None, patience: float
    ) -> AsyncIterator[httpx2.Response]:
        """The response to a POST of JSON, or to a GET if there is no body, as soon as it has begun.

        Raises Trouble when nobody answers, the server is silent for `patience` seconds, or the connection breaks.
        """
        headers = {"accept-encoding": "identity", "user-agent": "characterbox"}
        if body is not None:
            headers["content-type"] = "application/json"
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        times = httpx2.Timeout(patience, connect=min(patience, _CONNECT), pool=None)
        method = "GET" if body is None else "POST"
        client = self._shared or (self._idle.pop() if self._idle else self._open())
        try:
            with _troubles(patience):
                async with client.stream(
                    method, f"{self._url}{path}", content=body, headers=headers, timeout=times
                ) as response:
                    yield response
        finally:
            if client is not self._shared:
                self._idle.append(client)

    async def close(self) -> None:
        """Close all connections."""
        for client in [*self._all, *([self._shared] if self._shared else [])]:
            await client.aclose()

    def _open(self) -> httpx2.AsyncClient:
        client = httpx2.AsyncClient(verify=_trusted(), limits=httpx2.Limits(keepalive_expiry=_IDLE))
        self._all.append(client)
        return client


async def whole(response: httpx2.Response) -> bytes:
    """The body of a response. Raises Trouble if it does not end."""
    parts, size = [], 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise Trouble("no chat completion", f"more than {MOST_BYTES} bytes")
    return b"".join(parts)


@contextmanager
def _troubles(patience: float) -> Iterator[None]:
    """Says what went wrong on the wire."""
    try:
        yield
    except httpx2.ConnectTimeout as error:
        raise Trouble("no connection", f"in {min(patience, _CONNECT):g} s", unreachable=True) from error
    except httpx2.TimeoutException as error:
        raise Trouble(f"timed out after {patience:g} s", timed_out=True) from error
    except httpx2.ConnectError as error:
        if _is_refusal(error):
            raise Trouble("connection refused", unreachable=True) from error
        raise Trouble("no connection", str(error), unreachable=True) from error
    except (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ProxyError) as error:
        raise Trouble("connection broken", str(error)) from error
    except httpx2.DecodingError as error:
        raise Trouble("no chat completion", str(error)) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise Refusal(0, "", f"it cannot be asked ({type(error).__name__}: {error})") from error


def _is_refusal(error: BaseException | None) -> bool:
    """Whether nobody listens at a port, somewhere in the causes of an error."""
    seen: list[BaseException | None] = []
    while error is not None and error not in seen:
        if isinstance(error, ExceptionGroup):
            return all(_is_refusal(one) for one in error.exceptions)
        if isinstance(error, OSError) and error.errno == errno.ECONNREFUSED:
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False
