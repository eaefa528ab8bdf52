"""Widgets that show what is stored."""

import streamlit as st


def show_stored(key: str, value: object) -> None:
    """Have the widget with a key show a value, which it is to begin with, too.

    The browser forgets what a widget had that was not there for a while, and sends what the widget begins with instead.
    A value that is set is drawn over what somebody chooses meanwhile, also where it is the one that the widget has: so
    it is set only where it differs.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
