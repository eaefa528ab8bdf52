"""The language of the interface, chosen in the header of any page and remembered by the browser."""

from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from annotations.i18n.translation import Tongue, speaking
from characterbox.accounts.permissions import PAGES
from characterbox.interface_language import COOKIE, HOST_COOKIE, tongue_named, wanted_tongue
from characterbox.routes.login.html_pages import see_other
from characterbox.routes.security import is_own
from characterbox.settings import settings

_YEAR = 365 * 24 * 3600


def tongue_of(connection: HTTPConnection) -> Tongue:
    """The language that the address asks for, else the one that was chosen, or that the browser likes best."""
    named = tongue_named(connection.query_params.get("language"))
    return named or wanted_tongue(connection.cookies, connection.headers.get("accept-language", ""))


class TongueMiddleware:
    """Has our routes speak the language of the one who asks."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with the language set."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with speaking(tongue_of(HTTPConnection(scope))):
            await self._app(scope, receive, send)


async def choose_tongue(request: Request) -> Response:
    """`GET /language?to=zh`: remember the language, and go back to the page on which it was chosen."""
    chosen = tongue_named(request.query_params.get("to"))
    if chosen is None:
        return PlainTextResponse("to: give en or zh", status_code=400)
    name, secure = (HOST_COOKIE, "; Secure") if settings().https else (COOKIE, "")
    cookie = f"{name}={chosen}; Max-Age={_YEAR}; Path=/; SameSite=Lax{secure}"
    return see_other(_page_before(request), cookie)


def _page_before(request: Request) -> str:
    """The page of this app from which somebody comes; else the first one.

    A language in the address would speak against the one that was chosen.
    """
    try:
        before = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return "/"
    own = is_own(f"{before.scheme}://{before.netloc}", request.headers.get("host"))
    if not own or before.path.startswith("//"):
        return "/"
    asked = parse_qsl(before.query)
    if before.path.strip("/") not in PAGES:  # where it means what one looks for
        asked = [(name, value) for name, value in asked if name != "language"]
    return (before.path or "/") + (f"?{urlencode(asked)}" if asked else "")
