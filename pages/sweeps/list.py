"""The list of sweeps, and how sweeps are set."""

import html
from collections.abc import Iterable
from datetime import datetime

import streamlit as st

from annotations.i18n.translation import say, say_count, say_moment, translate
from characterbox.errors import StoryError
from characterbox.stage.stage import Stage
from characterbox.store.sweeps import SweepHeading
from pages.shared.examples import show_example
from pages.shared.links import go, place_link, turned_to
from pages.shared.text import lines, plain
from pages.story.actions import show_error
from pages.sweeps.text import STATES, State, done_told, find_sweep, progress_now, state_now

STYLE = """
<style>
[class*="st-key-sweep-row"] { padding-top: .6rem;
  border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.cb-failed { margin: 0 0 .8rem; padding-left: .7rem; overflow-wrap: anywhere; font-size: .9375rem;
  max-width: var(--cb-reading);
  border-left: 3px solid color-mix(in srgb, #e69f00 72%, currentColor); }
.cb-failed p { margin: 0; }
.cb-failed ul { margin: .2rem 0 0; padding: 0; list-style: none; opacity: .72; font-size: .875rem; }
.cb-failed li { margin: 0; padding: 0; }
@media (min-width: 641px) {
  div:has(> .st-key-sweep-margin) { position: sticky; top: 4.5rem; }
}
.stProgress p { font-variant-numeric: tabular-nums; }
</style>
"""


def failed(reason: str, places: Iterable[str]) -> None:
    """Why something failed, and where it did; all of it is data."""
    rows = "".join(f"<li>{html.escape(one)}</li>" for one in places)
    st.html(f'<div class="cb-failed"><p>{html.escape(reason)}</p><ul>{rows}</ul></div>')


SHOWN = 10
"""Sweeps on a page of the list."""
EVERY = 2.0
"""Seconds between two looks at sweeps that run."""


def sweep_list(stage: Stage) -> None:
    """All sweeps, the newest first, and the way to a new one."""
    st.title(say("Sweeps"))
    show_error()
    headings = stage.store.sweeps.all()
    if headings:
        st.caption(say("A sweep plays each of its scenes with each of its models. The same judges score all stories."))
    else:
        st.caption(
            say(
                "No sweeps yet. A sweep plays many scenes with many models, has the same judges score all"
                " stories, and compares the models."
            )
        )
        stories = say("{played:,} of {all:,} stories played", played=4, all=6)
        show_example(say("Three models in two scenes"), [say(STATES["paused"]).capitalize(), stories])
    with turned_to(headings, SHOWN, "sweeps-page") as shown:
        runs = any(heading.status == "running" for heading in shown)
        st.fragment(_rows, run_every=EVERY if runs else None)(stage, [heading.name for heading in shown])
    st.button(
        say("New sweep"), key="sweep-new", type="primary", icon=":material/add:", on_click=go, kwargs={"new": "form"}
    )


def _rows(stage: Stage, names: list[str]) -> None:
    for number, name in enumerate(names):
        if (heading := stage.store.sweeps.find(name)) is not None:
            with st.container(key=f"sweep-row-{number}"):
                _row(stage, heading)


def _row(stage: Stage, heading: SweepHeading) -> None:
    name, about = st.columns([2, 3], vertical_alignment="center")
    with name:
        place_link(f"**{plain(heading.name)}**", sweep=heading.name)
    state = state_now(stage, heading.name)
    with about, st.container(gap=None):
        lines([_state_told(state, heading.created_at), *_progress(stage, heading.name)])


def _state_told(state: State, since: datetime) -> str:
    return f"{say(STATES[state]).capitalize()} · {say_moment(since)}"


def _progress(stage: Stage, name: str) -> list[str]:
    try:
        progress = progress_now(stage, find_sweep(stage, name))
    except StoryError as error:
        return [translate(error)]
    told = [done_told(progress)]
    if progress.failed:
        told.append(say_count("{count:,} failed", "{count:,} failed", progress.failed))
    return told
