"""A draft or a translation that a person writes over."""

from typing import Any

import streamlit as st

from annotations.wording import say, translate
from characterbox.crafting.editing import edit, read_by_hand, read_written
from characterbox.crafting.stages import Draft
from characterbox.crafting.standing import Crafting
from characterbox.errors import CharacterBoxError, ReplyError
from characterbox.stage.stage import open_stage
from pages.parts.lengths import MOST_PASTED
from pages.parts.look import quiet
from pages.parts.models_look import fault
from pages.parts.scenes_copy import check_writes


def tell_why_none(crafting: Crafting, number: int, step: Draft, text: str) -> None:
    """Why what came is no scene: the model was told it in English, so it is read again for whoever looks on."""
    try:
        read_written(text, crafting.wish, crafting.id, number)
    except ReplyError as error:
        fault(str(error))
    else:
        fault(translate(step.problem or ""))


def edit_by_hand(crafting: Crafting, number: int, path: str, text: str, told: str = "") -> None:
    """What was written at a path of scene `number`, as JSON, to be edited and put in its place.

    What somebody writes stays, though another writes there first or the crafting goes on meanwhile.
    """
    key = f"craft-edit-{crafting.id}-{path}"
    begun: dict[str, Any] = st.session_state.setdefault(f"{key}-begun", {})
    if not begun:
        st.button(say("Edit"), key=f"{key}-open", on_click=_begin, args=(key, begun, crafting.take(path), text))
        return
    edited = st.text_area(
        say("The draft, as JSON"), key=key, height=420, max_chars=MOST_PASTED, persist_state="session"
    )
    if told:
        quiet(told)
    with st.container(horizontal=True):
        st.button(
            say("Put it in place"), key=f"{key}-save", type="primary", on_click=_save,
            args=(crafting, (number, path), begun, key),
        )  # fmt: skip
        st.button(say("Leave it as it was"), key=f"{key}-leave", on_click=begun.clear)
    if begun.get("refused") == edited:
        fault(begun["why"])


def _begin(key: str, begun: dict[str, Any], seen: int, text: str) -> None:
    begun["seen"] = seen
    st.session_state[key] = text


def _save(crafting: Crafting, place: tuple[int, str], begun: dict[str, Any], key: str) -> None:
    """Put what was written in place; why that can't be is told until something else is written."""
    number, path = place
    edited = st.session_state[key]
    try:
        check_writes()
        scene = read_by_hand(edited, crafting.wish, crafting.id, number)
        edit(open_stage().store, crafting.id, path, scene, begun["seen"])
    except CharacterBoxError as error:
        begun.update(refused=edited, why=str(error))
    else:
        begun.clear()
