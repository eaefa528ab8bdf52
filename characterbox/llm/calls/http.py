"""The wire: requests to one address by openai's client, over as many connections as are under way at once.

Requests leave by `AsyncOpenAI.post` and `get`, or those of `AsyncAzureOpenAI`, and the raw response is taken: answers
are read by `answers`, as endpoints send what no type foresees, and tries are counted by `client`. What the environment
holds for OpenAI (organisation, project, further headers) goes to OpenAI alone.
"""

import asyncio
import errno
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from functools import cache, lru_cache, partial
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies

import aiohttp
import httpx2
import openai
from openai import Omit

from characterbox.llm.calls.address import Guard, NotReached, Reach, is_local, resource
from characterbox.llm.calls.retry_policy import Refusal, TransportError, timed_out
from characterbox.pause_reasons import Reason, ServerWords

_LIMITS = httpx2.Limits(max_connections=0, keepalive_expiry=4.0)
"""As many connections as are wanted; kept for seconds only, as uvicorn, and so vLLM, closes unused ones after five."""
_CONNECT = 15.0
"""Seconds within which a connection stands, or there is nobody."""
_OF_THIS_COMPUTER = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
_UNTOLD = {f"X-Stainless-{of}": Omit() for of in _OF_THIS_COMPUTER}
"""What openai's client would tell of this computer: it concerns no server, and each header takes its time."""
_OF_A_TRY = {f"X-Stainless-{of}": Omit() for of in ("Retry-Count", "Read-Timeout")}
_HEADERS = {
    "accept": "application/json",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "user-agent": "characterbox",
}
"""What each call needs, whatever the environment says."""
_OPENAI = "api.openai.com"
"""The host of OpenAI; those of its regions end in it, such as eu.api.openai.com."""
_OF_OPENAI = ("OpenAI-Organization", "OpenAI-Project")
_MOST_OF_AN_ERROR = 64_000
"""Bytes of an error's body that are read."""
_FOR_AN_ERROR = 5.0
"""Seconds that an error's body has to come, or those of the call where they are fewer."""
_UNUSED = "said with each request"
"""openai wants a key when its client is made; each request brings its own, or none."""
_OF_BODIES = frozenset({"content-encoding", "content-length", "transfer-encoding"})


@cache
def _trusted() -> ssl.SSLContext:
    """Made once: it takes 0.16 s."""
    return httpx2.create_ssl_context()


_parsed = lru_cache(maxsize=1024)(httpx2.URL)
"""A URL, parsed once: it takes 0.03 ms, and each request builds its own."""


class Response:
    """What an endpoint sends back, as soon as it has begun."""

    MOST_BYTES = 16_000_000
    """More than that is no answer."""

    def __init__(self, response: httpx2.Response, patience: float) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.patience = patience
        """Seconds that it may be silent."""
        self._response = response

    async def parts(self) -> AsyncGenerator[bytes, None]:
        """Its body, as it comes. Raises Trouble if it breaks off, or is silent for too long."""
        with _troubles(self.patience, Reason("broken_off")):
            async with aclosing(self._response.aiter_bytes()) as body:
                async for part in body:
                    yield part

    async def whole(self) -> bytes:
        """Its body. Raises Trouble if it does not end; blanks, which keep a connection open, count as silence."""
        read, size, loop = [], 0, asyncio.get_running_loop()
        silent = loop.time() + self.patience
        async with aclosing(self.parts()) as parts:
            while part := await self.next_part(parts, silent):
                read.append(part)
                size += len(part)
                if size > self.MOST_BYTES:
                    raise TransportError(Reason("no_completion"), Reason("too_long", count=self.MOST_BYTES))
                if not part.isspace():
                    silent = loop.time() + self.patience
        return b"".join(read)

    async def next_part(self, parts: AsyncGenerator[bytes, None], until: float) -> bytes:
        """The next of its parts, empty at the end. Raises Trouble when it has not come by then, in the loop's time."""
        try:
            async with asyncio.timeout_at(until):
                return await anext(parts, b"")
        except TimeoutError as error:
            raise timed_out(self.patience) from error


