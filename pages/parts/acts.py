"""What buttons do to a story. It is done before the page is drawn, so that no press is lost while the page is late."""

import time
from collections.abc import Callable

import streamlit as st

from characterbox.errors import CharacterBoxError
from pages.parts.look import plain

SHOWN = 10.0
"""Seconds for which a refusal is shown, however often the page is drawn again meanwhile."""


def do(act: Callable[[], object]) -> None:
    """Do it; a refusal is kept for `refusal`."""
    st.session_state.pop("refusal", None)
    try:
        act()
    except CharacterBoxError as error:
        st.session_state["refusal"] = str(error), time.monotonic()


def refusal() -> str | None:
    """Why what was pressed just now was not done; None if it was, or nothing was."""
    said, since = st.session_state.get("refusal", (None, 0.0))
    return said if time.monotonic() - since < SHOWN else None


def tell_refusal() -> None:
    """Show why what was pressed just now was not done, if it was not. Once a page, where one looks."""
    if (said := refusal()) is not None:
        st.error(plain(said))
