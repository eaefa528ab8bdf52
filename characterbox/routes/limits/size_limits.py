"""How long requests, cookies and messages of web sockets may be, before anything reads them.

Everybody shares one process: whoever has a page work through a long text has all others wait.

uvicorn leaves a connection with a handshake that is too long open for as long as the other side likes, without a word
and before anything asks who that is: the answer (414 or 431) is made by the library beneath it, and not sent. And that
library takes lines of 8 KiB at most, while pages are given to browsers with longer cookies, as those of a sign-in
elsewhere can be. Of messages it takes as much as Streamlit sends, and keeps what has come until all is there. Frames
that are no messages, as pings, it works off as they come: 40,000 in a row, in which nobody else is answered.
"""

import asyncio
from math import inf
from typing import Any
from urllib.parse import parse_qsl
from weakref import WeakKeyDictionary

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets import http11

from characterbox.components.streamlit_session import bounded_rerun
from characterbox.routes.limits.fair_share import Budget
from characterbox.routes.limits.read_ahead import BEFORE_CLOSING

MOST_ADDRESS = 8 * 1024
"""Bytes of a path and the question behind it, at most."""
MOST_PARAMETER = 2_000
"""Characters of one parameter of an address, at most; the choices of a page each stand in one of their own."""
MOST_COOKIES = 32 * 1024
"""Bytes of all cookies, at most: those of a sign-in elsewhere are long."""
MOST_MESSAGE = 8 * 1024 * 1024
"""Bytes of what a page sends through its web socket, at most: all that stands in its fields. Files come otherwise."""
MOST_SILENCE = 30.0
"""Seconds in which nothing more of a body comes, at most: the app would wait for ever, also when it is to end."""
SIGNING_IN = "/oauth2callback"
"""Where a sign-in elsewhere comes back to, with a code that is as long as that place likes."""
TOO_LONG_ADDRESS = "this address is too long; open the page anew and choose less"
TOO_LONG_COOKIES = "the cookies for this site are too long; delete them and sign in again"


class BoundsMiddleware:
    """Refuses what is too long: addresses with 414, cookies with 431, messages of web sockets by closing them.

    A body that never comes to its end counts as broken off.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is short enough, and refuse the rest."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = _refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._app(scope, _bounded(receive, send), send)
        else:
            await self._app(scope, _not_for_ever(receive), send)


def _refusal(scope: Scope) -> ASGIApp | None:
    cookies = sum(map(len, Headers(scope=scope).getlist("cookie")))
    if is_short(scope["path"], scope["query_string"].decode("latin-1")) and cookies <= MOST_COOKIES:
        return None
    if scope["type"] == "websocket":
        return WebSocketClose(code=1009)
    if cookies > MOST_COOKIES:
        return PlainTextResponse(TOO_LONG_COOKIES, status_code=431)
    return PlainTextResponse(TOO_LONG_ADDRESS, status_code=414)


def is_short(path: str, query: str) -> bool:
    """Whether an address is short enough to be looked at: the path, decoded, and the question, as it was sent."""
    if len(path.encode("utf-8", "replace")) + len(query.encode("utf-8", "replace")) > MOST_ADDRESS:
        return False
    if path.startswith(SIGNING_IN):
        return True
    steps = (len(step) for step in path.split("/"))
    parameters = (len(part) for pair in parse_qsl(query, keep_blank_values=True) for part in pair)
    return max([*steps, *parameters], default=0) <= MOST_PARAMETER


def _not_for_ever(receive: Receive) -> Receive:
    """The body of a request, broken off where nothing more of it comes."""
    whole = False

    async def receive_in_time() -> Message:
        nonlocal whole
        if whole:
            return await receive()  # whether somebody still waits for the answer
        try:
            async with asyncio.timeout(MOST_SILENCE):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        return message

    return receive_in_time


def _bounded(receive: Receive, send: Send) -> Receive:
    """What comes through a web socket, as far as it is short enough. A page that has to be drawn for an address, or for
    fields, that are too long is drawn without them."""

    async def receive_bounded() -> Message:
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        sent = message.get("bytes") or b""
        if len(sent) > MOST_MESSAGE or message.get("text"):  # no page of ours sends text
            await send({"type": "websocket.close", "code": 1009})
            return {"type": "websocket.disconnect", "code": 1009}
        return {**message, "bytes": bounded_rerun(sent, is_short)}

    return receive_bounded


LONGEST_LINE = MOST_COOKIES + 1024
"""Bytes of a line of a handshake, at most: one that has all cookies."""
FRAMES_AT_ONCE, FRAMES_A_SECOND = 1_000.0, 50.0
"""Frames of one web socket, at most: a page sends some in a second, and one of 8 MiB in parts some hundreds."""
PORTION = 4096
"""Bytes that are worked off before the frames in them are counted."""
_connected = WebSocketsSansIOProtocol.connection_made
_received = WebSocketsSansIOProtocol.data_received
_frames: "WeakKeyDictionary[WebSocketsSansIOProtocol, Budget]" = WeakKeyDictionary()


def bound_web_sockets() -> None:
    """From now on no handshake is left without an answer, no message is taken in that is too long (1009), and a web
    socket with too many frames is closed."""
    http11.MAX_LINE_LENGTH = LONGEST_LINE
    WebSocketsSansIOProtocol.connection_made = _connection_made  # type: ignore[method-assign]
    WebSocketsSansIOProtocol.data_received = _data_received  # type: ignore[method-assign]


def _connection_made(self: WebSocketsSansIOProtocol, transport: Any) -> None:
    _connected(self, transport)
    self.conn.max_message_size = MOST_MESSAGE
    frames = _frames[self] = Budget(FRAMES_AT_ONCE, FRAMES_A_SECOND)
    take = self.conn.events_received

    def taken() -> Any:
        events = take()
        frames.spend(len(events))
        return events

    self.conn.events_received = taken  # type: ignore[method-assign]


def _data_received(self: WebSocketsSansIOProtocol, data: bytes) -> None:
    frames = _frames[self]
    for start in range(0, len(data), PORTION):
        if self.transport.is_closing() or frames.behind():
            return
        if self.handshake_initiated and not self.handshake_complete:
            self.transport.abort()  # browsers wait until they are let in
            return
        _received(self, data[start : start + PORTION])
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()
        elif frames.behind():
            frames.spend(inf)  # nothing more is taken in
            self.transport.pause_reading()
            asyncio.get_running_loop().call_later(BEFORE_CLOSING, self.transport.abort)
