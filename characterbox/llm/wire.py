"""The wire: requests to one address, over as many connections as are under way at once.

Each connection is an openai client of its own and the one used last is taken first, as the pool of one client looks
through all its connections at each request: with 200 under way that takes longer than the request itself. Those that
nobody took for a while lie lowest, and are closed as another one is given back. Of the
client we take the request and its transport; answers are read by `answers`, as endpoints send what no type foresees.
"""

import asyncio
import errno
import ssl
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache

import httpx2
import openai
from openai import AsyncOpenAI, Omit

from characterbox.llm.address import is_local
from characterbox.llm.trouble import Refusal, Trouble

MOST_BYTES = 16_000_000
"""More than that is no answer."""
_IDLE = 4.0
"""Seconds that an unused connection counts as alive: uvicorn, and so vLLM, closes it after five."""
_CONNECT = 15.0
"""Seconds within which a connection stands, or there is nobody."""
_UNREAD = {"X-Stainless-Raw-Response": "stream"}
"""Has the client hand over a response as soon as it begins."""
_NO_KEY = "none"
"""The client wants one; it is not sent."""


class _Plain(AsyncOpenAI):
    """The client, without the headers that it takes from the environment whatever the address.

    OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS, which may hold a key, are meant for one address only.
    """

    @property
    def default_headers(self) -> dict[str, str | Omit]:
        """Those that go with every request."""
        return {"Accept": "application/json", "User-Agent": self.user_agent}


@cache
def _trusted() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


class Wire:
    """Sends requests to one base URL. It belongs to one event loop; close it there."""

    def __init__(self, url: str, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._url = url
        self._shared = None if transport is None else self._client(httpx2.AsyncClient(transport=transport))
        self._all: set[AsyncOpenAI] = set()
        self._idle: deque[tuple[AsyncOpenAI, float]] = deque()
        """Those that are not used, and since when in the loop's time: the one used last at the end."""

    @asynccontextmanager
    async def request(
        self, path: str, body: bytes | None = None, *, key: str | None, patience: float
    ) -> AsyncIterator[httpx2.Response]:
        """The response to a POST of JSON, or to a GET if there is no body, as soon as it has begun.

        Raises Trouble when nobody answers, the server is silent for `patience` seconds, or the connection breaks.
        """
        client = self._shared or (self._idle.pop()[0] if self._idle else self._open())
        response = None
        try:
            with _troubles(patience):
                response = await _sent(client, path, body, key, patience)
                yield response
        finally:
            if response is not None:
                await response.aclose()
            if client is not self._shared:
                await self._give_back(client)

    async def close(self) -> None:
        """Close all connections."""
        for client in [*self._all, *([self._shared] if self._shared else [])]:
            await client.close()

    async def _give_back(self, client: AsyncOpenAI) -> None:
        """Keep it for the next request, and close those that are too old for that."""
        now = asyncio.get_running_loop().time()
        self._idle.append((client, now))
        while self._idle[0][1] < now - _IDLE:
            old, _ = self._idle.popleft()
            self._all.remove(old)
            with suppress(Exception):  # whatever it dies of, the request is done
                await old.close()

    def _open(self) -> AsyncOpenAI:
        limits = httpx2.Limits(keepalive_expiry=_IDLE)
        proxied = not is_local(self._url)
        client = self._client(httpx2.AsyncClient(verify=_trusted(), limits=limits, trust_env=proxied))
        self._all.add(client)
        return client

    def _client(self, http: httpx2.AsyncClient) -> AsyncOpenAI:
        return _Plain(base_url=self._url, api_key=_NO_KEY, max_retries=0, http_client=http)


async def _sent(
    client: AsyncOpenAI, path: str, body: bytes | None, key: str | None, patience: float
) -> httpx2.Response:
    """The response to a request, whatever its status."""
    sign = Omit() if key is None else f"Bearer {key}"
    times = httpx2.Timeout(patience, connect=min(patience, _CONNECT), pool=None)
    headers = {**_UNREAD, "Accept-Encoding": "identity", "Content-Type": "application/json", "Authorization": sign}
    try:
        if body is None:
            return await client.get(path, cast_to=httpx2.Response, options={"headers": headers, "timeout": times})
        return await client.post(
            path, cast_to=httpx2.Response, content=body, options={"headers": headers, "timeout": times}
        )
    except openai.APIStatusError as error:
        return error.response


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
    except openai.APIConnectionError as error:
        raise _trouble(error.__cause__ or error, patience) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise _trouble(error, patience) from error


def _trouble(error: BaseException, patience: float) -> Trouble | Refusal:
    match error:
        case httpx2.ConnectTimeout():
            return Trouble("no connection", f"in {min(patience, _CONNECT):g} s", unreachable=True)
        case httpx2.TimeoutException():
            return Trouble(f"timed out after {patience:g} s", timed_out=True)
        case httpx2.ConnectError():
            refused = _is_refusal(error)
            told = ("connection refused",) if refused else ("no connection", str(error))
            return Trouble(*told, unreachable=True)
        case httpx2.NetworkError() | httpx2.RemoteProtocolError() | httpx2.ProxyError():
            return Trouble("connection broken", str(error))
        case httpx2.DecodingError():
            return Trouble("no chat completion", str(error))
        case _:
            return Refusal(0, "", f"it cannot be asked ({type(error).__name__}: {error})")


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
