"""Links between pages that the address bar and the back button follow; and which part of a long list is shown."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, NoReturn, TypeVar
from urllib.parse import urlencode

import streamlit as st

from characterbox import addresses
from characterbox.accounts.permissions import PAGES
from characterbox.components.mounts import go as go_elsewhere
from characterbox.components.url_state import number_in_address
from characterbox.settings import settings
from pages.shared.current_user import allowed


def address() -> str | None:
    """The app's address: as it is set, else as this browser has it."""
    if settings().url is not None:
        return settings().url
    parts = (st.context.url or "").split("/")
    return "/".join(parts[:3]) if len(parts) >= 3 else None


PageName = Literal[
    "stage",
    "playback",
    "scenes",
    "roles",
    "sweeps",
    "campaigns",
    "annotate",
    "validity",
    "leaderboard",
    "models",
    "training",
]


def page_link(
    label: str,
    page: PageName,
    here: PageName,
    /,
    *,
    icon: str | None = None,
    **place: str,
) -> None:
    """A way to a page, and to what is to be seen there; `here` is the page it stands on.

    Within a page a link would leave the old address in the browser, so there it is a button that sets the address.
    There is no way to a page that is not for the one who uses it; who may only read a story reads it in Playback.
    """
    if "story" in place:
        page = _for_reader(page)
    if not allowed(PAGES[page]):
        return
    if page != here:
        st.page_link(f"{page}/page.py", label=label, icon=icon, query_params=place or None)
    else:
        place_link(label, icon, f"way-{page}?{urlencode(place)}", **place)


def go(**place: str) -> None:
    """Put a place of this page into the address; nothing for what it begins with."""
    st.query_params.from_dict(place)


def place_link(label: str, icon: str | None = None, key: str | None = None, /, **place: str) -> None:
    """A way to a place of this page."""
    key = f"way-{urlencode(place)}" if key is None else key
    st.button(label, key=key, type="tertiary", icon=icon, on_click=go, kwargs=place)


def address_of(page: PageName, /, **place: str) -> str:
    """The address of a page, with what is to be seen there, for the one who uses this page."""
    return addresses.address_of(_for_reader(page), **place)


def go_to(page: PageName, /, **place: str) -> NoReturn:
    """Go to a page now, to what is to be seen there. Nothing more of this one is drawn."""
    go_elsewhere(address_of(page, **place))
    st.stop()


def _for_reader(page: PageName) -> PageName:
    """Who may only read stories reads in Playback what is on the Stage."""
    return "playback" if page == "stage" and not allowed("direct") else page


T = TypeVar("T")


@contextmanager
def page_in_address(count: int, per_page: int) -> Iterator[int]:
    """Which part of `count` things is shown, from 0, as the address says; the pages to turn to come below it."""
    pages = max(1, -(-count // per_page))
    number, keeping = number_in_address("page", pages)
    yield number - 1
    if pages > 1:
        st.pagination(pages, **keeping)


@contextmanager
def turned_to(things: Sequence[T], per_page: int, key: str) -> Iterator[Sequence[T]]:
    """The part of the things that one has turned to in this session; the pages to turn to come below it."""
    pages = max(1, -(-len(things) // per_page))
    page = min(st.session_state.get(key, 1), pages)
    yield things[(page - 1) * per_page : page * per_page]
    if pages > 1:
        st.pagination(pages, key=key, persist_state="session")
