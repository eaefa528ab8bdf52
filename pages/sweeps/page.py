"""Sweeps: many scenes played with many models, and judged by the same judges; what they take, and how far they are."""

import streamlit as st

from characterbox.stage.stage import open_stage
from pages.sweeps import list as sweeps_list
from pages.sweeps.list import sweep_list
from pages.sweeps.new import new_sweep
from pages.sweeps.sweep import show_sweep

stage = open_stage()
st.html(sweeps_list.STYLE)
place = st.query_params
if "sweep" in place:
    show_sweep(stage, place["sweep"])
elif "new" in place:
    new_sweep(stage)
else:
    sweep_list(stage)
