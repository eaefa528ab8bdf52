"""What is chosen among words, kept in the address of the page in English, whatever language the page speaks."""

from collections.abc import Callable, Collection
from typing import TypedDict

import streamlit as st


class Keeping(TypedDict):
    """What a widget is given so that its choice is in the address."""

    key: str
    on_change: Callable[..., None]
    args: tuple[str, str, str, str | None]


def in_address(name: str, options: Collection[str], usual: str, *, ends: str | None = None) -> tuple[str, Keeping]:
    """The option that the address has under a name, else the usual one, and what the widget with the options is given.

    Another choice takes out of the address what `ends` names. A widget bound to the address would write there what it
    shows, which depends on the language of the reader.
    """
    named = st.query_params.get(name, usual)
    if named not in options:
        del st.query_params[name]
    option, key = (named if named in options else usual), f"chosen-{name}"
    if st.session_state.get(key) != option:
        st.session_state[key] = option
    return option, Keeping(key=key, on_change=_write_down, args=(name, key, usual, ends))


def write_down(name: str, wanted: str | None, ends: str | None = None) -> None:
    """Put something into the address, or take it out if it is None; what `ends` names goes. One step back undoes it."""
    if ends is not None and ends in st.query_params:  # both at once: that is one entry in the browser's history
        kept = {one: value for one, value in st.query_params.to_dict().items() if one not in (name, ends)}
        st.query_params.from_dict(kept if wanted is None else {**kept, name: wanted})
    elif wanted is None:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = wanted


def _write_down(name: str, key: str, usual: str, ends: str | None) -> None:
    option = st.session_state[key]
    write_down(name, None if option == usual else option, ends)
