"""Which permission each route needs, and the guard that asks each request who it is before anything else.

A route that is not listed here is refused to everybody.

What is refused is answered in the way that it was asked: a person who asks for a page is shown one.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from characterbox.accounts.account import Account
from characterbox.accounts.login_throttle import coming_from
from characterbox.accounts.permissions import PAGES, Act, may
from characterbox.accounts.session_user import Cookies, Visitor
from characterbox.components.streamlit_session import NOTHING, plain_rerun, rerun_in
from characterbox.pause_reasons import in_full
from characterbox.processes.concurrency import Threads
from characterbox.routes.login.authentication import session_cookie
from characterbox.routes.login.html_pages import refusal_page
from characterbox.settings import Auth
from characterbox.store.accounts.sessions import Session

Need = Act | Literal["open", "signed-in"]
"""An act that one must be allowed; or nothing, not even an account; or any account."""

PAGES_AND_ASSETS = ""
"""The path of Streamlit's last route, which has the pages and the files that they are made of."""

_ALWAYS: Mapping[str, Need] = {
    "/stage": "direct",
    "/stories/{story}/live": "watch",
    "/stories/{story}/behind": "direct",
    "/items/{item}": "rate",
    "/marks": "rate",
    "/find": "signed-in",
    "/sign-in": "open",
    "/language": "open",
    "/fonts/{name}": "open",
    "/_stcore/health": "open",
    "/_stcore/host-config": "signed-in",
    "/_stcore/stream": "signed-in",
    "/_stcore/metrics": "administer",
    "/_stcore/upload_file/{session_id}/{file_id}": "direct",
    "/_stcore/bidi-components/{path:path}": "signed-in",
    "/component/{path:path}": "signed-in",
    "/media/{file_id:path}": "watch",
    PAGES_AND_ASSETS: "signed-in",
}
_WITH_ACCOUNTS: Mapping[str, Need] = {
    "/sign-out": "signed-in",
    "/account": "signed-in",
    "/account/writing": "signed-in",
}
_WITH_PASSWORDS: Mapping[str, Need] = {
    "/invitation/{token}": "open",
    "/passkeys.js": "open",
    "/passkeys/ask": "open",
    "/passkeys/sign-in": "open",
    "/account/passkeys": "signed-in",
    "/account/passkeys/ask": "signed-in",
    "/account/passkeys/remove": "signed-in",
}
_WITH_OIDC: Mapping[str, Need] = {"/auth/login": "open", "/auth/logout": "open", "/oauth2callback": "open"}

NEEDS: Mapping[Auth, Mapping[str, Need]] = {
    "off": _ALWAYS,
    "local": {**_ALWAYS, **_WITH_ACCOUNTS, **_WITH_PASSWORDS},
    "oidc": {**_ALWAYS, **_WITH_ACCOUNTS, **_WITH_OIDC},
}
"""What each route needs, by its path, for each way to let people in."""


def need_of(needs: Mapping[str, Need], route: str | None, path: str) -> Need | None:
    """What asking for this path needs, which belongs to this route; None if nobody may."""
    if route == PAGES_AND_ASSETS and (page := path.strip("/").partition("/")[0]) in PAGES:
        return PAGES[page]
    return None if route is None else needs.get(route)


def suffices(account: Account, need: Need) -> bool:
    """Whether the account may do what needs this."""
    match need:
        case "open" | "signed-in":
            return True
        case _:
            return may(account, need)


FindVisitor = Callable[[Cookies], Visitor | None]
Extend = Callable[[Session], str]
"""Lets a session last its full time again; gives the value of the cookie."""

LOOKING = Threads("guard", 2)
"""Look up who asks: every request waits for that."""

SIGNED_OUT = "you are not signed in; open /sign-in"
NOT_YOURS = "not available here for the role {role}"


