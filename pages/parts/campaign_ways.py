"""Ways within the Campaigns page; its address says where one is."""

from collections.abc import Callable

import streamlit as st

from pages.parts.acts import do


def go(**place: str) -> None:
    """Put this place into the address: a campaign and a part of it, the rubrics, or nothing for all campaigns."""
    st.query_params.from_dict(place)


def way_to(label: str, icon: str | None = None, **place: str) -> None:
    """A way to a place of the page."""
    key = "way-" + "-".join(f"{name}-{value}" for name, value in place.items())
    st.button(label, key=key, type="tertiary", icon=icon, on_click=go, kwargs=place)


def act(label: str, what: Callable[[], None], *, key: str, primary: bool = False, disabled: bool = False) -> None:
    """A button that does something; what it is refused for is told by `tell_refusal`."""
    st.button(label, key=key, type="primary" if primary else "secondary", disabled=disabled, on_click=do, args=(what,))
