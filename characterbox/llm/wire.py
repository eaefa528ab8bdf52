"""The wire: requests to one address, over as many connections as are under way at once.

Of openai we take the HTTP client that goes over aiohttp, and leave the one for the API: building and casting takes it
longer than all that is asked of it here, and answers are read by `answers`, as endpoints send what no type foresees.
"""

import asyncio
import errno
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from functools import cache
from urllib.request import getproxies

import aiohttp
import httpx2
import openai

from characterbox.llm.address import is_local
from characterbox.llm.trouble import Refusal, Trouble, timed_out
from characterbox.reasons import NO_CONNECTION_IN, NOT_WHOLE, REFUSED, TOO_LONG

MOST_BYTES = 16_000_000
"""More than that is no answer."""
_LIMITS = httpx2.Limits(max_connections=0, keepalive_expiry=4.0)
"""As many connections as are wanted; kept for seconds only, as uvicorn, and so vLLM, closes unused ones after five."""
_CONNECT = 15.0
"""Seconds within which a connection stands, or there is nobody."""
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "characterbox"}
_JSON = {"Content-Type": "application/json"}


@cache
def _trusted() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


class Response:
    """What an endpoint sends back, as soon as it has begun."""

    def __init__(self, response: httpx2.Response, patience: float) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self._response = response
        self._patience = patience

    async def parts(self) -> AsyncGenerator[bytes, None]:
        """Its body, as it comes. Raises Trouble if it breaks off, or is silent for too long."""
        with _troubles(self._patience, "answer broken off"):
            async with aclosing(self._response.aiter_bytes()) as body:
                async for part in body:
                    yield part

    async def whole(self) -> bytes:
        """Its body. Raises Trouble if it does not end; blanks, which keep a connection open, count as silence."""
        read, size, loop = [], 0, asyncio.get_running_loop()
        silent = loop.time() + self._patience
        async with aclosing(self.parts()) as parts:
            while part := await next_part(parts, silent, self._patience):
                read.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise Trouble("no chat completion", TOO_LONG.format(count=MOST_BYTES))
                if not part.isspace():
                    silent = loop.time() + self._patience
        return b"".join(read)


async def next_part(parts: AsyncGenerator[bytes, None], until: float, patience: float) -> bytes:
    """The next part, empty at the end. Raises Trouble when it has not come by then, in the loop's time."""
    try:
        async with asyncio.timeout_at(until):
            return await anext(parts, b"")
    except TimeoutError as error:
        raise timed_out(patience) from error


class Wire:
    """Sends requests to one base URL. It belongs to one event loop; close it there."""

    def __init__(self, url: str, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._url = url.rstrip("/")
        self._addresses: dict[str, httpx2.URL] = {}
        """Those of the paths that were asked for: to read an address takes as long as to send a request."""
        self._client = None if transport is None else httpx2.AsyncClient(transport=transport)

    @asynccontextmanager
    async def request(
        self, path: str, body: bytes | None = None, *, key: str | None, patience: float
    ) -> AsyncIterator[Response]:
        """The response to a POST of JSON, or to a GET if there is no body, as soon as it has begun.

        Raises Trouble when nobody answers, the server is silent for `patience` seconds, takes longer than that to take
        in what is sent, or the connection breaks; Refusal if the address can't be asked at all.
        """
        with _troubles(patience, "connection broken"):
            client, request = self._opened(), self._request(path, body, key, patience)
            async with asyncio.timeout(_CONNECT + 2 * patience):  # nothing else ends a body that nobody takes in
                response = await client.send(request, stream=True)
        try:
            yield Response(response, patience)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await self._client.aclose()

    def _opened(self) -> httpx2.AsyncClient:
        if self._client is None:
            proxied = not is_local(self._url)
            if proxied and any("socks" in proxy for proxy in getproxies().values()):
                raise ValueError("no SOCKS proxy can be used; set HTTP_PROXY and HTTPS_PROXY to one that speaks HTTP")
            self._client = openai.DefaultAioHttpClient(
                limits=_LIMITS, verify=_trusted(), trust_env=proxied, follow_redirects=False
            )
        return self._client

    def _request(self, path: str, body: bytes | None, key: str | None, patience: float) -> httpx2.Request:
        headers = _HEADERS if body is None else _HEADERS | _JSON
        if key is not None:
            headers = headers | {"Authorization": f"Bearer {key}"}
        connect = min(patience, _CONNECT)
        times = httpx2.Timeout(patience, connect=connect, pool=connect).as_dict()
        if path not in self._addresses:
            self._addresses[path] = httpx2.URL(self._url + path)
        method, address = "GET" if body is None else "POST", self._addresses[path]
        return httpx2.Request(method, address, headers=headers, content=body, extensions={"timeout": times})


@contextmanager
def _troubles(patience: float, broken: str) -> Iterator[None]:
    """Says what went wrong on the wire; `broken` if it broke."""
    try:
        yield
    except (aiohttp.ClientError, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise _trouble(error, patience, broken) from error


def _trouble(error: Exception, patience: float, broken: str) -> Trouble | Refusal:
    # what httpx2 makes of the errors of aiohttp is too coarse: a reset connection is a timeout to it
    cause = error.__cause__ if isinstance(error.__cause__, aiohttp.ClientError) else error
    match cause:
        case aiohttp.ConnectionTimeoutError() | aiohttp.ClientConnectorError():
            return _nobody(cause, patience)
        case TimeoutError() | httpx2.ReadTimeout():
            return timed_out(patience)
        case httpx2.DecodingError():
            return Trouble("no chat completion", str(cause))
        case UnicodeEncodeError() | aiohttp.ServerDisconnectedError() | aiohttp.ClientResponseError():
            return Trouble(broken, NOT_WHOLE)  # errors quote the headers that came
        case ValueError() | httpx2.InvalidURL() | aiohttp.NonHttpUrlClientError():
            return Refusal(0, "", f"it cannot be asked ({type(cause).__name__}: {cause})")
        case _:
            return Trouble(broken, str(cause))


def _nobody(error: aiohttp.ConnectionTimeoutError | aiohttp.ClientConnectorError, patience: float) -> Trouble:
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return Trouble(NO_CONNECTION_IN.format(seconds=f"{min(patience, _CONNECT):g}"), unreachable=True)
    if error.errno == errno.ECONNREFUSED:
        return Trouble(REFUSED, unreachable=True)
    return Trouble("no connection", str(error.os_error), unreachable=True)