class GuardMiddleware:
    """Lets through what the one who asks may do, and tells the app who it is (`account_of`)."""

    def __init__(self, app: ASGIApp, find: FindVisitor, needs: Mapping[str, Need], extend: Extend) -> None:
        self._app = app
        self._find = find
        self._needs = needs
        self._extend = extend

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed, and refuse the rest."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        client = HTTPConnection(scope).client
        with coming_from(None if client is None else client.host):
            await self._guarded(scope, receive, send)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        visitor = scope["visitor"] = await self._visitor(connection)
        need = need_of(self._needs, _route_of(scope), scope["path"])
        if need is None or (need != "open" and (visitor is None or not suffices(visitor.account, need))):
            await _refuse(scope, visitor)(scope, receive, send)
            return
        scope["still_may"] = lambda: self._still_may(connection, visitor, need)
        if scope["type"] == "websocket":
            await self._app(_beginning_anew(scope), self._only_while_allowed(scope, receive, send), send)
        else:
            with in_full(visitor is not None and may(visitor.account, "administer")):
                await self._app(scope, receive, await self._extending(visitor, send))

    async def _visitor(self, connection: HTTPConnection) -> Visitor | None:
        return await LOOKING.run(self._find, connection.cookies)

    async def _still_may(self, connection: HTTPConnection, before: Visitor | None, need: Need) -> bool:
        now = await self._visitor(connection)
        if before is None or now is None:
            return need == "open"
        return (now.account.id, now.account.role) == (before.account.id, before.account.role)

    def _only_while_allowed(self, scope: Scope, receive: Receive, send: Send) -> Receive:
        """What comes through a web socket, as long as its session lasts and the role is the same.

        Whoever is signed out is only ever shown the page again, which says so; with another role one has to come anew.
        """

        async def receive_if_allowed() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or await scope["still_may"]():
                return message
            if await self._visitor(HTTPConnection(scope)) is None:
                scope["visitor"] = None
                sent = message.get("bytes") or b""
                plain = NOTHING if rerun_in(sent) is None else plain_rerun(sent)
                return {"type": "websocket.receive", "bytes": plain}
            await send({"type": "websocket.close", "code": 1008})
            return {"type": "websocket.disconnect", "code": 1008}

        return receive_if_allowed

    async def _extending(self, visitor: Visitor | None, send: Send) -> Send:
        """Answers with a new cookie when it is time, so that who comes every month stays signed in."""
        session = None if visitor is None else visitor.session
        if session is None or not session.is_to_be_extended:
            return send
        value = await LOOKING.run(self._extend, session)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "set-cookie" not in headers:  # signing out sets its own
                    headers.append("set-cookie", session_cookie(value))
            await send(message)

        return send_with_cookie


def account_of(connection: HTTPConnection) -> Account:
    """Who asks. The guard has let the one through, so there is one, except on routes that are open."""
    visitor: Visitor = connection.scope["visitor"]
    return visitor.account


def session_of(connection: HTTPConnection) -> Session | None:
    """The session of the one who asks, where one is kept here."""
    visitor: Visitor | None = connection.scope["visitor"]
    return None if visitor is None else visitor.session


async def still_may(connection: HTTPConnection) -> bool:
    """Whether the one who asked may still have what is being answered: for answers that take long."""
    ask: Callable[[], Awaitable[bool]] = connection.scope["still_may"]
    return await ask()


def _beginning_anew(scope: Scope) -> Scope:
    """Without the third part of the protocols, by which Streamlit takes up a page that was left.

    It would be taken up with all its buttons, whoever left it.
    """
    name = b"sec-websocket-protocol"
    headers = [(key, b",".join(value.split(b",")[:2]) if key == name else value) for key, value in scope["headers"]]
    return {**scope, "headers": headers, "subprotocols": scope.get("subprotocols", [])[:2]}


def _route_of(scope: Scope) -> str | None:
    """The path of the route that will answer, whatever the method; None if there is none."""
    for route in scope["app"].routes:
        match, _ = route.matches(scope)
        if match is not Match.NONE:
            path: Any = getattr(route, "path", None)
            return path if isinstance(path, str) else None
    return None


def _refuse(scope: Scope, visitor: Visitor | None) -> ASGIApp:
    if scope["type"] == "websocket":
        return WebSocketClose(code=1008)
    connection = HTTPConnection(scope)
    if scope["method"] not in ("GET", "HEAD") or "text/html" not in connection.headers.get("accept", ""):
        return _refuse_program(visitor)
    if visitor is None:
        wanted = scope["path"] + (f"?{connection.url.query}" if connection.url.query else "")
        return RedirectResponse(f"/sign-in?next={quote(wanted, safe='/')}", status_code=303)
    return refusal_page(visitor.account)


def _refuse_program(visitor: Visitor | None) -> Response:
    if visitor is None:
        return JSONResponse({"error": SIGNED_OUT}, status_code=401)
    return JSONResponse({"error": NOT_YOURS.format(role=visitor.account.role)}, status_code=403)
