"""What is chosen among words, kept in the address of the page in English, whatever language the page speaks."""

from collections.abc import Callable, Collection
from typing import TypedDict

import streamlit as st


class Keeping(TypedDict):
    """What a widget is given so that its choice is in the address."""

    key: str
    on_change: Callable[[str, str, str], None]
    args: tuple[str, str, str]


def in_address(name: str, options: Collection[str], usual: str) -> tuple[str, Keeping]:
    """The option that the address has under a name, else the usual one, and what the widget with the options is given.

    A widget bound to the address would write there what it shows, which depends on the language of the reader.
    """
    named = st.query_params.get(name, usual)
    if named not in options:
        del st.query_params[name]
    option, key = (named if named in options else usual), f"chosen-{name}"
    if st.session_state.get(key) != option:
        st.session_state[key] = option
    return option, Keeping(key=key, on_change=_write_down, args=(name, key, usual))


def _write_down(name: str, key: str, usual: str) -> None:
    if (option := st.session_state[key]) == usual:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = option
