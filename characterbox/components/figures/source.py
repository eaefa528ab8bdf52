"""Which ratings a page shows: those in the app, or a file's."""

import hashlib
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from annotations.errors import RatingError
from annotations.rating import COLUMNS, read_ratings
from annotations.report import Report, statistics
from annotations.rubric import load_rubric
from characterbox.components.figures.prose import fault, said
from characterbox.judging.provenance import rated
from characterbox.store import Store

IN_APP, FROM_FILE = "In this app", "From a file"
LARGEST_UPLOAD = 50
"""Megabytes; a million ratings."""
LONG = 10_000
"""Ratings from which the statistics take long enough that progress is shown."""
KEPT = 16


@dataclass(frozen=True)
class Ratings:
    """A table of ratings, and what tells it from any other."""

    frame: pd.DataFrame
    digest: str

    @classmethod
    def of(cls, frame: pd.DataFrame) -> "Ratings":
        """The digest is of every cell: Streamlit's own would be of a sample once a table is long."""
        rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
        return cls(frame, hashlib.sha256(rows.tobytes()).hexdigest())

    def of_language(self, language: str | None) -> pd.DataFrame:
        """The ratings of one language, or all."""
        return self.frame if language is None else self.frame[self.frame["language"] == language]


def chosen_ratings(store: Store) -> Ratings | None:
    """The ratings that the reader chose; None, with what to do on the page, if there are none to show."""
    source = st.segmented_control(
        "Ratings", [IN_APP, FROM_FILE], default=IN_APP, required=True, key="ratings", bind="query-params"
    )
    if source == FROM_FILE:
        return _uploaded()
    frame = rated(store)
    if not frame.empty:
        return Ratings.of(frame)
    st.html(said("There are no ratings yet. Rate a character's trajectory, and the figures stand here."))
    with st.container(horizontal=True):
        st.page_link("annotate.py", label="Annotate", icon=":material/edit_note:")
        st.page_link("stage.py", label="Launch a scene", icon=":material/play_circle:")
    return None


def report_of(ratings: Ratings, language: str | None = None) -> Report:
    """The statistics, computed once for the same ratings; of a long table with progress."""
    known = st.session_state.setdefault("ratings_known", set())
    if len(ratings.frame) < LONG or (ratings.digest, language) in known:
        return _report(ratings.digest, language, ratings)
    progress = st.progress(0.1, f"Computing reliability and validity of {len(ratings.frame):,} ratings")
    report = _report(ratings.digest, language, ratings)
    progress.empty()
    known.add((ratings.digest, language))
    return report


def _uploaded() -> Ratings | None:
    file = st.file_uploader("A CSV file with one rating a line", type="csv", max_upload_size=LARGEST_UPLOAD)
    if file is None:
        st.html(
            said(
                f"Choose a file in UTF-8 with the columns {', '.join(COLUMNS)}, and language if there are several."
                " kind is expert or judge. The file is read for this visit only; nothing of it is stored."
            )
        )
        return None
    try:
        return Ratings.of(_read(file.getvalue()))
    except RatingError as error:
        st.html(fault(f"{file.name}: {error}. Then choose the file again."))
        return None


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _read(content: bytes) -> pd.DataFrame:
    return read_ratings(content)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _report(digest: str, language: str | None, _ratings: Ratings) -> Report:
    rubric, frame = load_rubric(), _ratings.of_language(language)
    return statistics(frame, rubric, scale_of(frame))


def scale_of(frame: pd.DataFrame) -> tuple[int, int] | None:
    """The scale that scores must be on: the rubric's where its metrics were rated, else any."""
    rubric = load_rubric()
    return (rubric.scale.low, rubric.scale.high) if set(frame["metric"]) >= set(rubric.keys) else None
