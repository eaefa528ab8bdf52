"""A new dataset: what is learnt, from which stories, by whose scores; it is written in the background."""

from collections.abc import Mapping
from typing import Any, get_args

import streamlit as st
from pydantic import ValidationError

from annotations.i18n.messages import Message, wrong_with
from annotations.i18n.translation import say, sentence, translate
from characterbox.errors import CharacterBoxError
from characterbox.judging.judge import known_judges
from characterbox.stage.jobs.dataset_jobs import DatasetWriting
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.stories.search import Wanted
from characterbox.training.datasets.collection import DatasetCollection, is_name
from characterbox.training.datasets.example import StoryKind
from characterbox.training.datasets.recipe import DatasetRecipe
from characterbox.values import LANGUAGES
from pages.shared.current_user import current_user
from pages.shared.form import MOST_LINE, fault, pick_some
from pages.shared.links import go, place_link
from pages.shared.text import quiet
from pages.story.actions import do, show_error
from pages.training.text import KINDS, LEARNT

EVERY = 1.0
"""Seconds between two looks at a dataset that is being written."""
_BOTH = "both"
MOST_LISTED = 1000
"""Stories whose scenes can be picked to be tested with."""


def new_dataset(stage: Stage) -> None:
    """Say what goes into it, and have it written."""
    st.title(say("New training dataset"))
    st.caption(
        say(
            "Each example is one recorded call: what the model was sent and what it replied. All versions and"
            " translations of a scene stay in the same split."
        )
    )
    written = _form(stage)
    recipe, told = _read(written)
    name = str(written["name"]).strip()
    if name and not is_name(name):
        told = say("Use letters, digits, - and _ for the name.")
    elif name in DatasetCollection.of_user().names():
        told = say("There is already a training dataset with this name. Choose another one.")
    fault(told)
    show_error()
    job = stage.jobs.last(DatasetWriting, name) if name else None
    if job is not None and job.under_way:
        st.fragment(_follow, run_every=EVERY)(stage, name)
    else:
        if job is not None and job.last_error is not None:
            fault(_why(job.last_error))
        st.button(
            say("Write dataset"),
            type="primary",
            key="training-dataset-write",
            disabled=recipe is None or told is not None or not name,
            on_click=do,
            args=(_start, name, recipe),
        )
    place_link(say("All training"), ":material/arrow_back:")


def _form(stage: Stage) -> dict[str, Any]:
    written: dict[str, Any] = {}
    written["name"] = st.text_input(say("Name"), max_chars=MOST_LINE, key="training-dataset-name", width=400)
    kinds: tuple[StoryKind, ...] = get_args(StoryKind)
    kind: StoryKind = st.radio(
        say("What is trained"),
        kinds,
        format_func=lambda one: say(KINDS[one]),
        captions=[say(LEARNT[one]) for one in kinds],
        key="training-dataset-kind",
    )
    written["kind"] = kind
    if kind == "reflective":
        quiet(say("To have parts rewritten, open a story that has ended and choose “Rewritten parts”."))
    else:
        judges = [judge.rater for judge in known_judges(stage.store, "narrator" if kind == "narrator" else "character")]
        written["judge"] = st.selectbox(
            say("Scores"),
            [None, *judges],
            format_func=lambda one: say("Mean of the experts") if one is None else one,
            key="training-dataset-judge",
            width=400,
        )
    if kind in ("narrator", "guided"):
        label = (
            say("Minimum mean score of a narrator in a story")
            if kind == "narrator"
            else say("Minimum mean score of a model")
        )
        nothing = say("any") if kind == "narrator" else say("only the best model of each language")
        written["min_score"] = st.number_input(
            label, 1.0, 5.0, None, 0.1, placeholder=nothing, key="training-dataset-least", width=400
        )
    if kind == "judge":
        written["critique"] = st.toggle(say("Learn the critiques as well"), key="training-dataset-critique")
    written |= _stories(stage)
    return written


def _stories(stage: Stage) -> dict[str, Any]:
    """Which stories, and the scenes to be tested with."""
    _, stories = stage.store.shelf.find(Wanted(status="ended"), limit=MOST_LISTED)
    st.subheader(say("Stories"))
    language = st.segmented_control(
        say("Language"),
        [_BOTH, *LANGUAGES],
        default=_BOTH,
        required=True,
        format_func=lambda one: say("Both") if one == _BOTH else say(LANGUAGES[one]),
        key="training-dataset-language",
    )
    with st.container(horizontal=True):
        first = st.date_input(say("First day"), None, key="training-dataset-since", width=192)
        last = st.date_input(say("Last day"), None, key="training-dataset-until", width=192)
    titles = sorted({story.title for story in stories})
    test = pick_some(say("Test scenes"), titles, key="training-dataset-test")
    quiet(say("Nothing is learnt from test scenes. They are for the evaluation afterwards."))
    improvised = st.toggle(say("Include demo output (no language model)"), key="training-dataset-improvised")
    chosen = None if language == _BOTH else language
    return {"language": chosen, "since": first, "until": last, "test": tuple(test), "improvised": improvised}


def _read(written: Mapping[str, Any]) -> tuple[DatasetRecipe | None, str | None]:
    """The recipe, or what is wrong with it."""
    fields = {name: value for name, value in written.items() if name != "name" and value is not None}
    try:
        return DatasetRecipe(**fields), None
    except ValidationError as error:
        return None, translate(wrong_with(error.errors(include_input=False)[0]))


def _start(name: str, recipe: DatasetRecipe) -> None:
    open_stage().jobs.start(DatasetWriting.by(current_user(), name, recipe))


def _follow(stage: Stage, name: str) -> None:
    job = stage.jobs.last(DatasetWriting, name)
    if job is None or not job.under_way:
        if job is not None and job.last_error is None:
            go(dataset=name)
        st.rerun()
    st.progress(
        job.done / job.whole if job.whole else 0.0,
        say("{count:,} of {all:,} stories read", count=job.done, all=job.whole)
        if job.whole
        else say("Choosing stories"),
    )


def _why(error: BaseException) -> str | Message:
    if isinstance(error, CharacterBoxError):
        return sentence(translate(error))
    return say("An error interrupted the writing. See the app's log for details.")
