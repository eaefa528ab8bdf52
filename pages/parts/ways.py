"""Ways from one page to another that the address bar and the back button follow."""

from typing import Literal

import streamlit as st

PageName = Literal["stage", "playback", "annotate", "validity"]


def way(label: str, page: PageName, here: PageName, *, story: str | None = None, icon: str | None = None) -> None:
    """A way to a page, and to a story on it; `here` is the page it stands on.

    Within a page a link would leave the old address in the browser, so there it is a button that sets the address.
    """
    if page != here:
        st.page_link(f"{page}.py", label=label, icon=icon, query_params={"story": story} if story else None)
    else:
        st.button(label, key=f"way-{page}-{story}", type="tertiary", icon=icon, on_click=_go, args=(story,))


def _go(story: str | None) -> None:
    st.query_params.from_dict({"story": story} if story else {})