class _Shortened(httpx2.AsyncClient):
    """A client that reads a part of each error's body: openai would read them whole, be they endless.

    An error that breaks off, or of which no more comes in time, is told as far as it came: its status says the most.
    """

    def build_request(self, method: str, url: httpx2.URL | str, **options: Any) -> httpx2.Request:
        return super().build_request(method, _parsed(url), **options)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        response = await super().send(request, **options)
        if response.is_success:
            return response
        read = bytearray()
        with suppress(TimeoutError, httpx2.TransportError):
            async with (
                asyncio.timeout(min(request.extensions["timeout"]["read"], _FOR_AN_ERROR)),
                aclosing(response.aiter_bytes()) as parts,
            ):
                async for part in parts:
                    read += part
                    if len(read) >= _MOST_OF_AN_ERROR:
                        break
        await response.aclose()
        headers = httpx2.Headers({name: value for name, value in response.headers.items() if name not in _OF_BODIES})
        return httpx2.Response(response.status_code, headers=headers, content=bytes(read), request=request)


class _OverAiohttp(_Shortened, openai.DefaultAioHttpClient):
    """The same over aiohttp, behind a guard that sees the address of each connection."""

    def __init__(self, guard: Guard, **options: Any) -> None:
        self._guard = guard
        super().__init__(limits=_LIMITS, verify=_trusted(), follow_redirects=False, **options)

    def _init_transport(self, *given: Any, **options: Any) -> httpx2.AsyncBaseTransport:
        transport: Any = super()._init_transport(*given, **options)
        transport.client = partial(_session, self._guard)
        return cast(httpx2.AsyncBaseTransport, transport)

    def _init_proxy_transport(self, *given: Any, **options: Any) -> httpx2.AsyncBaseTransport:
        return _Proxied(self._guard, super()._init_proxy_transport(*given, **options))


def _session(guard: Guard) -> aiohttp.ClientSession:
    """What openai's client would make itself, but for the guard."""
    connector = aiohttp.TCPConnector(
        limit=0, keepalive_timeout=_LIMITS.keepalive_expiry, ssl=_trusted(), socket_factory=guard.socket
    )
    return aiohttp.ClientSession(connector=connector)


class _Proxied(httpx2.AsyncBaseTransport):
    """Requests by way of a proxy of the environment, whose own address is for the owner of this computer to choose."""

    def __init__(self, guard: Guard, transport: httpx2.AsyncBaseTransport) -> None:
        self._guard = guard
        self._transport = transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if self._guard.reach != "anywhere":
            await self._guard.resolve(request.url.port)
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()


