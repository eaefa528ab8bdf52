"""Whether an app may be served as it is set up: without accounts, only to the computer that it runs on."""

from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

Auth = Literal["off", "local", "oidc"]
"""Who may come in: whoever sits at the computer; people who were invited, with passwords that are kept here; people who
were invited, who sign in elsewhere (OpenID Connect)."""


def is_loopback(address: str | None) -> bool:
    """Whether only this computer reaches what is served at the address; none at all means all of them."""
    if address == "localhost":
        return True
    try:
        return ip_address(address or "0.0.0.0").is_loopback  # noqa: S104 # nosec B104 # nothing is bound
    except ValueError:
        return False


def exposure_fault(auth: Auth, url: str | None, address: str | None) -> str | None:
    """Why the app must not be served at this address, and what to do; None if it may."""
    if is_loopback(address):
        return _named_fault(url) if auth == "off" else None
    served = f"server.address is {address or 'not set'!r}, which others reach"
    if auth == "off":
        return (
            f"{served}, and the app runs without accounts. Set CHARACTERBOX_AUTH to local or oidc and CHARACTERBOX_URL"
            " to the address in people's browsers, or serve on 127.0.0.1"
        )
    if url is None:
        return f"{served}: set CHARACTERBOX_URL to the address in people's browsers, such as https://rate.example.org"
    return None


def _named_fault(url: str | None) -> str | None:
    """Why an app without accounts must not have this URL: one that others reach means a proxy that lets them all in."""
    if url is None or is_loopback(urlsplit(url).hostname):
        return None
    return (
        f"CHARACTERBOX_URL is {url}, where others reach the app, and it runs without accounts. Set CHARACTERBOX_AUTH to"
        " local or oidc, or unset CHARACTERBOX_URL"
    )
