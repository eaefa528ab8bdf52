import streamlit as st

st.title("playback")
