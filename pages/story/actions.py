"""What buttons do to a story. It is done before the page is drawn, so that no press is lost while the page is late."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from annotations.i18n.translation import translate
from characterbox.errors import CharacterBoxError
from pages.shared.form import fault
from pages.shared.text import plain

SHOWN = 10.0
"""Seconds for which a refusal is shown, however often the page is drawn again meanwhile."""
_KEPT = "refusal"
_Place = tuple[str, tuple[tuple[str, str], ...]]
"""A page, and what its address says."""


@dataclass(frozen=True)
class _Refusal:
    """Why something was not done."""

    said: str
    since: float
    beside: str | None
    """The field that it is told beside; None where it is told above all."""
    place: _Place | None = None
    """Where it was told first, and where alone it is told; None before."""


def do(act: Callable[..., object], *given: Any, beside: str | None = None) -> None:
    """Do it; a refusal is kept for `refusal`, or for `show_error` beside the field that it names."""
    st.session_state.pop(_KEPT, None)
    try:
        act(*given)
    except CharacterBoxError as error:
        st.session_state[_KEPT] = _Refusal(translate(error), time.monotonic(), beside)


def refusal(beside: str | None = None) -> str | None:
    """Why what was pressed just now was not done; None if it was, or nothing was, or one has gone elsewhere since."""
    kept: _Refusal | None = st.session_state.get(_KEPT)
    if kept is None:
        return None
    if kept.place not in (None, _place()) or time.monotonic() - kept.since >= SHOWN:
        del st.session_state[_KEPT]
        return None
    st.session_state[_KEPT] = replace(kept, place=_place())
    return kept.said if kept.beside == beside else None


def show_error(beside: str | None = None) -> None:
    """Show why what was pressed just now was not done, if it was not: once a page above all, where one looks, and below
    each field that `do` can name."""
    if (said := refusal(beside)) is None:
        return
    if beside is None:
        st.error(plain(said))
    else:
        fault(said)


def _place() -> _Place:
    context = get_script_run_ctx(suppress_warning=True)
    address = tuple((name, value) for name in st.query_params for value in st.query_params.get_all(name))
    return "" if context is None else context.page_script_hash, address


def act(label: str, what: Callable[[], None], *, key: str, primary: bool = False, disabled: bool = False) -> None:
    """A button that does something; what it is refused for is told by `show_error`."""
    st.button(label, key=key, type="primary" if primary else "secondary", disabled=disabled, on_click=do, args=(what,))
