"""Where the app finds out who comes in, for its routes and its pages alike."""

from characterbox.accounts.tokens import session_name
from characterbox.accounts.visitor import Cookies, Visitor, visitor_of
from characterbox.components.identity import read_claims
from characterbox.settings import settings
from characterbox.stage.stage import open_stage
from characterbox.store.sessions import Session


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
