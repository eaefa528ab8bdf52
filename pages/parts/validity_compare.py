"""Judges beside each other on the same experts and items."""

import streamlit as st

from annotations.comparing import DIFFERENCE, WILLIAMS, ZOU
from annotations.wording import say, to_say
from characterbox.components.figures.comparison_tables import comparison_table
from characterbox.components.figures.html_table import html_of
from characterbox.components.figures.in_depth import MOST_JUDGES, judges_of
from characterbox.components.figures.prose import listed, said
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.words import overall_in_words
from pages.parts.validity_choice import Focus

MANY = to_say("p is of each pair by itself: among many pairs, some differ by chance")


def show_comparison(ratings: Ratings, selection: Selection, _: Focus) -> None:
    """Every two judges, on overall."""
    shown = ratings.figures(selection)
    judges = shown.report.design.judges
    if len(judges) < 2:
        st.html(said(say("A comparison needs at least two judges.")))
        return
    found = ratings.in_depth(say("Comparing the judges"), judges_of, selection)
    st.subheader(say("Which judge agrees better with the experts?"))
    if len(judges) > MOST_JUDGES:
        told = say("Of {n} judges, the first {most} by name are compared.", n=len(judges), most=MOST_JUDGES)
        st.html(said(told))
    st.html(
        said(
            say(
                "All of it on {overall}. Where intervals contradict, read the resampled one.",
                overall=overall_in_words(shown.report),
            )
        )
    )
    st.html(listed(list(map(say, (DIFFERENCE, WILLIAMS, ZOU, MANY)))))
    st.html(html_of(comparison_table(found, shown.improvised_judges)))
    if caveats := [caveat.sentence for both in found.values() for caveat in both.caveats]:
        st.subheader(say("Judges that may share more than the truth"))
        st.html(listed(caveats))
