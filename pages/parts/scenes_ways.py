"""Ways within the Scenes page, and on to the Stage with a scene."""

import html
from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st

from annotations.wording import say
from characterbox.scenes.finding import Heading
from characterbox.scenes.scene import Scene
from pages.parts.launch import marked_name
from pages.parts.ways import go, way, way_to

PLACE = "scenes-place"
"""The address of the library as it was seen last in this session."""


def way_out(label: str, **place: str) -> None:
    """A way to a place of the page, from a part of it that is drawn by itself."""
    if st.button(label, key=f"way-{urlencode(place)}", type="tertiary"):
        go(**place)
        st.rerun()


def to_scenes() -> None:
    """The way back to the library, as it was left."""
    way_to(say("All scenes"), ":material/arrow_back:", **st.session_state.get(PLACE, {}))


def address_of_scene(place: str, **more: str) -> str:
    """The address of a scene on this page."""
    return f"/scenes?{urlencode({'scene': place, **more})}"


def to_stage(scene: Scene, place: str, headings: Sequence[Heading]) -> None:
    """The way to the Stage, with the scene chosen there. `headings` has all scenes, in the order in which they came."""
    alike = [one.place for one in headings if (one.id, one.language, one.away) == (scene.id, scene.language, False)]
    name = scene.id if alike[:1] == [place] else marked_name(scene)
    way(say("Play it"), "stage", "scenes", icon=":material/play_circle:", language=scene.language, scene=name)


def note_done(told: str) -> None:
    """Have the next page that is drawn say what was done."""
    st.session_state["scene-told"] = told


def tell_done() -> None:
    """Say what was done just now, if something was."""
    if (told := st.session_state.pop("scene-told", None)) is not None:
        st.html(f'<p class="cb-done" role="status">{html.escape(told)}</p>')
