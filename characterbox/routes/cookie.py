"""The cookie that keeps somebody signed in, as a browser is told of it."""

from characterbox.accounts.tokens import session_name
from characterbox.settings import settings
from characterbox.store.sessions import LASTS


def session_cookie(value: str) -> str:
    """The header that sets the cookie: for the server only, and over HTTPS only where the app has it."""
    return _cookie(value, int(LASTS.total_seconds()))


def no_session_cookie() -> str:
    """The header that takes the cookie away."""
    return _cookie("", 0)


def _cookie(value: str, seconds: int) -> str:
    https = settings().https
    parts = [f"{session_name(https=https)}={value}", f"Max-Age={seconds}", "Path=/", "HttpOnly", "SameSite=Lax"]
    if https:
        parts.append("Secure")
    return "; ".join(parts)
