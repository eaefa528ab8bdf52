"""Where the app finds out who comes in, and the cookies by which a browser stays signed in."""

from characterbox.accounts.account import Account
from characterbox.accounts.credentials import COOKIE, cookie_name, session_name
from characterbox.accounts.session_user import (
    DEVICE_COOKIE,
    LASTS_SECONDS,
    Cookies,
    Visitor,
    device_cookie,
    new_device,
    visitor_of,
)
from characterbox.components.streamlit_session import read_claims
from characterbox.settings import settings
from characterbox.stage.stage import open_stage
from characterbox.store.accounts.sessions import LASTS, Session


def session_cookie(value: str) -> str:
    """The header that sets the cookie: for the server only, and over HTTPS only where the app has it."""
    return _cookie(COOKIE, value, int(LASTS.total_seconds()))


def no_session_cookie() -> str:
    """The header that takes the cookie away."""
    return _cookie(COOKIE, "", 0)


def known_device(account: Account, password: str, key: str, device: str | None = None) -> str:
    """The header that sets the cookie by which this browser, named anew unless it has a name, knows an account.

    It is good for the password that has this hash, and outlives signing out; `key` is that of the installation.
    """
    return _cookie(DEVICE_COOKIE, device_cookie(device or new_device(), str(account.id), password, key), LASTS_SECONDS)


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


def find_visitor(cookies: Cookies) -> Visitor | None:
    """Who comes with these cookies; None if they are nobody's who may come in."""
    return visitor_of(open_stage().store, settings().auth, cookies, read_claims, https=settings().https)


def badge_of(cookies: Cookies) -> str:
    """What tells one from others before anything is looked up; whatever else the cookies have, it is the same."""
    if settings().auth == "oidc":
        claims = read_claims(cookies) or {}
        return f"{claims.get('iss')} {claims.get('sub')}"
    return cookies.get(session_name(https=settings().https), "")


def extend_session(session: Session) -> str:
    """Let a session last its full time again; gives the value of the cookie."""
    return open_stage().store.sessions.extend(session)
