"""What forms share: how much can be written into a field, what is wrong with one, and widgets that show what is stored.

Streamlit takes no more than that, whatever a browser sends. What may be stored is often shorter: then the function that
stores it says so.
"""

import html
from collections.abc import Mapping

import streamlit as st

from characterbox.components.rerun import MOST_TEXT

MOST_LINE = 2_000
"""Characters of a field of one line, at most: as many as the address of a page may have of it."""
MOST_LINES = 20_000
"""Characters of a field of some lines, at most."""
MOST_PASTED = MOST_TEXT
"""Characters of a field into which whole texts are pasted, at most: as many as a page may send in one field."""


class FieldFaults(Exception):
    """What is wrong with a form: one sentence for each field that can't be used."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {fault}" for field, fault in faults.items()))
        self.faults = faults


def fault(said: str | None) -> None:
    """What is wrong with the field above, if something is."""
    if said:
        st.html(f'<p class="cb-fault" role="alert">{html.escape(said)}</p>')


def show_stored(key: str, value: object) -> None:
    """Have the widget with a key show a value, which it is to begin with, too.

    The browser forgets what a widget had that was not there for a while, and sends what the widget begins with instead.
    A value that is set is drawn over what somebody chooses meanwhile, also where it is the one that the widget has: so
    it is set only where it differs.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
