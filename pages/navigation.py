"""The script that Streamlit runs for every page: the frame around it, and the way from one to another."""

from pathlib import Path

import streamlit as st

from pages.parts.look import apply_style

st.set_page_config(page_title="CharacterBox", page_icon=Path(__file__).parent / "parts" / "icon.svg", layout="wide")

pages = [
    st.Page("stage.py", title="Stage", url_path="stage", default=True),
    st.Page("playback.py", title="Playback", url_path="playback"),
    st.Page("models.py", title="Models", url_path="models"),
    st.Page("annotate.py", title="Annotate", url_path="annotate"),
    st.Page("validity.py", title="Reliability and validity", url_path="validity"),
]
apply_style()
st.navigation(pages, position="top").run()
