"""The experts themselves: whether they agree on a metric, and whether the metrics of a dimension go together."""

import streamlit as st

from annotations.agreement import CHANCE
from annotations.reliability import ACROSS_METRICS
from characterbox.components.figures.in_depth import raters_of
from characterbox.components.figures.prose import said
from characterbox.components.figures.rater_tables import agreement_table, consistency_table
from characterbox.components.figures.source import Ratings


def show_raters(ratings: Ratings, language: str | None) -> None:
    """Agreement between the experts, and consistency of the metrics of experts and judges."""
    found = ratings.in_depth("Comparing the raters", raters_of, language)
    st.subheader("Do the experts agree?")
    st.html(
        said(
            "ICC(A,1) is what one expert's score is worth, ICC(A,k) what the mean of all is worth, both over the items"
            " that every expert scored; Krippendorff's alpha (ordinal) takes every item with two scores, and is the one"
            " to read where different experts had different items. Intervals are 95 %, by drawing scenes and models"
            f" anew; the experts stay as they are. {CHANCE[:1].upper()}{CHANCE[1:]}."
        )
    )
    st.html(agreement_table(found.between))
    st.subheader("Do the metrics of a dimension go together?")
    st.html(
        said(
            f"Cronbach's alpha, {ACROSS_METRICS}. Feldt's interval takes the rows as independent; the other draws"
            " scenes and models anew. Of two metrics none can be dropped: they have the Spearman-Brown coefficient."
        )
    )
    st.html(consistency_table(found.together))
