"""Waiting on a page for what is worked out elsewhere."""

from concurrent.futures import Future, wait
from typing import TypeVar

import streamlit as st

T = TypeVar("T")

SOON, POLL = 0.3, 0.25
"""Seconds until progress is shown, and then from one look to the next."""
BEGUN = 0.1
"""What is shown as done: how far a thing is that is worked out elsewhere is not known here."""


def awaited(future: "Future[T]", told: str) -> T:
    """What comes, or is raised, with progress and a word of what is done until then; the page reads `told` as Markdown,
    so that no name belongs in it.

    Each look lets Streamlit end this run of the page, should the reader click elsewhere or leave; what has not begun by
    then is not begun any more.
    """
    place = st.empty()
    try:
        if not wait([future], SOON).done:
            while not wait([future], POLL).done:
                place.progress(BEGUN, told)
            place.empty()
        return future.result()
    finally:
        future.cancel()
