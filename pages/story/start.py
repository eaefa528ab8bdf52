"""The button that starts a story, once it is known whether its models are there."""

from collections.abc import Sequence

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.llm.endpoint import Casting
from characterbox.pause_reasons import Reason
from characterbox.play.world import Script
from characterbox.stage.stage import Stage
from characterbox.store.stories.stories import Story
from pages.shared.text import plain, quiet


def start_button(
    stage: Stage, label: str, script: Script, casting: Casting | None, people: Sequence[str | None]
) -> Story | None:
    """The button; gives the story that it has started. Where an endpoint is not there, the reason and the choice."""
    wanted = None if casting is None else (script, casting, tuple(people))
    faults: list[Reason] = st.session_state.get("launch-faults", [])
    told = bool(faults) and st.session_state.get("launch-wanted") == wanted
    shown = say("Start anyway") if told else label
    pressed = st.button(shown, key="launch", type="primary", width="stretch", disabled=casting is None)
    if casting is None:
        return None
    if pressed:
        with st.spinner(say("Checking whether the models are available")):
            faults = [] if told else stage.missing(casting)
        if not faults:
            return stage.launch(script, casting, people)
        st.session_state["launch-faults"], st.session_state["launch-wanted"] = faults, wanted
        st.rerun()
    if told:
        for fault in faults:
            st.warning(plain(translate(fault)))
        quiet(say("If you start anyway, the story waits until the endpoint is available."))
    return None
