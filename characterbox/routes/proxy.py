"""Finds out whether a proxy stands before the app whose word on addresses is not taken.

Then all people seem to come from one address, and are slowed down together when somebody fails to sign in.
"""

import logging
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from characterbox.accounts.exposure import is_loopback
from characterbox.settings import settings

log = logging.getLogger(__name__)

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
