"""The ratings of a campaign as files."""

from functools import partial

import streamlit as st

from annotations.wording import say, to_say
from characterbox.campaigns.exporting import FORMATS, Export, Format, saved_ratings
from characterbox.settings import settings
from characterbox.store.campaign import Campaign
from pages.parts.given_out import given_out

NAMES: dict[Format, str] = {
    "csv": "CSV",
    "parquet": "Parquet",
    "jsonl": "JSON Lines",
    "label-studio": "Label Studio",
    "label-studio-config": to_say("Label Studio (configuration)"),
}
SCORES = to_say(
    "A score a line: every one that stands, also of items that are not submitted yet; the column submitted says so."
)
TOLD: dict[Format, str] = {
    "csv": SCORES,
    "parquet": SCORES,
    "jsonl": to_say(
        "An item of an expert a line, with evidence, comments and every click, practice and checks included."
    ),
    "label-studio": to_say("Tasks with annotations: the items that were submitted or skipped."),
    "label-studio-config": to_say("How Label Studio is to show the tasks: the rubric as a labeling configuration."),
}


@st.fragment
def files(campaign: Campaign) -> None:
    """Choose a form, and take the file along; the rest of the page stays as it is meanwhile."""
    form = st.segmented_control(
        say("Form"), FORMATS, default="csv", required=True, format_func=lambda form: say(NAMES[form]), key="file-form"
    )
    st.caption(say(TOLD[form]))
    with st.container(horizontal=True, vertical_alignment="center"):
        pseudonyms = st.checkbox(say("Numbers in place of the experts' names"), key="file-pseudonyms")
        tables = form in ("csv", "parquet", "label-studio")
        repeats = tables and st.checkbox(say("The hidden repeats alone"), key="file-repeats")
        export = Export(form, pseudonyms=pseudonyms, repeats=repeats)
        st.download_button(
            say("Download"),
            given_out(  # asked for over the guarded web socket
                "ratings.exported",
                campaign.id,
                partial(saved_ratings, settings().db, campaign.id, export),
                form=form,
            ),
            export.file_name(campaign.id),
            export.media_type,
            on_click="ignore",
            key="file-download",
            icon=":material/download:",
        )
