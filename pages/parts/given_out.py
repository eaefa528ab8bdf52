"""Files that people take along from a page, each told of in the log."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from characterbox.accounts.account import Account
from characterbox.accounts.origin_address import coming_from, origin_address
from characterbox.accounts.rights import may
from characterbox.accounts.visitor import Cookies
from characterbox.components.reader import cookies_of_page
from characterbox.errors import NotAllowed
from characterbox.reasons import in_full
from characterbox.routes.entrance import find_visitor
from characterbox.stage.stage import open_stage
from pages.parts.who import who

KINDS = {
    "charx": "application/zip",
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "png": "image/png",
    "toml": "application/toml",
    "txt": "text/plain",
    "yaml": "application/yaml",
    "zip": "application/zip",
}
"""What files are, by the endings of their names."""


def given_out(action: str, subject: str, made: Callable[[], bytes], **detail: str) -> Callable[[], bytes]:
    """What makes a file for a download button, and logs it as it is given out; `action` is one of the log's names.

    Streamlit calls it when the button is pressed, in another thread than that which draws the page: what servers said
    is in the file for admins alone, as on the page. It raises NotAllowed where the one who presses it is signed out
    meanwhile, or has another role than when it was drawn.
    """
    account, address, cookies = who(), origin_address(), dict(cookies_of_page() or {})

    def give() -> bytes:
        _require_still(account, cookies)
        with in_full(may(account, "administer")):
            content = made()
        with coming_from(address):
            open_stage().store.audit.add(account, action, subject, detail)
        return content

    return give


def file_button(label: str, name: str, made: Callable[[], bytes], key: str, **look: Any) -> None:
    """A button that gives out a file, which is made when it is pressed; the ending of its name says what it is.

    A press draws nothing anew: Streamlit forgets how a file is made once the page has been drawn again, and a slow
    browser would then ask for it in vain.
    """
    look = {"icon": ":material/download:", **look}
    st.download_button(label, made, name, KINDS[name.rpartition(".")[2]], key=key, on_click="ignore", **look)


def _require_still(account: Account, cookies: Cookies) -> None:
    """The page was drawn for that role: with another one it would have other files, or others in them."""
    visitor = find_visitor(cookies)
    if visitor is None or (visitor.account.id, visitor.account.role) != (account.id, account.role):
        raise NotAllowed(f"{account.name} is signed out, or is no {account.role} any more")
