"""What every answer tells the browser: who may frame it, what may run in it, what is not kept or passed on."""

import base64
import hashlib
import logging
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from characterbox.tongue import SCRIPTS


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
