"""Who may ask what: each route of the app, ours and Streamlit's, with what one needs to use it.

A route that is not listed here is refused to everybody.
"""

from collections.abc import Mapping
from typing import Literal

from characterbox.accounts.account import Account
from characterbox.accounts.exposure import Auth
from characterbox.accounts.rights import PAGES, Act, may

Need = Act | Literal["open", "signed-in"]
"""An act that one must be allowed; or nothing, not even an account; or any account."""

PAGES_AND_ASSETS = ""
"""The path of Streamlit's last route, which has the pages and the files that they are made of."""

_ALWAYS: Mapping[str, Need] = {
    "/stage": "direct",
    "/stories/{story}/live": "watch",
    "/stories/{story}/behind": "direct",
    "/items/{item}": "rate",
    "/marks": "rate",
    "/sign-in": "open",
    "/language": "open",
    "/fonts/{name}": "open",
    "/_stcore/health": "open",
    "/_stcore/host-config": "signed-in",
    "/_stcore/stream": "signed-in",
    "/_stcore/metrics": "administer",
    "/_stcore/upload_file/{session_id}/{file_id}": "direct",
    "/_stcore/bidi-components/{path:path}": "signed-in",
    "/component/{path:path}": "signed-in",
    "/media/{file_id:path}": "watch",
    PAGES_AND_ASSETS: "signed-in",
}
_WITH_ACCOUNTS: Mapping[str, Need] = {"/sign-out": "signed-in", "/account": "signed-in"}
_WITH_PASSWORDS: Mapping[str, Need] = {
    "/invitation/{token}": "open",
    "/passkeys.js": "open",
    "/passkeys/ask": "open",
    "/passkeys/sign-in": "open",
    "/account/passkeys": "signed-in",
    "/account/passkeys/ask": "signed-in",
    "/account/passkeys/remove": "signed-in",
}
_WITH_OIDC: Mapping[str, Need] = {"/auth/login": "open", "/auth/logout": "open", "/oauth2callback": "open"}

NEEDS: Mapping[Auth, Mapping[str, Need]] = {
    "off": _ALWAYS,
    "local": {**_ALWAYS, **_WITH_ACCOUNTS, **_WITH_PASSWORDS},
    "oidc": {**_ALWAYS, **_WITH_ACCOUNTS, **_WITH_OIDC},
}
"""What each route needs, by its path, for each way to let people in."""


def need_of(needs: Mapping[str, Need], route: str | None, path: str) -> Need | None:
    """What asking for this path needs, which belongs to this route; None if nobody may."""
    if route == PAGES_AND_ASSETS and (page := path.strip("/").partition("/")[0]) in PAGES:
        return PAGES[page]
    return None if route is None else needs.get(route)


def suffices(account: Account, need: Need) -> bool:
    """Whether the account may do what needs this."""
    match need:
        case "open" | "signed-in":
            return True
        case _:
            return may(account, need)
