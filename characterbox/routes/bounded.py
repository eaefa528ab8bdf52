"""How long may be what is asked of the app, before anything reads it: addresses, cookies, and what pages send.

Everybody shares one process: whoever has a page work through a long text has all others wait.
"""

import asyncio
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from characterbox.components.rerun import bounded_rerun

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
