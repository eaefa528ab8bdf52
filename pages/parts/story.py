"""The head of a story's page: what it is, and what can be done with it now."""

from collections.abc import Callable

import streamlit as st

from characterbox.errors import CharacterBoxError
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from pages.parts.look import plain, quiet
from pages.parts.ways import PageName, way

POLL = 1.5
"""Seconds between two looks at the status of a story that is being played."""


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
    """Pause, go on, play back: whatever the story's status allows. It follows the status while the story is played."""
    st.fragment(_controls, run_every=POLL if story.status == "running" else None)(stage, story.id, story.status, here)


def _controls(stage: Stage, id: str, drawn: str, here: PageName) -> None:
    story = stage.store.stories.story(id)
    if story.status != drawn:
        st.rerun()
    elsewhere = story.status == "running" and not stage.playing(id)
    if story.status in ("failed", "mismatched"):
        st.warning(plain(f"The story stopped: {story.reason}"), icon=":material/pause_circle:")
    if elsewhere:
        st.caption("Another process plays it, or did until it was cut off: then it can be continued here.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if story.status == "mismatched":
            _button("Keep the recorded replies", lambda: stage.resume(id, "keep"))
            _button("Ask the models again", lambda: stage.resume(id, "ask"))
        elif story.status == "ended":
            way("Play back and judge", "playback", here, story=id, icon=":material/play_circle:")
            way("Rate", "annotate", here, icon=":material/rate_review:")
        elif story.status == "running" and not elsewhere:
            _button("Pause", lambda: stage.pause(id))
        else:
            _button("Continue", lambda: stage.resume(id), primary=not elsewhere)
        way("Launch another scene", "stage", here, icon=":material/add:")


def _button(label: str, act: Callable[[], None], *, primary: bool = False) -> None:
    if st.button(label, type="primary" if primary else "secondary"):
        act()
        st.rerun()


def casting_line(story: Story) -> None:
    """Who plays whom, and with which seed."""
    models = {name: endpoint.label for name, endpoint in story.casting.characters.items()}
    same = set(models.values())
    cast = same.pop() if len(same) == 1 else ", ".join(f"{name}: {model}" for name, model in models.items())
    quiet(
        f"Characters: {cast} · narrator: {story.casting.narrator.label} · seed {story.script.seed} · story {story.id}"
    )
