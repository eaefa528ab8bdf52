"""Training: datasets from stories, runs that train narrators, judges and characters with them, and what came of it."""

import streamlit as st

from characterbox.stage.stage import open_stage
from pages.training.dataset import show_dataset
from pages.training.list import training_list
from pages.training.new_dataset import new_dataset
from pages.training.new_run import new_run
from pages.training.reflection import show_reflections
from pages.training.run import show_run
from pages.training.text import STYLE

stage = open_stage()
st.html(STYLE)
place = st.query_params
match place.get("new"):
    case "dataset":
        new_dataset(stage)
    case "run":
        new_run(stage)
    case _ if "dataset" in place:
        show_dataset(place["dataset"])
    case _ if "run" in place:
        show_run(stage, place["run"])
    case _ if "reflections" in place:
        show_reflections(stage, place["reflections"])
    case _:
        training_list(stage)
