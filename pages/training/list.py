"""The runs, the datasets and the stories with rewritten parts that there are, and the ways to new ones."""

from collections.abc import Sequence

import streamlit as st

from annotations.i18n.translation import say, say_moment, translate
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import DEMO
from characterbox.play.paths import REFLECTIONS
from characterbox.stage.stage import Stage
from characterbox.store.stories.search import Wanted
from characterbox.training.datasets.collection import DatasetCollection
from characterbox.training.runs import Runs
from pages.shared.current_user import allowed
from pages.shared.links import go, place_link, turned_to
from pages.shared.text import lines, plain
from pages.story.actions import show_error
from pages.training.text import KINDS, size_told, state_told

SHOWN = 10
"""Of each kind on a page."""
EVERY = 2.0
"""Seconds between two looks at runs that are under way."""


def training_list(stage: Stage) -> None:
    """What was trained and what can be trained with."""
    st.title(say("Training"))
    st.caption(
        say(
            "Turn stories into a training dataset, train a narrator, a judge or a character with it, and serve the"
            " result next to its base model."
        )
    )
    show_error()
    runs, datasets = Runs.of_user(stage.store.audit).all(), DatasetCollection.of_user().names()
    if runs:
        st.subheader(say("Training runs"))
        moving = any(state.name in ("running", "stopping") for state in runs.values())
        with turned_to([*runs], SHOWN, "training-runs-page") as shown:
            st.fragment(_runs, run_every=EVERY if moving else None)(stage, shown)
    if datasets:
        st.subheader(say("Training datasets"))
        with turned_to(datasets, SHOWN, "training-datasets-page") as shown:
            for number, name in enumerate(shown):
                with st.container(key=f"training-row-dataset-{number}"):
                    _dataset(name)
    if rewritten := stage.store.stories.with_replies(REFLECTIONS):
        st.subheader(say("Rewritten parts"))
        with turned_to(rewritten, SHOWN, "training-rewritten-page") as shown:
            _rewritten(stage, shown)
    with st.container(horizontal=True):
        may_train = bool(datasets) and allowed("administer")
        st.button(
            say("New training run"),
            key="training-new-run",
            type="primary" if datasets else "secondary",
            disabled=not may_train,
            help=None if allowed("administer") else say("Only admins can start training runs."),
            on_click=go,
            kwargs={"new": "run"},
        )
        st.button(
            say("New training dataset"),
            key="training-new-dataset",
            type="secondary" if datasets else "primary",
            on_click=go,
            kwargs={"new": "dataset"},
        )


def _runs(stage: Stage, names: Sequence[str]) -> None:
    runs = Runs.of_user(stage.store.audit)
    for number, name in enumerate(names):
        with st.container(key=f"training-row-run-{number}"):
            title, about = st.columns([2, 3], vertical_alignment="center")
            with title:
                place_link(f"**{plain(name)}**", run=name)
            with about, st.container(gap=None):
                lines(_run_told(runs, name))


def _run_told(runs: Runs, name: str) -> list[str]:
    try:
        recipe = runs.recipe(name)
        return [state_told(runs.state(name)), f"{say(KINDS[recipe.kind])} · {recipe.base}"]
    except CharacterBoxError as error:
        return [translate(error)]


def _rewritten(stage: Stage, ids: Sequence[str]) -> None:
    _, stories = stage.store.shelf.find(Wanted(ids=ids), limit=SHOWN)
    for story in stories:
        with st.container(key=f"training-row-story-{story.id}"):
            title, about = st.columns([2, 3], vertical_alignment="center")
            with title:
                place_link(f"**{plain(story.label or story.title)}**", reflections=story.id)
            with about, st.container(gap=None):
                lines([f"{story.work} · {say_moment(story.created_at)}", say(", ").join(story.models)])


def _dataset(name: str) -> None:
    title, about = st.columns([2, 3], vertical_alignment="center")
    with title:
        place_link(f"**{plain(name)}**", dataset=name)
    with about, st.container(gap=None):
        try:
            report = DatasetCollection.of_user().report(name)
        except CharacterBoxError as error:
            lines([translate(error)])
            return
        marks = [size_told(report), *([say(DEMO)] if report.improvised else [])]
        lines([say(KINDS[report.recipe.kind]), " · ".join(marks)])
