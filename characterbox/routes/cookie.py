"""The cookies by which a browser stays signed in, and knows an account, as the browser is told of them."""

from characterbox.accounts.devices import DEVICE_COOKIE, LASTS_SECONDS
from characterbox.accounts.tokens import COOKIE, cookie_name
from characterbox.settings import settings
from characterbox.store.sessions import LASTS


def session_cookie(value: str) -> str:
    """The header that sets the cookie: for the server only, and over HTTPS only where the app has it."""
    return _cookie(COOKIE, value, int(LASTS.total_seconds()))


def no_session_cookie() -> str:
    """The header that takes the cookie away."""
    return _cookie(COOKIE, "", 0)


def known_device(value: str) -> str:
    """The header that sets the cookie by which this browser knows an account; it outlives signing out."""
    return _cookie(DEVICE_COOKIE, value, LASTS_SECONDS)


def _cookie(name: str, value: str, seconds: int) -> str:
    parts = [
        f"{cookie_name(name, https=settings().https)}={value}",
        f"Max-Age={seconds}",
        "Path=/",
        "HttpOnly",
        "SameSite=Lax",
    ]
    if settings().https:
        parts.append("Secure")
    return "; ".join(parts)
