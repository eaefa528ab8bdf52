"""The form as a Streamlit component."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from characterbox.components.answer import answer_css, answer_js
from characterbox.components.told import told_by

_form = st.components.v2.component("characterbox_answer", css=answer_css(), js=answer_js())


def mount(
    data: Mapping[str, Any], key: str, on_draft: Callable[[object], None], on_answer: Callable[[object], None]
) -> None:
    """Put the form on the page."""
    _form(
        key=key,
        data=dict(data),
        on_draft_change=lambda: on_draft(told_by(key, "draft")),
        on_answer_change=lambda: on_answer(told_by(key, "answer")),
    )
