"""What is shown of a long list: what is looked for in it, as the address says, and which part."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st

from annotations.wording import say
from characterbox.components.address import box_in_address, text_in_address
from characterbox.searching import MOST_SEARCHED

T = TypeVar("T")
ANY = ""
"""Nothing is asked for."""


def chosen_page(count: int, per_page: int) -> int:
    """Which part of `count` things is shown, from 0, as the address says; a choice where there is more than one."""
    pages = max(1, -(-count // per_page))
    numbers = [str(number) for number in range(1, pages + 1)]
    chosen, keeping = box_in_address("page", numbers, "1")
    if pages > 1:
        st.selectbox(say("Page, of {pages:,}", pages=pages), numbers, width=160, **keeping)
    return int(chosen) - 1


@contextmanager
def turned_to(things: Sequence[T], per_page: int, key: str) -> Iterator[Sequence[T]]:
    """The part of the things that one has turned to in this session; the pages to turn to come below it."""
    pages = max(1, -(-len(things) // per_page))
    page = min(st.session_state.get(key, 1), pages)
    yield things[(page - 1) * per_page : page * per_page]
    if pages > 1:
        st.pagination(pages, key=key, persist_state="session")


def searched(placeholder: str, width: int) -> str:
    """The words that are looked for."""
    keeping = text_in_address("text", ends="page")
    text: str = st.text_input(say("Search"), placeholder=placeholder, max_chars=MOST_SEARCHED, width=width, **keeping)
    return text.replace("\x00", "")


def one_of(
    name: str, labels: tuple[str, str], options: Mapping[str, int], shown: Mapping[Any, str], width: int
) -> str | None:
    """The option that is asked for, of those that there are, each with how often; None if any will do.

    `labels` are of the box, and of its first option, which asks for nothing.
    """
    label, anything = labels

    def told(option: str) -> str:
        if option == ANY:
            return anything
        said = shown.get(option, option)
        return f"{said} ({options[option]:,})" if options[option] else said

    chosen, keeping = box_in_address(name, [ANY, *options], ANY, ends="page")
    st.selectbox(label, [ANY, *options], format_func=told, width=width, **keeping)
    return chosen or None
