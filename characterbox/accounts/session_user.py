"""Who asks, by cookies; and which browsers know an account from an earlier sign-in.

Whoever fails to sign in elsewhere does not slow them down ("device cookies", as OWASP calls them). The cookie lets
nobody in. It is signed with the hash of the password too: with another password, all those from before are void.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from itsdangerous import BadSignature, URLSafeTimedSerializer

from characterbox.accounts.account import LOCAL, Account
from characterbox.accounts.credentials import digest, session_name
from characterbox.settings import Auth
from characterbox.store import Store
from characterbox.store.accounts.sessions import Session

Cookies = Mapping[str, str]
Claims = Mapping[str, Any]
ReadClaims = Callable[[Cookies], Claims | None]
"""Reads what an OpenID provider vouches for from the cookies in which that is kept."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who may come in."""

    account: Account
    session: Session | None = None
    """None where no session is kept here: without accounts, and for those who sign in elsewhere."""


def visitor_of(
    store: Store, auth: Auth, cookies: Cookies, read_claims: ReadClaims, *, https: bool = False
) -> Visitor | None:
    """Who comes with these cookies, to an app with HTTPS or not; None if they are nobody's who may come in."""
    if auth == "off":
        return Visitor(LOCAL)
    if auth == "oidc":
        account = _vouched_for(store, read_claims(cookies))
        return None if account is None else Visitor(account)
    session = store.sessions.find(cookies.get(session_name(https=https), ""))
    return None if session is None else Visitor(session.account, session)


def _vouched_for(store: Store, claims: Claims | None) -> Account | None:
    match claims:
        case {"iss": str(issuer), "sub": str(subject), **others}:
            verified = others.get("email") if others.get("email_verified") is True else None
            account = store.accounts.signed_in_elsewhere(
                issuer, subject, verified if isinstance(verified, str) else None
            )
            if account is not None:
                store.elsewhere.seen(account, others.get("iat"))
            return account
        case _:
            return None


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
