"""Which ratings the page Reliability and validity shows: those in the app, a dataset, or a file."""

import streamlit as st

from annotations.errors import RatingError
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from annotations.marking.rating import COLUMNS
from characterbox.addresses import address_of
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.components.figures.background.compute import Imported
from characterbox.components.figures.background.source import (
    Ratings,
    imported_ratings,
    stored_ratings,
    uploaded_ratings,
)
from characterbox.components.figures.tables.captions import fault, said
from characterbox.components.mounts import put_address
from characterbox.components.url_state import box_in_address
from characterbox.errors import TooHeavy
from characterbox.samples.study import SOURCE, STUDY
from characterbox.stage.stage import open_stage
from pages.shared.current_user import current_user
from pages.shared.links import page_link
from pages.validity.choice import tell_unknown

IN_APP, FROM_FILE = to_say("In this app"), to_say("From a file")
LARGEST_UPLOAD = 50
"""Megabytes; a million ratings."""
UNKNOWN_RATINGS = to_say("The link asks for ratings {wanted}, which are not available here.")
ABOUT_STUDY = to_say(
    "Sample study ({source}; MIT license). Scores only; scores outside the scale are excluded. Different people"
    " rated different stories: “human-1” to “human-3” are columns, not individuals."
)


def chosen_ratings() -> Ratings | None:
    """The ratings that the reader chose; None, with what to do on the page, if there are none to show."""
    store = open_stage().store
    stored = stored_ratings()
    any_stored = stored.are_there()
    datasets = {dataset.id: dataset.name for dataset in store.datasets.all()}
    options = [IN_APP, *datasets, FROM_FILE]
    usual = IN_APP if any_stored or not datasets else next(iter(datasets))

    def called(option: str) -> str:
        name = datasets.get(option, "")
        return say("Sample: {name}", name=name) if option == STUDY else name or say(option)

    tell_unknown("ratings", UNKNOWN_RATINGS, options)
    chosen, keeping = box_in_address("ratings", options, usual)
    st.selectbox(say("Ratings"), options, format_func=called, width=300, **keeping)
    if chosen == FROM_FILE:
        return _uploaded()
    if chosen in datasets:
        return imported_ratings(chosen)
    if any_stored:
        return stored
    told = said(say("There are no ratings yet. Rate a character's trajectory to see statistics here."))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(told, width="content")
        page_link(say("Annotate"), "annotate", "validity", icon=":material/edit_note:")
        page_link(say("Start story"), "stage", "validity", icon=":material/play_circle:")
    return None


def name_in_address(ratings: Ratings | None) -> None:
    """Have the address name a dataset that is shown without having been asked for: another day something else is.

    The sample is taken out of the address again: a browser may have named it only after it was told to remove it.
    """
    if st.query_params:
        return
    usual = address_of("validity")
    if ratings is not None and isinstance(ratings.source, Imported):
        put_address(usual, address_of("validity", ratings=ratings.source.dataset))
    else:
        put_address(address_of("validity", ratings=STUDY), usual)


def show_about(ratings: Ratings, summary: str) -> None:
    """Which ratings these are, in one line; of the sample study also where it is from, and the button that removes
    it."""
    if not isinstance(ratings.source, Imported) or ratings.source.dataset != STUDY:
        st.html(summary)
        return
    store = open_stage().store
    link = f'<a href="{SOURCE}" target="_blank" rel="noopener noreferrer">Chhun et al., 2022</a>'
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'{summary}<p class="cb-said">{say(ABOUT_STUDY, source=link)}</p>', width="content")
        if st.button(say("Remove sample"), key="remove-study", type="tertiary", icon=":material/delete:"):
            store.datasets.remove_sample(STUDY, current_user())
            st.query_params.pop("ratings", None)
            st.rerun()


def _uploaded() -> Ratings | None:
    label = say("CSV file with one rating per line")
    file = st.file_uploader(label, type="csv", max_upload_size=LARGEST_UPLOAD, key="ratings-file")
    if file is None:
        told = say(
            "Choose a file with the columns {columns}. Add a column “language” if there are several languages. The"
            " column “kind” contains expert or judge. The file is used for this visit only and is not stored.",
            columns=say(", ").join(COLUMNS),
        )
        st.html(said(told))
        return None
    content = read_as_chosen(file)
    if content is None:
        return None
    ratings = uploaded_ratings(content)
    try:
        ratings.overview()
    except TooHeavy as error:
        st.html(fault(say("{file}: {error}", file=file.name, error=error)))
        return None
    except RatingError as error:
        st.html(fault(say("{file}: {error}. Fix the file and choose it again.", file=file.name, error=error)))
        return None
    return ratings
