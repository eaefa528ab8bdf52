"""How far a sweep is, kept up to date while it is looked at, also where another window or process runs it."""

import streamlit as st

from annotations.wording import say, say_moment
from characterbox.stage.stage import Stage
from characterbox.sweeps.progress import failures_of
from pages.parts.look import plain, quiet
from pages.parts.sweeps_acts import try_again
from pages.parts.sweeps_look import failed
from pages.parts.sweeps_state import Known, State, progress_now, state_now
from pages.parts.sweeps_words import STATES, costs_told, done_told, failures_told, share_done

MOVES: tuple[State, ...] = ("running", "resting", "elsewhere")
EVERY, AT_REST = 1.0, 3.0
"""Seconds between two looks at a sweep that runs, and at one that rests."""


def follow(stage: Stage, known: Known, drawn: State) -> None:
    """The progress of a sweep; the whole page is drawn anew once it is in another state than was `drawn`."""
    st.fragment(_follow, run_every=EVERY if drawn in MOVES else AT_REST)(stage, known, drawn)


def _follow(stage: Stage, known: Known, drawn: State) -> None:
    sweep = known.sweep
    if state_now(stage, sweep.name) != drawn:
        st.rerun()
    progress = progress_now(stage, known)
    st.progress(share_done(progress), plain(f"{say(STATES[drawn]).capitalize()} · {done_told(progress)}"))
    quiet(costs_told(progress, sweep, runs=drawn in ("running", "resting")))


def what_failed(stage: Stage, known: Known, drawn: State) -> None:
    """What could not be done and why, and the button that tries it again once the sweep has ended."""
    st.fragment(_what_failed, run_every=EVERY if drawn in MOVES else None)(stage, known, drawn)


def _what_failed(stage: Stage, known: Known, drawn: State) -> None:
    failures = failures_of(stage.store, known.sweep, known.cells)
    if not failures:
        return
    st.subheader(say("What could not be done"))
    quiet(say("Tried last: {moment}.", moment=say_moment(max(one.tried_at for one in failures))))
    for reason, places in failures_told(failures, known.cells):
        failed(reason, places)
    if drawn == "ended":
        try_again(known.sweep, frozenset(one.task for one in failures))
