"""Refuses what pages of other sites ask of the app, before anything else sees it."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from annotations.wording import say
from characterbox.settings import settings


def is_own(origin: str, host: str | None) -> bool:
    """Whether pages of this origin are the app's own for one who asks this host.

    At the host of CHARACTERBOX_URL they are those of that very origin: behind a proxy only the setting tells whether it
    has HTTPS, and a page that anybody on the way can write, over HTTP, is not the app's.
    """
    scheme, separator, place = origin.partition("://")
    if not separator or scheme not in ("http", "https") or not place or place != host:
        return False
    url = settings().url
    return url is None or urlsplit(url).hostname != _hostname(host) or _as_written(origin) == _as_written(url)


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _as_written(origin: str) -> str:
    """The origin as browsers write it: without the port that its scheme has anyway."""
    scheme, _, place = origin.partition("://")
    return f"{scheme}://{place.removesuffix({'http': ':80', 'https': ':443'}[scheme])}"


class SameOriginMiddleware:
    """Lets through requests and web sockets whose Origin, where there is one, is that of the app which they ask."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with 403."""
        headers = Headers(scope=scope) if scope["type"] in ("http", "websocket") else Headers()
        origin = headers.get("origin")
        if origin is None or is_own(origin, headers.get("host")):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(code=1008)(scope, receive, send)
        else:
            await PlainTextResponse("this page belongs to another site", status_code=403)(scope, receive, send)


def check_origin(request: Request) -> None:
    """Raises HTTPException unless a page of the app's own sent this. For what changes something: a browser says so."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site not in (None, "same-origin") or origin is None or not is_own(origin, request.headers.get("host")):
        raise HTTPException(403, say("this is taken from the app's own pages only; open the app and do it there"))
