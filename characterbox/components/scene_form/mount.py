"""The form as a Streamlit component."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from characterbox.components.scene_form import Told, heard, scene_form_css, scene_form_js
from characterbox.components.told import told_by

_form = st.components.v2.component("characterbox_scene_form", css=scene_form_css(), js=scene_form_js())


def show_scene_form(data: Mapping[str, Any], key: str, *, on_draft: Told, on_save: Told) -> None:
    """Put the form on the page; `key` names this place of the page across reruns."""
    _form(
        key=key,
        data=dict(data),
        on_draft_change=lambda: heard(on_draft)(told_by(key, "draft")),
        on_save_change=lambda: heard(on_save)(told_by(key, "save")),
    )
