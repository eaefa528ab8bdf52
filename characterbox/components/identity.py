"""Signing in elsewhere (OpenID Connect), which Streamlit carries out: the ways to it, and what it vouches for."""

import json
from collections.abc import Mapping
from typing import Any

from joserfc.jws import JWSRegistry
from streamlit.auth_util import get_cookie_with_chunks, get_secrets_auth_section
from streamlit.user_info import generate_login_redirect_url
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

LOGOUT = "/auth/logout"
"""Where Streamlit's own cookie is taken away; the provider may be told too."""


def read_claims(cookies: Mapping[str, str]) -> Mapping[str, Any] | None:
    """What a provider vouches for of the one with these cookies; None if they are not signed by this app."""
    secret = get_cookie_secret()

    def one(name: str) -> bytes | None:
        value = cookies.get(name)
        return decode_signed_value(secret, name, value) if value and value.isascii() else None

    try:
        claims = json.loads(get_cookie_with_chunks(one, USER_COOKIE_NAME) or b"null")
    except ValueError:
        return None
    return claims if isinstance(claims, dict) and claims.get("is_logged_in") is True else None


def ways_to_sign_in() -> Mapping[str | None, str]:
    """The address at which to sign in with each provider that `secrets.toml` names; None has no name of its own."""
    section = get_secrets_auth_section()
    named: dict[str | None, str] = {
        name: name for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value
    }
    if "client_id" in section:
        named[None] = "default"
    return {shown: generate_login_redirect_url(provider) for shown, provider in named.items()}


def oidc_fault() -> str | None:
    """Why nobody could sign in elsewhere, and what to do; None if all that is needed is there."""
    section = get_secrets_auth_section()
    missing = [name for name in ("redirect_uri", "cookie_secret") if not section.get(name)]
    if not missing and (section.get("client_id") or ways_to_sign_in()):
        return None
    return (
        "CHARACTERBOX_AUTH is oidc: name the provider in .streamlit/secrets.toml, in a section [auth] with redirect_uri"
        " (the app's address and /oauth2callback), cookie_secret, client_id, client_secret and server_metadata_url"
    )


def refuse_unsigned() -> None:
    """From now on a token that nobody has signed (`alg: none`) is none, whatever the provider says of itself.

    Many providers list `none` among the ways in which they sign, and that alone is what authlib goes by.
    """
    JWSRegistry.algorithms.pop("none", None)


def without_proof() -> tuple[str, ...]:
    """The providers, as `secrets.toml` calls them, that are not asked for PKCE; "" is the one without a name."""
    section = get_secrets_auth_section()
    named = {name: value for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value}
    if "client_id" in section:
        named[""] = section
    asked = {name: (value.get("client_kwargs") or {}).get("code_challenge_method") for name, value in named.items()}
    return tuple(name for name, method in asked.items() if method != "S256")
