"""What the views of the page Reliability and validity share: the way to a trajectory, files, and faults."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import streamlit as st

from annotations.errors import AnnotationError
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from characterbox.accounts.permissions import PAGES
from characterbox.components.figures.background.compute import Source
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import Ratings
from characterbox.components.figures.charts.judges import OpenItem, chosen_pictures
from characterbox.components.figures.files import downloads
from characterbox.components.figures.tables.captions import fault, said
from characterbox.components.figures.tables.text import file_name
from characterbox.errors import CharacterBoxError
from pages.shared.current_user import allowed
from pages.shared.downloads import given_out
from pages.shared.links import go_to

MIMES: Mapping[str, str] = {
    "csv": "text/csv",
    "tex": "application/x-tex",
    "json": "application/json",
    "zip": "application/zip",
}
"""What files are, by their endings."""


def opener(ratings: Ratings) -> OpenItem | None:
    """What opens the trajectory of an item in Playback; None for ratings of a file, whose stories are elsewhere."""
    if not ratings.stored or not allowed(PAGES["playback"]):
        return None

    def open_item(item: str) -> None:
        place = ratings.place(item)
        if place is None:
            st.html(fault(say("{item} belongs to no story in this app.", item=item)))
        else:
            go_to("playback", **place)

    return open_item


def download(label: str, content: Callable[[], bytes], name: str, key: str) -> None:
    """A button that makes the file when it is pressed; the ending of its name says what it is."""
    st.download_button(
        label,
        given_out("figures.exported", name, content),
        file_name=name,
        mime=MIMES[name.rpartition(".")[2]],
        key=f"download-{key}",
        on_click="ignore",
        icon=":material/download:",
    )


def offer(name: str, downloads: Iterable[tuple[str, str, Callable[[], bytes]]]) -> None:
    """Buttons beside each other, each with its label, the ending of its file, and how that is made."""
    with st.container(horizontal=True):
        for label, ending, content in downloads:
            download(label, content, f"{name}.{ending}", f"{name}-{ending}")


@contextmanager
def faults_told() -> Iterator[None]:
    """Say on the page why there are no figures."""
    try:
        yield
    except (AnnotationError, CharacterBoxError) as error:
        st.html(fault(say("Statistics cannot be computed from these ratings: {error}.", error=error)))


FILES: tuple[tuple[str, Callable[[Source, Selection], bytes], str, str], ...] = (
    (to_say("Ratings (CSV)"), downloads.ratings_file, "ratings", "csv"),
    (to_say("All statistics (CSV)"), downloads.figures_file, "figures", "csv"),
    (to_say("Tables (LaTeX)"), downloads.tables_file, "tables", "tex"),
    (to_say("Bundle to recompute all statistics"), downloads.bundle_file, "characterbox-figures", "zip"),
)
MADE = to_say(
    "The statistics and the bundle are computed when you download them. With many ratings this takes a few seconds."
)
METHODS = to_say(
    "For the methods section of a paper: what was rated, how each statistic is defined, and which software computed it."
)


def show_files(ratings: Ratings, selection: Selection) -> None:
    """The files of what is selected, and as what charts are saved."""
    st.subheader(say("Download"))
    st.html(said(say(MADE)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, of, name, ending in FILES:
            content = partial(ratings.file, of, selection)
            download(say(label), content, f"{file_name(name, selection.short)}.{ending}", name)
        chosen_pictures()
    if st.toggle(say("Show the methods paragraph"), key="methods", bind="query-params"):
        st.html(said(say(METHODS)))
        st.code(
            ratings.in_depth(say("Writing the methods paragraph"), downloads.methods_of, selection),
            language=None,
            wrap_lines=True,
        )
