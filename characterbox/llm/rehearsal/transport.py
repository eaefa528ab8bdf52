"""Lets the openai client talk to an ASGI application in the same process.

Unlike the transport that comes with the client's HTTP library, this one hands the body on piece by piece.
"""

import asyncio
from collections.abc import AsyncIterator

import httpx2
from starlette.types import ASGIApp, Message, Scope


class AppTransport(httpx2.AsyncBaseTransport):
    """Sends requests to an application. Its lifespan is not run; an error in it is raised where the reply is read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, as soon as the application has begun it.

        Raises ReadTimeout when the application sends nothing for the request's read timeout, and RemoteProtocolError
        when it ends too early.
        """
        patience = request.extensions.get("timeout", {}).get("read")
        body = _Body(self._app, _scope_of(request), await request.aread(), patience)
        try:
            start = await body.next_message()
        except BaseException:
            await body.aclose()
            raise
        return httpx2.Response(start["status"], headers=list(start.get("headers", [])), stream=body)


class _Body(httpx2.AsyncByteStream):
    """The body of a response while the application sends it."""

    def __init__(self, app: ASGIApp, scope: Scope, question: bytes, patience: float | None) -> None:
        self._question: bytes | None = question
        self._patience = patience
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()
        self._gone = asyncio.Event()
        self._run = asyncio.create_task(self._serve(app, scope))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await self.next_message()
            more = message.get("more_body", False)
            if piece := message.get("body", b""):
                yield piece

    async def aclose(self) -> None:
        """Tells the application that nobody listens any more, and ends it."""
        self._gone.set()
        self._run.cancel()
        await asyncio.wait([self._run])
        if not self._run.cancelled():
            self._run.exception()

    async def next_message(self) -> Message:
        """What the application sends next."""
        try:
            async with asyncio.timeout(self._patience):
                message = await self._messages.get()
        except TimeoutError as error:
            raise httpx2.ReadTimeout("the application sent nothing in time") from error
        if message is None:
            await self._run
            raise httpx2.RemoteProtocolError("the application ended before its response was complete")
        return message

    async def _serve(self, app: ASGIApp, scope: Scope) -> None:
        try:
            await app(scope, self._receive, self._send)
        finally:
            self._messages.put_nowait(None)

    async def _receive(self) -> Message:
        if self._question is None:
            await self._gone.wait()
            return {"type": "http.disconnect"}
        body, self._question = self._question, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _send(self, message: Message) -> None:
        self._messages.put_nowait(message)


def _scope_of(request: httpx2.Request) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(key.lower(), value) for key, value in request.headers.raw],
        "server": (request.url.host, request.url.port),
        "client": None,
    }
