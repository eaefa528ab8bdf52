"""A recorded text that is edited where it stands."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.errors import CharacterBoxError
from pages.shared.form import MOST_PASTED, fault
from pages.shared.text import quiet


def edit_in_place(
    key: str, label: str, text: str, seen: int, save: Callable[[str, int], object], *, told: str = "", press: str
) -> None:
    """A button that opens a text for editing, and then the field with the ways to keep or leave what is written.

    `save` takes what was written, and the number of the take that was `seen` as it was begun; why it refuses that is
    told until something else is written. What somebody writes stays, though another writes there first meanwhile.
    """
    begun: dict[str, Any] = st.session_state.setdefault(f"{key}-begun", {})
    if not begun:
        st.button(say("Edit"), key=f"{key}-open", on_click=_begin, args=(key, begun, seen, text))
        return
    edited = st.text_area(label, key=key, height=420, max_chars=MOST_PASTED, persist_state="session")
    if told:
        quiet(told)
    with st.container(horizontal=True):
        st.button(press, key=f"{key}-save", type="primary", on_click=_save, args=(key, begun, save))
        st.button(say("Discard changes"), key=f"{key}-leave", on_click=begun.clear)
    if begun.get("refused") == edited:
        fault(begun["why"])


def _begin(key: str, begun: dict[str, Any], seen: int, text: str) -> None:
    begun["seen"] = seen
    st.session_state[key] = text


def _save(key: str, begun: dict[str, Any], save: Callable[[str, int], object]) -> None:
    edited = st.session_state[key]
    try:
        save(edited, begun["seen"])
    except CharacterBoxError as error:
        begun.update(refused=edited, why=translate(error))
    else:
        begun.clear()
