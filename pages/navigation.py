"""The script that Streamlit runs for every page: the frame around it, and the way from one to another."""

import streamlit as st

st.set_page_config(page_title="CharacterBox", page_icon=":material/theater_comedy:", layout="wide")

pages = [
    st.Page("stage.py", title="Stage", url_path="stage", default=True),
    st.Page("playback.py", title="Playback", url_path="playback"),
    st.Page("annotate.py", title="Annotate", url_path="annotate"),
    st.Page("validity.py", title="Reliability and validity", url_path="validity"),
]
st.navigation(pages, position="top").run()
