"""How figures and their tables are set on a page."""

from importlib.resources import files

import streamlit as st

from characterbox.components.figures.charts.theme import shown_tokens

_STYLE = files("characterbox.components.figures").joinpath("figures.css").read_text(encoding="utf-8")


def apply_figure_style() -> None:
    """Put the style of figures on the page, on the paper of the theme that is shown."""
    st.html(f"<style>.stApp {{ --cb-paper: {shown_tokens().paper}; }}{_STYLE}</style>")