class Wire:
    """Sends requests to one base URL. It belongs to one event loop; close it there."""

    def __init__(self, url: str, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._url = url.rstrip("/")
        self._given = None if transport is None else _Shortened(transport=transport)
        self._http: dict[Reach, httpx2.AsyncClient] = {}
        """By reach, so that no connection outlives the permission to make it."""
        self._clients: dict[tuple[str | None, Reach], openai.AsyncOpenAI] = {}
        """By the version of Azure's API, which is None for all others, and by reach."""

    @asynccontextmanager
    async def request(
        self,
        path: str,
        body: bytes | None = None,
        *,
        key: str | None,
        patience: float,
        azure: str | None = None,
        reach: Reach = "anywhere",
    ) -> AsyncIterator[Response]:
        """The response to a POST of JSON, or to a GET if there is no body, as soon as it has begun.

        `azure` is the version of its API where the address is one of Azure's. Raises Trouble when nobody answers, the
        server is silent for `patience` seconds, takes longer than that to take in what is sent, or the connection
        breaks; Refusal if the address can't be asked at all, or leads beyond its `reach`.
        """
        with _troubles(patience, Reason("broken")):
            client = self._client(azure, reach)
            async with asyncio.timeout(_CONNECT + 2 * patience):  # nothing else ends a body that nobody takes in
                response = await _sent(client, path, body, _credential(key, azure), patience)
        try:
            yield Response(response, patience)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        for http in self._http.values():
            await http.aclose()
        if self._given is not None:
            await self._given.aclose()

    def _client(self, azure: str | None, reach: Reach) -> openai.AsyncOpenAI:
        if (client := self._clients.get((azure, reach))) is None:
            usual: Any = {
                "api_key": _UNUSED,
                "max_retries": 0,
                "http_client": self._given or self._opened(reach),
                "default_headers": self._headers(),
            }
            client = self._clients[azure, reach] = (
                openai.AsyncOpenAI(base_url=self._url, **usual)
                if azure is None
                else openai.AsyncAzureOpenAI(azure_endpoint=resource(self._url), api_version=azure, **usual)
            )
        return client

    def _headers(self) -> dict[str, str]:
        """What each request says, without what the environment holds for OpenAI unless this is OpenAI."""
        if f".{urlsplit(self._url).hostname}".endswith(f".{_OPENAI}"):
            return cast(dict[str, str], _UNTOLD | _HEADERS)
        further = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
        named = (*_OF_OPENAI, *(line.partition(":")[0].strip() for line in further if ":" in line))
        return cast(dict[str, str], _UNTOLD | {name: _HEADERS.get(name.lower(), Omit()) for name in named} | _HEADERS)

    def _opened(self, reach: Reach) -> httpx2.AsyncClient:
        if (http := self._http.get(reach)) is None:
            proxied = not is_local(self._url)
            if proxied and any("socks" in proxy for proxy in getproxies().values()):
                raise ValueError("no SOCKS proxy can be used; set HTTP_PROXY and HTTPS_PROXY to one that speaks HTTP")
            guard = Guard(urlsplit(self._url).hostname or "", reach)
            http = self._http[reach] = _OverAiohttp(guard, trust_env=proxied)
        return http


async def _sent(
    client: openai.AsyncOpenAI, path: str, body: bytes | None, credential: dict[str, str | Omit], patience: float
) -> httpx2.Response:
    """The response of whatever status, its body yet to be read where it is no error."""
    connect = min(patience, _CONNECT)
    options = {"headers": credential | _OF_A_TRY, "timeout": httpx2.Timeout(patience, connect=connect, pool=connect)}
    raw: Any = {"cast_to": httpx2.Response, "options": options, "stream": True, "stream_cls": openai.AsyncStream}
    url = _joined(client.base_url, path)
    try:
        answered = await (client.get(url, **raw) if body is None else client.post(url, content=body, **raw))
    except openai.APIStatusError as error:
        return error.response
    return cast(httpx2.Response, answered)


@lru_cache(maxsize=1024)
def _joined(base: httpx2.URL, path: str) -> str:
    """The whole URL. openai's client would put it together anew for each request, which takes 0.07 ms."""
    return str(base.copy_with(raw_path=base.raw_path + path.lstrip("/").encode("ascii")))


def _credential(key: str | None, azure: str | None) -> dict[str, str | Omit]:
    """The header that says who asks. Without a key there is none, whatever the environment holds."""
    if azure is not None:
        return {"api-key": Omit() if key is None else key}
    return {"Authorization": Omit() if key is None else f"Bearer {key}"}


@contextmanager
def _troubles(patience: float, broken: Reason) -> Iterator[None]:
    """Says what went wrong on the wire; `broken` if it broke."""
    try:
        yield
    except NotReached as error:
        raise Refusal(error.reason) from error
    except openai.APIConnectionError as error:
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        raise _trouble(cause, patience, broken) from error
    except (aiohttp.ClientError, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise _trouble(error, patience, broken) from error


def _trouble(error: Exception, patience: float, broken: Reason) -> TransportError | Refusal:
    # what httpx2 makes of the errors of aiohttp is too coarse: a reset connection is a timeout to it
    cause = error.__cause__ if isinstance(error.__cause__, aiohttp.ClientError) else error
    match cause:
        case aiohttp.ConnectionTimeoutError() | aiohttp.ClientConnectorError():
            return _nobody(cause, patience)
        case TimeoutError() | httpx2.ReadTimeout():
            return timed_out(patience)
        case httpx2.DecodingError():
            return TransportError(Reason("no_completion"), _told(cause))
        case UnicodeEncodeError() | aiohttp.ServerDisconnectedError() | aiohttp.ClientResponseError():
            return TransportError(broken, Reason("not_whole"))  # errors quote the headers that came
        case ValueError() | httpx2.InvalidURL() | aiohttp.NonHttpUrlClientError():
            return Refusal(Reason("unaskable", detail=ServerWords(f"{type(cause).__name__}: {cause}")))
        case _:
            return TransportError(broken, _told(cause))


def _nobody(
    error: aiohttp.ConnectionTimeoutError | aiohttp.ClientConnectorError, patience: float
) -> TransportError | Refusal:
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return TransportError(Reason("no_connection_in", seconds=f"{min(patience, _CONNECT):g}"), unreachable=True)
    if isinstance(error.os_error, NotReached):
        return Refusal(error.os_error.reason)
    if error.errno == errno.ECONNREFUSED:
        return TransportError(Reason("refused"), unreachable=True)
    return TransportError(Reason("no_connection"), _told(error.os_error), unreachable=True)


def _told(error: Exception) -> ServerWords | None:
    return ServerWords(str(error)) if str(error) else None
