"""Refuses what pages of other sites ask of the app, before anything else sees it."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from annotations.wording import say


class SameOriginMiddleware:
    """Lets through requests and web sockets whose Origin, where there is one, is the host that they ask."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with 403."""
        headers = Headers(scope=scope) if scope["type"] in ("http", "websocket") else Headers()
        origin = headers.get("origin")
        if origin is None or origin.partition("://")[2] == headers.get("host"):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(code=1008)(scope, receive, send)
        else:
            await PlainTextResponse("this page belongs to another site", status_code=403)(scope, receive, send)


def check_origin(request: Request) -> None:
    """Raises HTTPException unless a page of the app's own sent this. For what changes something: a browser says so."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    same_host = origin is not None and origin.partition("://")[2] == request.headers.get("host")
    if site not in (None, "same-origin") or not same_host:
        raise HTTPException(403, say("this is taken from the app's own pages only; open the app and do it there"))
