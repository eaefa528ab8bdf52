"""Planning the next study from what the experts' scores vary by now."""

import streamlit as st

from characterbox.components.figures.comparison_tables import planning_table
from characterbox.components.figures.in_depth import plan_of
from characterbox.components.figures.prose import said
from characterbox.components.figures.source import Ratings

WISHED = (0.5, 0.6, 0.7, 0.8, 0.9)


def show_plan(ratings: Ratings, language: str | None) -> None:
    """Variance components, and how many experts and scenes a reliable ranking of the models takes."""
    st.subheader("How many experts and scenes?")
    wished = st.segmented_control(
        "Reliability that is wished", WISHED, default=0.8, required=True, key="wished", bind="query-params"
    )
    found = ratings.in_depth("Looking for designs", plan_of, language, float(wished or WISHED[3]))
    st.html(
        said(
            "What the variance of a single score is due to, in shares of their sum (generalizability theory; Brennan,"
            " 2001), and the least number of experts and scenes whose mean ranks the models with the wished"
            " generalizability, if every expert scores every model in every scene."
        )
    )
    st.html(planning_table(found.components, found.designs))
