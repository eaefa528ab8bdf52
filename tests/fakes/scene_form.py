"""The form of a scene without a browser: what it is given is noted, and what is in it is said by pressing a button."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st


@dataclass
class FakeForm:
    """Takes the place of `show_scene_form`; `written` is what stands in the form, once somebody has written."""

    data: dict[str, Any] = field(default_factory=dict)
    """What the form was given last."""
    written: dict[str, Any] | None = None

    def __call__(self, data, key, *, on_draft, on_save):
        """Put two buttons on the page, as a browser would say it after the last key, and after the press of Save."""
        self.data = data
        st.button("type", key=f"{key}-type", on_click=lambda: on_draft(data["id"], self.said))
        st.button("save", key=f"{key}-save", on_click=lambda: on_save(data["id"], self.said))

    @property
    def said(self):
        """What stands in the form."""
        return self.data["values"] if self.written is None else self.written
