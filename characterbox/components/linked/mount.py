"""Linked HTML as a Streamlit component."""

import streamlit as st

from characterbox.components.linked import linked_js

_linked = st.components.v2.component("characterbox_linked", js=linked_js(), isolate_styles=False)


def show_linked(html: str, key: str) -> None:
    """Put HTML on the page, in the page's own style; its links are addresses of the app."""
    _linked(key=key, data={"html": html})
