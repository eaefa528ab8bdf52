"""The head of a story's page: how it stands, and what can be done with it now."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from characterbox.errors import CharacterBoxError
from characterbox.stage.pace import Stride
from characterbox.stage.stage import Stage
from characterbox.store.stories import Status, Story
from pages.parts.acts import do, refusal
from pages.parts.look import plain, quiet
from pages.parts.seats import seats
from pages.parts.ways import PageName, way

POLL = 0.7
"""Seconds between two looks at a story that can go on."""
OVER: tuple[Status, ...] = ("stopped", "ended")
STRIDES: dict[Stride, str] = {"call": "One call", "turn": "One turn", "round": "One round"}


def wanted_story(stage: Stage, here: PageName) -> Story | None:
    """The story that the URL names; None, with the way out shown where it names an unknown one."""
    id = st.query_params.get("story")
    if id is None:
        return None
    try:
        return stage.store.stories.story(id)
    except CharacterBoxError as error:
        st.error(plain(str(error)))
        way("Launch a scene", "stage", here)
        st.stop()


def controls(stage: Stage, story: Story, here: PageName) -> None:
    """All that the story's status allows. It follows the status while the story goes on, here or elsewhere."""
    every = None if story.status in OVER else POLL
    st.fragment(_controls, run_every=every)(stage, story.id, _drawn(story), here)


def _drawn(story: Story) -> tuple[Status, frozenset[str | None]]:
    """What the whole page was drawn for; when it changes, the page is drawn again."""
    return story.status, frozenset(story.people)


def _controls(stage: Stage, id: str, drawn: object, here: PageName) -> None:
    story = stage.store.stories.story(id)
    if _drawn(story) != drawn:
        st.rerun()
    _told(stage, story)
    if (said := refusal()) is not None:
        st.error(plain(said))
    with st.container(horizontal=True, vertical_alignment="center"):
        match story.status:
            case "mismatched":
                _button("Keep the recorded replies", lambda: stage.resume(id, "keep"))
                _button("Ask the models again", lambda: stage.resume(id, "ask"))
            case "ended" | "stopped":
                way("Play back", "playback", here, story=id, icon=":material/play_circle:")
            case "cued":
                _to_the_form(here, id)
            case "running" if stage.playing(id):
                _button("Pause", lambda: stage.rest(id), disabled=stage.resting(id))
            case "waiting":
                _button("Pause", lambda: stage.rest(id))
                _go_on(stage, story)
            case _:
                _go_on(stage, story)
        if story.status == "ended":
            way("Rate", "annotate", here, icon=":material/rate_review:")
        elif story.status != "stopped":
            seats(stage, story)
            _stop(stage, id)
        way("Launch another scene", "stage", here, icon=":material/add:")


def _told(stage: Stage, story: Story) -> None:
    """What there is to say about the status, where the player does not say it."""
    match story.status:
        case "running" if stage.resting(story.id):
            quiet("Pausing: waiting for the replies under way.")
        case "running" if not stage.playing(story.id):
            quiet("Another process plays it, or did until it was cut off: then it can be continued here.")
        case "waiting" if story.launched_from == "app":
            quiet(f"{story.reason}. The story goes on by itself when the endpoint is back.")
        case "waiting":
            quiet(f"{story.reason}. The command line left the story here; continue it when the endpoint is back.")
        case "failed" | "mismatched":
            st.warning(plain(f"The story stopped: {story.reason}"), icon=":material/pause_circle:")
        case "stopped":
            quiet("This story was stopped for good. It can be branched at any of its steps.")


def _go_on(stage: Stage, story: Story) -> None:
    _button("Continue", lambda: stage.resume(story.id), primary=True)
    key = f"step-{story.id}"
    step = partial(do, lambda: stage.step(story.id, st.session_state[key]))
    st.menu_button("Step", list(STRIDES), format_func=STRIDES.__getitem__, key=key, on_click=step)


def _to_the_form(here: PageName, id: str) -> None:
    if here == "stage":
        return  # it stands below
    way("Answer", "stage", here, story=id, icon=":material/edit:")


def _stop(stage: Stage, id: str) -> None:
    with st.popover("Stop", key=f"stop-{id}"):
        st.write("Stopping ends the story here, for good. It can still be read, and branched at any step.")
        _button("Stop the story", lambda: stage.stop(id))


def _button(label: str, act: Callable[[], None], *, primary: bool = False, disabled: bool = False) -> None:
    st.button(label, type="primary" if primary else "secondary", disabled=disabled, on_click=do, args=(act,))
