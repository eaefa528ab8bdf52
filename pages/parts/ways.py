"""Ways from one page to another that the address bar and the back button follow."""

from typing import Literal, NoReturn

import streamlit as st

from characterbox.accounts.rights import PAGES
from pages.parts.who import allowed

PageName = Literal["stage", "playback", "annotate", "validity"]


def way(
    label: str,
    page: PageName,
    here: PageName,
    *,
    story: str | None = None,
    at: int | None = None,
    compare: str | None = None,
    icon: str | None = None,
) -> None:
    """A way to a page, to a story, a step of it, or stories side by side; `here` is the page it stands on.

    Within a page a link would leave the old address in the browser, so there it is a button that sets the address.
    There is no way to a page that is not for the one who uses it; who may only read a story reads it in Playback.
    """
    if page == "stage" and story is not None and not allowed("direct"):
        page = "playback"
    if not allowed(PAGES[page]):
        return
    wanted = {"story": story, "at": None if at is None else str(at), "compare": compare}
    place = {name: value for name, value in wanted.items() if value is not None}
    if page != here:
        st.page_link(f"{page}.py", label=label, icon=icon, query_params=place or None)
    else:
        key = "-".join(["way", page, *place.values()])
        st.button(label, key=key, type="tertiary", icon=icon, on_click=_go, args=(place,))


def go_to(page: PageName, here: PageName, *, story: str) -> NoReturn:
    """Go to a story on a page now; who may only read stories reads it in Playback."""
    if page == "stage" and not allowed("direct"):
        page = "playback"
    if page == here:
        _go({"story": story})
        st.rerun()
    st.switch_page(f"{page}.py", query_params={"story": story})


def _go(place: dict[str, str]) -> None:
    st.query_params.from_dict(place)
