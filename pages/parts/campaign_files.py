"""The ratings of a campaign as files."""

import streamlit as st

from characterbox.accounts.rights import may
from characterbox.campaigns.exporting import FORMATS, Export, Format, exported
from characterbox.errors import AccountError
from characterbox.stage.stage import Stage
from characterbox.store.campaign import Campaign
from pages.parts.who import who

NAMES: dict[Format, str] = {
    "csv": "CSV, a score a line",
    "parquet": "Parquet, a score a row",
    "jsonl": "JSON Lines, with evidence and every click",
    "label-studio": "Label Studio, tasks with annotations",
    "label-studio-config": "Label Studio, its labeling configuration",
}


def files(stage: Stage, campaign: Campaign) -> None:
    """Choose a form, and take the file along."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form = st.selectbox("File", FORMATS, format_func=lambda one: NAMES[one], width=340, key="file-form")
        pseudonyms = st.checkbox("Numbers in place of the experts' names", key="file-pseudonyms")
        tables = form in ("csv", "parquet", "label-studio")
        repeats = tables and st.checkbox("The hidden repeats alone", key="file-repeats")
        export = Export(form, pseudonyms=pseudonyms, repeats=repeats)
        st.download_button(
            "Download",
            lambda: _content(stage, campaign.id, export),
            export.file_name(campaign.id),
            export.media_type,
            on_click="ignore",
            icon=":material/download:",
        )
    if tables:
        st.caption(
            "Every score that stands, also of items that are not submitted yet: the column `submitted` says so."
            if form != "label-studio"
            else "The items that were submitted or skipped."
        )


def _content(stage: Stage, campaign: str, export: Export) -> bytes:
    if not may(who(), "direct"):
        raise AccountError("files of ratings are for researchers and admins")
    return b"".join(exported(stage.store, campaign, export))
