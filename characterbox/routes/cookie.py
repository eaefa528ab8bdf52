"""The cookies by which a browser stays signed in, and knows an account, as the browser is told of them."""

from characterbox.accounts.account import Account
from characterbox.accounts.devices import DEVICE_COOKIE, LASTS_SECONDS, device_cookie, new_device
from characterbox.accounts.tokens import COOKIE, cookie_name
from characterbox.settings import settings
from characterbox.store.sessions import LASTS


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
