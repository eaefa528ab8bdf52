"""Secrets that people carry: in a link of invitation, and signed in a cookie. The database has their digests only."""

import hashlib
import secrets

from itsdangerous import BadSignature, URLSafeSerializer

COOKIE = "characterbox_session"
"""The name of the cookie that keeps a person signed in."""

_SALT = "session"


def cookie_name(name: str, *, https: bool) -> str:
    """The name of a cookie where the app has HTTPS or not.

    With `__Host-`, browsers take it from this very host alone, and over HTTPS: another host of the same domain could
    set it with the plain name, which therefore counts for nothing there.
    """
    return f"__Host-{name}" if https else name


def session_name(*, https: bool) -> str:
    """The name of the cookie that keeps a person signed in."""
    return cookie_name(COOKIE, https=https)


def new_token() -> str:
    """256 random bits, to be put into a link or a cookie."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """What is kept of a token: its SHA-256, in hexadecimal."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def signed(token: str, key: str) -> str:
    """The token with its signature, for a cookie."""
    return URLSafeSerializer(key, salt=_SALT).dumps(token)


def unsigned(value: str, key: str) -> str | None:
    """The token in a cookie; None if it was not signed with this key."""
    if not value.isascii():
        return None
    try:
        token = URLSafeSerializer(key, salt=_SALT).loads(value)
    except BadSignature:
        return None
    return token if isinstance(token, str) else None
