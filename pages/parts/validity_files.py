"""What can be taken away: ratings, figures, tables, the methods, and a bundle that recomputes every figure."""

from collections.abc import Callable

import streamlit as st

from annotations.wording import say, to_say
from characterbox.components.figures import files
from characterbox.components.figures.charts import chosen_pictures
from characterbox.components.figures.prose import said
from characterbox.components.figures.reckoning import Source
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.source import Ratings
from characterbox.components.figures.words import file_name
from pages.parts.validity_ways import download

FILES: tuple[tuple[str, Callable[[Source, Selection], bytes], str, str, str], ...] = (
    (to_say("Ratings (CSV)"), files.ratings_file, "ratings", "csv", "text/csv"),
    (to_say("Every figure (CSV)"), files.figures_file, "figures", "csv", "text/csv"),
    (to_say("Tables (LaTeX)"), files.tables_file, "tables", "tex", "application/x-tex"),
    (
        to_say("Bundle that recomputes every figure"),
        files.bundle_file,
        "characterbox-figures",
        "zip",
        "application/zip",
    ),
)
MADE = to_say(
    "Every figure, and the bundle, are worked out when they are asked for: with many ratings it takes some seconds."
)
METHODS = to_say(
    "For the methods section of a paper: what was rated, how each figure is defined, and with what it was computed."
)


def show_files(ratings: Ratings, selection: Selection) -> None:
    """The files of what is selected, and as what charts are saved."""
    st.subheader(say("To take away"))
    st.html(said(say(MADE)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, of, name, ending, mime in FILES:
            content, full_name = _content(ratings, of, selection), f"{file_name(name, selection.short)}.{ending}"
            download(say(label), content, full_name, name, mime)
        chosen_pictures()
    if st.toggle(say("Show the methods paragraph"), key="methods", bind="query-params"):
        st.html(said(say(METHODS)))
        st.code(
            ratings.in_depth(say("Writing the methods"), files.methods_of, selection), language=None, wrap_lines=True
        )


def _content(ratings: Ratings, of: Callable[[Source, Selection], bytes], selection: Selection) -> Callable[[], bytes]:
    return lambda: ratings.file(of, selection)
