"""The filters of a list: a search and the boxes beside it, in one line where there is room for it.

Where there is none, the boxes fold behind one control, beside which it says how many of them are in use.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from annotations.i18n.translation import say, say_count
from characterbox.components.url_state import box_in_address, text_in_address
from characterbox.scenes.search import MOST_SEARCHED

ANY = ""
"""Nothing is asked for."""

STYLE = """
<style>
.cb-filters > summary { cursor: pointer; width: max-content; line-height: 1.3125rem; }
@media (min-width: 1200px) {
  .st-key-filters { flex-wrap: nowrap; }
  .st-key-filters > * { flex: 1 1 0; min-width: 0; }
  .st-key-filters > :has(.stTextInput) { flex-grow: 1.5; }
  .st-key-filters > :has(> .stHtml, > .stEmpty) { display: none; }
}
@media (max-width: 1199px) {
  .st-key-filters:not(:has(.cb-filters[open])) > :has(.cb-filters) ~ :not(:has(> .stHtml, > .stEmpty)) {
    display: none; }
  .st-key-filters > :not(:has(> .stHtml, > .stEmpty)) { flex: 1 1 10rem; min-width: 0; }
  .st-key-filters > :has(.stTextInput) { flex-basis: 18rem; }
}
.st-key-filters input { text-overflow: ellipsis; }
</style>
"""


@contextmanager
def filters(in_use: Callable[[], int], search: Callable[[], str] = str) -> Iterator[str]:
    """The line in which a search and boxes are drawn; gives the words that are looked for.

    `in_use` counts the boxes, once they are drawn, in which something is chosen. The search never folds.
    """
    with st.container(key="filters", horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        text = search()
        # It stays the same text for as long as the page is there: else it would fold whenever something is chosen.
        name = say("Filters")
        st.html(f'{STYLE}<details class="cb-filters"><summary>{name}</summary></details>', width="content")
        told = st.empty()
        yield text
        if count := in_use():
            said = say_count("{count} active", "{count} active", count)
            told.html(f'<p class="cb-quiet">{said}</p>', width="content")


def in_address(names: Collection[str]) -> int:
    """In how many boxes of these names something is chosen."""
    return sum(name in st.query_params for name in names)


def searched(placeholder: str) -> str:
    """The words that are looked for."""
    keeping = text_in_address("text", ends="page")
    text: str = st.text_input(say("Search"), placeholder=placeholder, max_chars=MOST_SEARCHED, **keeping)
    return text.replace("\x00", "")


def one_of(name: str, labels: tuple[str, str], options: Mapping[str, int], shown: Mapping[Any, str]) -> str | None:
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
    st.selectbox(label, [ANY, *options], format_func=told, **keeping)
    return chosen or None
