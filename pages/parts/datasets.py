"""Ratings from elsewhere: the datasets that there are, and taking one in after a dry run."""

from collections.abc import Sequence
from itertools import groupby

import pandas as pd
import streamlit as st

from annotations.errors import RatingError
from annotations.exchange.cells import guarded
from annotations.exchange.intake import DryRun, dry_run
from annotations.exchange.intake_text import rows_refused
from annotations.exchange.table import Refusal
from characterbox.accounts.rights import may
from characterbox.errors import AccountError
from characterbox.store import Store
from pages.parts.campaign_ways import go, way_to
from pages.parts.campaign_words import count
from pages.parts.look import plain, quiet
from pages.parts.who import who

LARGEST = 50
"""Megabytes of a file."""
SHOWN = 200
"""Refused rows that are listed under one rule; the file of all can be downloaded."""


def datasets(store: Store) -> None:
    """All datasets, and the way to a new one."""
    st.title("Datasets")
    st.caption("Tables of ratings from elsewhere, each checked against a rubric when it was taken in.")
    if st.button("Import ratings", type="primary"):
        go(datasets="new")
        st.rerun()
    for dataset in store.datasets.all():
        st.markdown(f"**{plain(dataset.name)}**")
        quiet(
            f"{count(dataset.ratings, 'rating')} · rubric {dataset.rubric} {dataset.rubric_version}"
            f" · by {dataset.added_by}, {dataset.added_at:%d %b %Y}"
        )
    way_to("All campaigns", icon=":material/arrow_back:")


def import_form(store: Store) -> None:
    """Choose a file and a rubric, see what would be refused, and only then store the rest."""
    st.title("Import ratings")
    st.caption(
        "CSV or Parquet in long form (item, scene, model, metric, rater, kind, score), or Label Studio's export."
        " Nothing is stored before you have seen what would be refused."
    )
    file = st.file_uploader("File", type=["csv", "parquet", "json"], max_upload_size=LARGEST)
    names = store.rubrics.names()
    name, version = st.selectbox("Rubric", names, format_func=" ".join, width=340)
    if file is not None:
        try:
            trial = _tried(file.getvalue(), store, name, version)
        except RatingError as error:
            st.error(plain(f"{file.name}: {error}"))
        else:
            _show(trial)
            _store(store, trial, file.name)
    way_to("All datasets", icon=":material/arrow_back:", datasets="all")


@st.cache_data(max_entries=4, show_spinner="Trying every row against the rubric")
def _tried(content: bytes, _store: Store, name: str, version: str) -> DryRun:
    return dry_run(content, _store.rubrics.rubric(name, version))


def _show(trial: DryRun) -> None:
    st.subheader("What would be taken")
    told = ", ".join(f"{key} {number:,}" for key, number in trial.counts("metric").items())
    st.write(plain(f"{count(len(trial.taken), 'rating')}{': ' if told else ''}{told}"))
    st.subheader("What would be refused")
    st.write(plain(f"{rows_refused(trial).capitalize()}."))
    for (column, reason), same in groupby(sorted(trial.refused, key=_rule), key=_rule):
        listed = list(same)
        with st.expander(plain(f"{column} {reason}: {count(len(listed), 'row')}")):
            st.caption(plain(listed[0].remedy))
            st.dataframe(_table(listed[:SHOWN], trial), hide_index=True)
            if len(listed) > SHOWN:
                quiet(f"The first {SHOWN} of {len(listed):,}.")
    if trial.refused:
        st.download_button(
            "Download all that is refused (CSV)",
            lambda: refused_csv(trial),
            "refused.csv",
            "text/csv",
            on_click="ignore",
        )


def refused_csv(trial: DryRun) -> bytes:
    """All that is refused, with reasons, as a CSV file in which no spreadsheet finds a formula."""
    return _table(trial.refused, trial).map(_cell).to_csv(index=False).encode()


def _rule(refusal: Refusal) -> tuple[str, str]:
    return refusal.column or "the row", refusal.reason


def _table(refused: Sequence[Refusal], trial: DryRun) -> pd.DataFrame:
    rows = [(one.line, one.column, one.value, one.reason, one.remedy) for one in refused]
    return pd.DataFrame(rows, columns=[trial.unit, "column", "value", "reason", "what to do"])


def _cell(value: object) -> object:
    return guarded(value) if isinstance(value, str) else value


def _store(store: Store, trial: DryRun, file: str) -> None:
    with st.form("dataset", border=False):
        name = st.text_input("Name of the dataset", file.rpartition(".")[0])
        left_out = f", and leave out {count(trial.refused_rows, 'row')}" if trial.refused_rows else ""
        label = f"Store {count(len(trial.taken), 'rating')}{left_out}"
        if st.form_submit_button(label, type="primary"):
            try:
                if not may(who(), "direct"):
                    raise AccountError("ratings are taken in by researchers and admins")
                store.datasets.add(name, trial, who())
            except (AccountError, RatingError) as error:
                st.error(plain(str(error)))
            else:
                go(datasets="all")
                st.rerun()
