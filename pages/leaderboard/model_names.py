"""Under which names the paper's models are found: what comes with the package, and what people add here."""

import streamlit as st

from annotations.errors import AnnotationError
from annotations.exchange.table import Column, Group, Row, Table
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from annotations.report.published_names import MOST_NAME, PUBLISHED, PublishedNames, shipped
from characterbox.components.figures.tables.captions import said
from characterbox.components.figures.tables.html import html_of
from characterbox.errors import CharacterBoxError
from characterbox.store import Store
from pages.shared.current_user import current_user
from pages.shared.text import plain

TOLD = to_say(
    "The paper's values from tables 1 and 6 are shown next to a model if its name, after the last slash and"
    " ignoring case, is one of these. The paper's GPT-3.5 and GPT-4 are gpt-3.5-turbo-1106 and"
    " gpt-4-1106-preview; for open models it gives only size and version. Added names apply to everybody and"
    " are recorded in the audit log."
)
NONE = to_say("Not in the paper")


def show_model_names(store: Store) -> None:
    """The names of each published row, a form to add one, and a button that takes the last change back."""
    st.subheader(say("Model names"), anchor=False)
    names = store.published_names.names()
    st.html(said(say(TOLD)))
    st.html(html_of(names_table(names)))
    with (
        st.form("published-name", clear_on_submit=True, border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        model = st.text_input(say("Model name"), placeholder="my-org/Qwen2.5-7B-sft", max_chars=MOST_NAME, width=320)
        rows = [*PUBLISHED, None]
        row = st.selectbox(say("Name in the paper"), rows, format_func=lambda one: one or say(NONE), width=220)
        added = st.form_submit_button(say("Add name"))
    if added:
        try:
            store.published_names.add(current_user(), model, row)
            st.rerun()
        except (AnnotationError, CharacterBoxError) as error:
            st.error(plain(translate(error)))
    if store.published_names.undoable() and st.button(say("Undo the last change"), icon=":material/undo:"):
        store.published_names.undo(current_user())
        st.rerun()


def names_table(names: PublishedNames) -> Table:
    """A row for each published model, and one for the names that have none."""
    told: dict[str | None, list[str]] = {row: [] for row in PUBLISHED}
    for name, row in {**shipped(), **names.added}.items():
        if name != (row or "").casefold():
            told.setdefault(row, []).append(name)
    rows = [Row(row or say(NONE), [say(", ").join(known)]) for row, known in told.items()]
    return Table(say("Model names"), [Column(say("Also known as"))], [Group(rows)], corner=say("Name in the paper"))
