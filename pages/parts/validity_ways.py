"""What the views of the page Reliability and validity share: the way to a trajectory, files, and faults."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import streamlit as st

from annotations.errors import AnnotationError
from annotations.wording import say
from characterbox.accounts.rights import PAGES
from characterbox.components.figures.charts import OpenItem
from characterbox.components.figures.prose import fault
from characterbox.components.figures.source import Ratings
from characterbox.errors import CharacterBoxError
from pages.parts.given_out import given_out
from pages.parts.ways import go_to
from pages.parts.who import allowed

MIMES: Mapping[str, str] = {"csv": "text/csv", "tex": "application/x-tex", "json": "application/json"}
"""What files are, by their endings."""


def opener(ratings: Ratings) -> OpenItem | None:
    """What opens the trajectory of an item in Playback; None for ratings of a file, whose stories are elsewhere."""
    if not ratings.stored or not allowed(PAGES["playback"]):
        return None

    def open_item(item: str) -> None:
        place = ratings.place(item)
        if place is None:
            st.html(fault(say("{item} is of no story in this app.", item=item)))
        else:
            go_to("playback", **place)

    return open_item


def download(label: str, content: Callable[[], bytes], name: str, key: str, mime: str = "text/csv") -> None:
    """A button that makes the file when it is pressed."""
    st.download_button(
        label,
        given_out("figures.exported", name, content),
        file_name=name,
        mime=mime,
        key=f"download-{key}",
        on_click="ignore",
        icon=":material/download:",
    )


def offer(name: str, files: Iterable[tuple[str, str, Callable[[], bytes]]]) -> None:
    """Buttons beside each other, each with its label, the ending of its file, and how that is made."""
    with st.container(horizontal=True):
        for label, ending, content in files:
            download(label, content, f"{name}.{ending}", f"{name}-{ending}", MIMES[ending])


@contextmanager
def faults_told() -> Iterator[None]:
    """Say on the page why there are no figures."""
    try:
        yield
    except (AnnotationError, CharacterBoxError) as error:
        st.html(fault(say("These ratings give no figures: {error}.", error=error)))
