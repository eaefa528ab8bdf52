"""The rubric as a Streamlit component."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from characterbox.components.rubric import rubric_css, rubric_js
from characterbox.components.told import told_by

_KEY = "rubric"
_rubric = st.components.v2.component("characterbox_rubric", css=rubric_css(), js=rubric_js())

# Streamlit leaves much room below a page: without it, a part and its rubric fill the window and nothing scrolls away.
_ROOM = "<style>.stMainBlockContainer { padding-bottom: 1.5rem; }</style>"


def mount(data: Mapping[str, Any], on_go: Callable[[Mapping[str, Any]], None]) -> None:
    """Put the rubric on the page, or change what it shows; it is the only one, so that a key has one meaning."""
    st.html(_ROOM)

    def hear() -> None:
        place = told_by(_KEY, "go")
        if isinstance(place, Mapping):
            on_go(place)

    _rubric(key=_KEY, data=dict(data), on_go_change=hear)
