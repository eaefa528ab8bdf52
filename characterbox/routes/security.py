"""What every answer tells the browser, requests of other sites refused, and proxies that are not trusted.

Then all people seem to come from one address, and are slowed down together when somebody fails to sign in.
"""

import base64
import hashlib
import logging
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from annotations.i18n.translation import say
from characterbox.components.page_language import SCRIPTS
from characterbox.settings import is_loopback, settings


def _hash_of(script: str) -> str:
    """The source expression that allows this very script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


STREAMLIT_SCRIPT = "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"
"""The one script that stands in Streamlit's page itself."""
_APP = "; ".join(
    (
        "default-src 'self'",
        # Components are modules that Streamlit makes of texts; and it counts with WebAssembly.
        f"script-src 'self' blob: 'wasm-unsafe-eval' {STREAMLIT_SCRIPT} " + " ".join(map(_hash_of, SCRIPTS.values())),
        "style-src 'self' 'unsafe-inline'",  # of elements, which Streamlit and the figures style one by one
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)
"""What may be in an answer that doesn't say so itself: nothing from elsewhere."""
_YEAR = 365 * 24 * 3600
log = logging.getLogger(__name__)


class HeadersMiddleware:
    """Sets the headers of all answers, refusals and failures too. It comes before all others."""

    def __init__(self, app: ASGIApp, embedded_by: Sequence[str] = (), *, https: bool = False) -> None:
        self._app = app
        self._frames = " ".join(("frame-ancestors", *(embedded_by or ("'none'",))))
        self._always = {"X-Content-Type-Options": "nosniff"}
        if not embedded_by:
            self._always["X-Frame-Options"] = "DENY"
        if https:
            self._always["Strict-Transport-Security"] = f"max-age={_YEAR}"
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; what fails before it is answered is answered with 500 and no word of why."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                self._complete(MutableHeaders(scope=message))
                if self._https or scope["scheme"] == "https":
                    message["headers"] = [_secure(*header) for header in message["headers"]]
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except ClientDisconnect:  # whoever sent half of it has gone
            log.info("what somebody sent was broken off before its end")
            if not begun:
                await PlainTextResponse("", 400)(scope, receive, send_with_headers)
        except Exception:
            if not begun:  # Starlette would answer outside of this, without the headers; it logs what is raised
                await PlainTextResponse("Internal Server Error", 500)(scope, receive, send_with_headers)
            raise

    def _complete(self, headers: MutableHeaders) -> None:
        for name, value in self._always.items():
            headers[name] = value
        headers.setdefault("Referrer-Policy", "same-origin")
        headers.setdefault("Cache-Control", "no-store")
        policies = headers.getlist("Content-Security-Policy") or [_APP]
        parts = (part.strip() for policy in policies for part in policy.split(";"))
        kept = [part for part in parts if part and part.split()[0].lower() != "frame-ancestors"]
        headers["Content-Security-Policy"] = "; ".join([*kept, self._frames])


def _secure(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """A header as it is, but for a cookie: browsers send it over HTTPS alone. Streamlit doesn't ask for that."""
    if name.lower() != b"set-cookie" or b"secure" in [part.strip().lower() for part in value.split(b";")[1:]]:
        return name, value
    return name, value + b"; Secure"


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
        raise HTTPException(
            403, say("requests are accepted only from the app's own pages; open the app and try again there")
        )


LOOKED_AT = 20
"""How many requests are looked at, of those that came through a proxy: the first ones."""


class Forwarded:
    """The addresses from which the first requests came that a proxy has passed on."""

    def __init__(self) -> None:
        self._seen: set[str | None] = set()
        self._count = 0

    @property
    def untrusted(self) -> str | None:
        """The proxy from which all of them came, where it is not believed; None if there is none, or not yet."""
        return next(iter(self._seen)) if self._count == LOOKED_AT and len(self._seen) == 1 else None

    def look_at(self, connection: HTTPConnection) -> None:
        """Look at a request, and warn once it is known."""
        passed_on = connection.headers.get("x-forwarded-for")
        if self._count >= LOOKED_AT or passed_on is None or connection.client is None:
            return
        self._count += 1
        told = [address.strip() for address in passed_on.split(",")]
        believed = connection.client.host in told  # then the server has put the person's address in the proxy's place
        self._seen.add(None if believed else connection.client.host)
        if self.untrusted is not None:
            log.warning(
                "all requests come from %s: set FORWARDED_ALLOW_IPS to it so that addresses of people are seen",
                self.untrusted,
            )


FORWARDED = Forwarded()
"""What came to this process."""


class ForwardedMiddleware:
    """Looks at the first requests, where the app is served to others."""

    def __init__(self, app: ASGIApp, forwarded: Forwarded = FORWARDED) -> None:
        self._app = app
        self._forwarded = forwarded
        url = settings().url
        self._served = settings().auth != "off" and url is not None and not is_loopback(urlsplit(url).hostname)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look, and pass the request on."""
        if self._served and scope["type"] == "http":
            self._forwarded.look_at(HTTPConnection(scope))
        await self._app(scope, receive, send)
