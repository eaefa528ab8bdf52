"""One dataset: its splits, what was left out and why, and its examples one by one."""

import html
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from annotations.i18n.translation import say, say_count, translate
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.training.datasets.collection import DatasetCollection
from characterbox.training.datasets.example import WHY
from characterbox.training.datasets.recipe import WHY_NOT_CHOSEN
from characterbox.training.datasets.report import DatasetReport
from pages.shared.current_user import allowed
from pages.shared.downloads import file_button, given_out
from pages.shared.links import go, place_link
from pages.shared.text import caution, facts, lines, plain, quiet
from pages.story.actions import show_error
from pages.training.text import KINDS, SPLITS, size_told

MOST_ZIPPED = 200_000_000
"""Bytes of a dataset that is offered as one file: it is packed in memory."""


def show_dataset(name: str) -> None:
    """A dataset; where there is none of this name, the way to those that there are."""
    datasets = DatasetCollection.of_user()
    try:
        report = datasets.report(name)
    except CharacterBoxError as error:
        st.title(say("Training"))
        st.error(plain(translate(error)))
        place_link(say("All training"), ":material/arrow_back:")
        return
    st.title(plain(name))
    quiet(f"{say(KINDS[report.recipe.kind])} · {size_told(report)}")
    if report.improvised:
        caution(say(DEMO_NOTE))
    show_error()
    if report.recipe.kind == "role":
        facts({say("Source"): report.recipe.source})
    _splits(report)
    _left_out(report)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("Train with this dataset"),
            type="primary",
            key="training-dataset-use",
            disabled=not allowed("administer"),
            help=None if allowed("administer") else say("Only admins can start training runs."),
            on_click=go,
            kwargs={"new": "run", "dataset": name},
        )
        _download(datasets.folder(name), name)
        place_link(say("All training"), ":material/arrow_back:")
    st.subheader(say("Examples"))
    _examples(datasets, name, report)


def _splits(report: DatasetReport) -> None:
    places = say("Roles") if report.recipe.kind == "role" else say("Scenes")
    head = [say("Split"), say("Examples"), say("Tokens (estimated)"), places]
    rows = [
        (say(SPLITS[split]), f"{told.examples:,}", f"{told.tokens:,}", f"{len(report.scenes[split]):,}")
        for split, told in report.splits.items()
    ]
    body = "".join("<tr>" + "".join(f"<td>{html.escape(one)}</td>" for one in row) + "</tr>" for row in rows)
    names = "".join(f"<th>{html.escape(one)}</th>" for one in head)
    st.html(f'<table class="cb-prices"><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>')


def _left_out(report: DatasetReport) -> None:
    """What is no example, and what is to be known of those that there are."""
    told = [
        say_count(
            "{count:,} reply or trajectory left out: {why}",
            "{count:,} replies or trajectories left out: {why}",
            count,
            why=say(WHY[why]),
        )
        for why, count in report.left_out.items()
    ]
    told += [
        say_count(
            "{count:,} story left out: {why}",
            "{count:,} stories left out: {why}",
            count,
            why=say(WHY_NOT_CHOSEN[why]),
        )
        for why, count in report.not_chosen.items()
    ]
    if report.over_cutoff:
        told.append(
            say_count(
                "{count:,} example may be longer than {cutoff:,} tokens. A training run leaves it out if it is.",
                "{count:,} examples may be longer than {cutoff:,} tokens. A training run leaves out those that are.",
                report.over_cutoff,
                cutoff=report.recipe.cutoff,
            )
        )
    for split, part in report.splits.items():
        if part.repeated_answers:
            told.append(
                say_count(
                    "{count:,} long answer ({split}) also occurs in the training split, word for word.",
                    "{count:,} long answers ({split}) also occur in the training split, word for word.",
                    part.repeated_answers,
                    split=say(SPLITS[split]),
                )
            )
    lines(told)


def _download(folder: Path, name: str) -> None:
    if sum(file.stat().st_size for file in folder.rglob("*")) > MOST_ZIPPED:
        return
    made = given_out("training-dataset.exported", name, lambda: _zipped(folder))
    file_button(say("Download (ZIP)"), f"{name}.zip", made, "training-dataset-download")


def _zipped(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for one in sorted(folder.rglob("*")):
            if one.is_file():
                file.write(one, one.relative_to(folder.parent))
    return packed.getvalue()


def _examples(datasets: DatasetCollection, name: str, report: DatasetReport) -> None:
    """One example at a time, with where it comes from."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        split = st.segmented_control(
            say("Split"),
            [one for one, told in report.splits.items() if told.examples],
            default="train",
            required=True,
            format_func=lambda one: say(SPLITS[one]),
            key="training-example-split",
        )
        count = report.splits[split].examples
        number = st.number_input(say("Example"), 1, count, 1, key=f"training-example-{split}", width=160)
    messages, source = datasets.example(name, split, number - 1)
    facts(_source_told(source))
    for message in messages:
        speaker = message["role"]
        head = say("{speaker}, not learnt", speaker=speaker) if message.get("weight") == 0 else speaker
        st.html(f'<div class="cb-message"><h4>{html.escape(head)}</h4><p>{html.escape(message["content"])}</p></div>')


def _source_told(source: Mapping[str, object]) -> dict[str, str]:
    models = source["models"]
    if "role" in source:
        told = {say("Role played"): str(source["role"]), say("Source"): f"{source['journal']} · {source['path']}"}
    else:
        told = {say("Story"): f"{source['story']} · {source['path']}", say("Scene"): str(source["scene"])}
    if isinstance(models, dict):
        told[say("Models")] = say(", ").join(f"{part}: {model}" for part, model in models.items())
    return told
