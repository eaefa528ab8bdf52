import streamlit as st

st.title("validity")
