"""Who is asking, by the cookies that come along."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from characterbox.accounts.account import LOCAL, Account
from characterbox.accounts.exposure import Auth
from characterbox.accounts.tokens import session_name
from characterbox.store import Store
from characterbox.store.sessions import Session

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
