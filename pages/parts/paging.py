"""Which part of a long list is shown."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import streamlit as st

from annotations.wording import say
from characterbox.components.address import box_in_address

T = TypeVar("T")


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
