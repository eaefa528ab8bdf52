"""Ways within the Accounts page; its address says where one is."""

import streamlit as st


def go(**place: str) -> None:
    """Put this place into the address."""
    st.query_params.from_dict(place)


def way_to(label: str, icon: str | None = None, **place: str) -> None:
    """A way to a place of the page: an account, the log, or all accounts."""
    key = "way-" + "-".join(f"{name}-{value}" for name, value in place.items())
    st.button(label, key=key, type="tertiary", icon=icon, on_click=go, kwargs=place)
