"""A new sweep: set up in a form or given as files, planned, and started."""

import streamlit as st

from annotations.errors import AnnotationError
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.processes.limited import run_limited_once
from characterbox.scenes.library import brought_along
from characterbox.stage.stage import Stage, open_stage
from characterbox.sweeps.file import read_given_sweep
from characterbox.sweeps.progress import Plan, plan
from characterbox.sweeps.sweep import Sweep
from pages.shared.form import fault, show_stored
from pages.shared.links import go, place_link
from pages.shared.text import caution, facts, plain, quiet
from pages.story.actions import do, refusal, show_error
from pages.sweeps.form import name_note, sweep_form
from pages.sweeps.text import plan_told, settings_of

_KEPT = "sweep-planned"


def kept_plan(sweep: Sweep) -> Plan | None:
    """The plan of just this sweep, if it was the last that was made in this session."""
    content, found = st.session_state.get(_KEPT, (None, None))
    return found if content == sweep.model_dump_json() else None


def make_plan(stage: Stage, sweep: Sweep) -> Plan:
    """The plan of a sweep as it stands, kept for this session; while it is made, how far that is."""
    told = st.progress(0.0, say("Estimating calls and tokens with a dry run (no language model)"))

    def tell(number: int) -> None:
        if number % max(1, sweep.size // 100) == 0:
            told.progress(
                number / sweep.size,
                say("Estimating with a dry run: {count:,} of {all:,} stories", count=number, all=sweep.size),
            )

    found = plan(stage.store, stage.client, sweep, tell)
    told.empty()
    st.session_state[_KEPT] = sweep.model_dump_json(), found
    return found


def forget_plan() -> None:
    """Have the plan made anew when it is wanted next."""
    st.session_state.pop(_KEPT, None)


def show_plan(found: Plan, sweep: Sweep) -> None:
    """What a sweep would take, and what it can't be."""
    facts(plan_told(found, sweep))
    not_a_result(sweep)


def not_a_result(sweep: Sweep) -> None:
    """Say so where the rehearsal plays or judges."""
    if sweep.improvised:
        caution(say("The built-in rehearsal plays or judges in this sweep: {what}.", what=say(NOT_A_RESULT)))


WAYS = {"form": to_say("Use the form"), "files": to_say("From a file")}
LARGEST = 50
"""Megabytes of a file."""


def new_sweep(stage: Stage) -> None:
    """Say what is played and judged, see what it would take, and start it."""
    st.title(say("New sweep"))
    st.caption(
        say("Each scene is played with each model, narrator and seed. No model is called until you approve the plan.")
    )
    way = st.query_params["new"] if st.query_params["new"] in WAYS else "form"
    show_stored("sweep-way", way)
    st.segmented_control(
        say("Setup method"),
        [*WAYS],
        format_func=lambda one: say(WAYS[one]),
        required=True,
        default=way,
        key="sweep-way",
        label_visibility="collapsed",
        on_change=lambda: go(new=st.session_state["sweep-way"]),
    )
    wide, margin = st.columns([3, 2], gap="large")
    with wide:
        sweep = sweep_form(stage) if way == "form" else _from_files(stage)
    with margin, st.container(key="sweep-margin"):
        st.subheader(say("Plan"))
        _plan(stage, sweep)
    place_link(say("All sweeps"), ":material/arrow_back:")


def _plan(stage: Stage, sweep: Sweep | None) -> None:
    """The plan, with the button that starts it; before that, the one that makes it."""
    if sweep is None:
        quiet(say("Complete the form to see the number of stories and calls, the price and the time."))
        return
    found = kept_plan(sweep)
    if found is None:
        place = st.empty()
        with place.container():
            pressed = st.button(say("Show plan"), type="primary", key="sweep-plan")
            quiet(say("New scenes need a dry run of up to half a second each."))
        if not pressed:
            return
        with place.container():
            found = make_plan(stage, sweep)
        place.empty()
    show_plan(found, sweep)
    if refusal() is None:
        if found.progress.done:
            quiet(say("Everything already exists. No model is called, and the results are available at once."))
        else:
            quiet(say("You can pause the sweep. It resumes automatically when the app restarts."))
    show_error()
    st.button(say("Start sweep"), type="primary", key="sweep-start", on_click=do, args=(_start, sweep))


def _start(sweep: Sweep) -> None:
    stage = open_stage()
    stage.store.scenes.add(brought_along(sweep.scenes))
    stage.sweepings.start(sweep)
    forget_plan()
    go(sweep=sweep.name)


def _from_files(stage: Stage) -> Sweep | None:
    st.caption(
        say(
            "Upload the sweep.toml that the command line uses, together with the scene files it names."
            " bundled:NAME needs no file. No file on the server is read."
        )
    )
    given = st.file_uploader(
        say("sweep.toml and its scene files"),
        type=["toml", "json", "yaml", "yml"],
        accept_multiple_files=True,
        max_upload_size=LARGEST,
        key="sweep-files",
    )
    if not given:
        return None
    contents = {one.name: read_as_chosen(one) for one in given}
    files = {name: content for name, content in contents.items() if content is not None}
    if len(files) < len(contents):
        return None
    try:
        file = run_limited_once(read_given_sweep, files)
    except (AnnotationError, CharacterBoxError) as error:
        st.error(plain(translate(error)))
        return None
    st.subheader(plain(file.sweep.name))
    facts(settings_of(file.sweep))
    for repair in file.repairs:
        quiet(say("automatic fix: {what}", what=repair))
    refused, note = name_note(stage, file.sweep.name)
    if note is not None:
        quiet(note)
    fault(refused)
    return file.sweep if refused is None else None
