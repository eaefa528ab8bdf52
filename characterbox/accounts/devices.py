"""Browsers that know an account, as somebody signed in there before: a cookie of their own says so.

Whoever fails to sign in elsewhere does not slow them down ("device cookies", as OWASP calls them). The cookie lets
nobody in. It is signed with the hash of the password too: with another password, all those from before are void.
"""

import secrets

from itsdangerous import BadSignature, URLSafeTimedSerializer

from characterbox.accounts.tokens import digest

DEVICE_COOKIE = "characterbox_device"
"""The name of the cookie."""
LASTS_SECONDS = 400 * 24 * 3600
"""How long a browser knows an account after the last time somebody signed in: no browser keeps a cookie for longer."""


def new_device() -> str:
    """A name for a browser, drawn at random."""
    return secrets.token_urlsafe(16)


def device_cookie(device: str, account: str, password: str, key: str) -> str:
    """The value of the cookie by which a browser knows the account whose password has this hash."""
    return _serializer(account, password, key).dumps(device)


def device_of(value: str, account: str, password: str, key: str) -> str | None:
    """The browser that a cookie names; None if it does not know this account, with the password that it has now."""
    if not value.isascii():
        return None
    try:
        device = _serializer(account, password, key).loads(value, max_age=LASTS_SECONDS)
    except BadSignature:
        return None
    return device if isinstance(device, str) else None


def _serializer(account: str, password: str, key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(key, salt=f"device {account} {digest(password)}")
