"""What buttons do to a story. It is done before the page is drawn, so that no press is lost while the page is late."""

from collections.abc import Callable

import streamlit as st

from characterbox.errors import CharacterBoxError


def do(act: Callable[[], None]) -> None:
    """Do it; a refusal is kept for `refusal`."""
    try:
        act()
    except CharacterBoxError as error:
        st.session_state["refusal"] = str(error)


def refusal() -> str | None:
    """Why what was pressed just now was not done; None if it was, or nothing was."""
    said: str | None = st.session_state.pop("refusal", None)
    return said
