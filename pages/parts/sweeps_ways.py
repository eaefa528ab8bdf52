"""Ways within the Sweeps page, and on to what came of a sweep."""

from urllib.parse import urlencode

import streamlit as st

from annotations.wording import say
from characterbox.components.links import go as go_there


def go(**place: str) -> None:
    """Put this place into the address: a `sweep`, a `new` one, or nothing for all sweeps."""
    st.query_params.from_dict(place)


def way_to(label: str, icon: str | None = None, **place: str) -> None:
    """A way to a place of the page."""
    st.button(label, key=f"way-{urlencode(place)}", type="tertiary", icon=icon, on_click=go, kwargs=place)


def to_leaderboard(name: str) -> None:
    """The way to what the judges of a sweep gave, as a leaderboard."""
    if st.button(say("Leaderboard"), key="sweep-leaderboard", type="tertiary", icon=":material/leaderboard:"):
        go_there(f"/leaderboard?{urlencode({'sweep': name})}")
