"""The judges of a new sweep: added one by one, each with how it judges."""

import streamlit as st

from annotations.wording import say, to_say
from characterbox.judging.judge import Judge
from characterbox.stage.stage import Stage
from pages.parts.judge_form import MANNERS, judge_form
from pages.parts.look import quiet

_KEPT = "sweep-judges"
ADD = to_say("Add the judge")


def chosen_judges(stage: Stage) -> tuple[Judge, ...]:
    """The judges so far, and the form that adds one."""
    there = st.container(gap="xsmall")
    if (added := judge_form(stage, ADD, primary=False, characters_only=True)) is not None:
        judge, _ = added
        st.session_state[_KEPT] = [*_judges(), judge]
    with there:
        for place, one in enumerate(_judges()):
            with st.container(horizontal=True, vertical_alignment="center"):
                quiet(f"{one.name} · {one.endpoint} · {say(MANNERS[one.protocol.manner])}", width="content")
                st.button(say("Remove"), key=f"sweep-judge-{place}", type="tertiary", on_click=_remove, args=(place,))
        if not _judges():
            quiet(say("No judge yet: the stories are played, and nobody scores them."))
    return tuple(_judges())


def _judges() -> list[Judge]:
    kept: list[Judge] = st.session_state.get(_KEPT, [])
    return kept


def _remove(place: int) -> None:
    st.session_state[_KEPT] = [one for number, one in enumerate(_judges()) if number != place]
