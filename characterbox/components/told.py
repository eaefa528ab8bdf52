"""What a component on the page has told, for those who are called when it does."""

from collections.abc import Mapping

import streamlit as st


def told_by(key: str, name: str) -> object:
    """What the component of this key said last under a name; None if nothing.

    It is there for as long as the component is on the page, and anybody can send a message in its name.
    """
    state: object = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None
