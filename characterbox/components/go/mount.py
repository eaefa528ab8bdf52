"""Going elsewhere, as a Streamlit component."""

import streamlit as st

from characterbox.components.go import go_js

_go = st.components.v2.component("characterbox_go", js=go_js() + "export default ({ data }) => goTo(data.address);\n")


def go(address: str) -> None:
    """Have the browser go to an address of the app as soon as it hears of it."""
    _go(key="go", data={"address": address})
