"""Ratings from elsewhere: the datasets that there are, and taking one in after a dry run."""

from functools import partial
from itertools import groupby

import streamlit as st

from annotations.errors import RatingError
from annotations.exchange.intake import DryRun, dry_run, refusal_columns, refusal_table, refused_csv
from annotations.exchange.rating_file import Refusal
from annotations.i18n.translation import say, say_count, say_day, tongue, translate, translate_into
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.permissions import may
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.errors import AccountError, TooHeavy
from characterbox.processes.limited import run_limited, run_limited_once
from characterbox.store import Store
from pages.shared.current_user import current_user
from pages.shared.examples import show_example
from pages.shared.form import MOST_LINE
from pages.shared.links import go, place_link
from pages.shared.text import plain, quiet

LARGEST = 50
"""Megabytes of a file."""
SHOWN = 200
"""Refused rows that are listed under one rule; the file of all can be downloaded."""


def datasets(store: Store) -> None:
    """All datasets, and the way to a new one."""
    st.title(say("Datasets"))
    st.caption(say("Rating tables from other sources, each checked against a rubric when it was imported."))
    if st.button(say("Import ratings"), type="primary", key="dataset-new"):
        go(datasets="new")
        st.rerun()
    there = store.datasets.all()
    if not there:
        st.caption(
            say(
                "There are no datasets yet. Import a table of ratings to see its statistics on the"
                " Reliability and validity page."
            )
        )
        ratings = say_count("{count:,} rating", "{count:,} ratings", 1056)
        show_example(say("Ratings of an earlier study"), [f"{ratings} · character {load_rubric().version}"])
    for dataset in there:
        st.markdown(f"**{plain(dataset.name)}**")
        quiet(
            say_count(
                "{count:,} rating · rubric {rubric} · by {name}, {day}",
                "{count:,} ratings · rubric {rubric} · by {name}, {day}",
                dataset.ratings,
                rubric=f"{dataset.rubric} {dataset.rubric_version}",
                name=dataset.added_by,
                day=say_day(dataset.added_at),
            )
        )
    place_link(say("All campaigns"), ":material/arrow_back:")


def import_form(store: Store) -> None:
    """Choose a file and a rubric, see what would be refused, and only then store the rest."""
    st.title(say("Import ratings"))
    st.caption(
        say(
            "CSV or Parquet in long format (item, scene, model, metric, rater, kind, score), or a Label Studio"
            " export. Nothing is stored until you have seen which rows cannot be imported."
        )
    )
    kinds = ["csv", "parquet", "json"]
    file = st.file_uploader(say("File"), type=kinds, max_upload_size=LARGEST, key="dataset-file")
    names = store.rubrics.names()
    name, version = st.selectbox(say("Rubric"), names, format_func=" ".join, width=340, key="dataset-rubric")
    content = None if file is None else read_as_chosen(file)
    if file is not None and content is not None:
        try:
            with st.spinner(say("Checking every row against the rubric")):
                rubric = store.rubrics.rubric(name, version)
                trial = run_limited_once(dry_run, content, rubric)
        except (RatingError, TooHeavy) as error:
            st.error(plain(say("{file}: {error}", file=file.name, error=error)))
        else:
            _show(trial, content)
            _store(store, trial, file.name)
    place_link(say("All datasets"), ":material/arrow_back:", datasets="all")


def _show(trial: DryRun, content: bytes) -> None:
    st.subheader(say("Can be imported"))
    told = say(", ").join(f"{key} {number:,}" for key, number in trial.counts("metric").items())
    number = say_count("{count:,} rating", "{count:,} ratings", len(trial.taken))
    st.write(plain(say("{ratings}: {counts}", ratings=number, counts=told) if told else number))
    st.subheader(say("Cannot be imported"))
    st.write(
        plain(say_count("{count:,} row cannot be imported.", "{count:,} rows cannot be imported.", trial.refused_rows))
    )
    for (column, reason), same in groupby(sorted(trial.refused, key=_rule), key=_rule):
        listed = list(same)
        title = say_count(
            "{column} {reason}: {count:,} row",
            "{column} {reason}: {count:,} rows",
            len(listed),
            column=column,
            reason=reason,
        )
        with st.expander(plain(title)):
            st.caption(plain(listed[0].remedy))
            shown = {name: say(name) for name in refusal_columns(trial.unit)}
            st.dataframe(refusal_table(listed[:SHOWN], trial.unit, translate), hide_index=True, column_config=shown)
            if len(listed) > SHOWN:
                quiet(say("The first {shown} of {count:,}.", shown=SHOWN, count=len(listed)))
    if trial.refused:
        st.download_button(
            say("Download rows that cannot be imported (CSV)"),
            partial(run_limited, refused_csv, content, trial.rubric, partial(translate_into, tongue())),
            "refused.csv",
            "text/csv",
            key="dataset-refused",
            on_click="ignore",
        )


def _rule(refusal: Refusal) -> tuple[str, str]:
    return refusal.column or say("the row"), translate(refusal.reason)


def _store(store: Store, trial: DryRun, file: str) -> None:
    with st.form("dataset", border=False):
        name = st.text_input(
            say("Dataset name"),
            file.rpartition(".")[0][:MOST_LINE],
            key=f"dataset-name-{file}",
            max_chars=MOST_LINE,
        )
        if st.form_submit_button(_storing(trial), type="primary", key="dataset-store"):
            try:
                if not may(current_user(), "direct"):
                    raise AccountError(say("only researchers and admins can import ratings"))
                store.datasets.add(name, trial, current_user())
            except (AccountError, RatingError) as error:
                st.error(plain(translate(error)))
            else:
                go(datasets="all")
                st.rerun()


def _storing(trial: DryRun) -> str:
    ratings = say_count("{count:,} rating", "{count:,} ratings", len(trial.taken))
    if not trial.refused_rows:
        return say("Import {ratings}", ratings=ratings)
    rows = say_count("{count:,} row", "{count:,} rows", trial.refused_rows)
    return say("Import {ratings} and skip {rows}", ratings=ratings, rows=rows)
