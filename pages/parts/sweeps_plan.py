"""The plan of a sweep, before anything is asked."""

import streamlit as st

from annotations.wording import say
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.stage.stage import Stage
from characterbox.sweeps.progress import Plan, plan
from characterbox.sweeps.sweep import Sweep
from pages.parts.models_look import facts
from pages.parts.sweeps_look import caution
from pages.parts.sweeps_words import plan_told

_KEPT = "sweep-planned"


def kept_plan(sweep: Sweep) -> Plan | None:
    """The plan of just this sweep, if it was the last that was made in this session."""
    content, found = st.session_state.get(_KEPT, (None, None))
    return found if content == sweep.model_dump_json() else None


def make_plan(stage: Stage, sweep: Sweep) -> Plan:
    """The plan of a sweep as it stands, kept for this session; while it is made, how far that is."""
    told = st.progress(0.0, say("Rehearsing the scenes, without a language model, to see what they take"))

    def tell(number: int) -> None:
        if number % max(1, sweep.size // 100) == 0:
            told.progress(
                number / sweep.size,
                say("Rehearsing the scenes: {count:,} of {all:,} stories", count=number, all=sweep.size),
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
        caution(say("The rehearsal plays or judges in it: {what}.", what=say(NOT_A_RESULT)))
