"""One scene: read whole, with all that is known of it, and what can be done with it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from annotations.wording import say, say_moment, to_say
from characterbox.components.address import segments_in_address
from characterbox.components.linked.mount import show_linked
from characterbox.errors import SceneError
from characterbox.scenes.finding import BUNDLED, Heading
from characterbox.scenes.library import bundled_scene
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage
from characterbox.store.scenes import SceneVersion
from pages.parts.acts import do, tell_refusal
from pages.parts.look import plain
from pages.parts.scenes_about import about_scene
from pages.parts.scenes_copy import duplicate
from pages.parts.scenes_files import save_scene
from pages.parts.scenes_history import show_versions
from pages.parts.scenes_list import all_headings
from pages.parts.scenes_look import caution, scene_html
from pages.parts.scenes_stories import show_stories
from pages.parts.scenes_take import save_characters
from pages.parts.scenes_ways import tell_done, to_scenes, to_stage
from pages.parts.ways import go, way_to
from pages.parts.who import allowed, who

READING = to_say("Scene")
MOST_DIGITS = 9  # in the number of a version


class Opened(NamedTuple):
    """A scene that is shown."""

    place: str
    scene: Scene
    version: SceneVersion | None
    """None for a bundled one."""
    headings: Sequence[Heading]
    """Of all scenes, in the order in which they came."""


def read(stage: Stage, opened: Opened) -> None:
    """The scene as it reads, and what is known of it besides."""
    reading, margin = st.columns([3, 2], gap="large")
    with reading:
        st.html(scene_html(opened.scene.model_dump(mode="json")))
    with margin:
        about = about_scene(stage.store, opened.scene, opened.version, opened.headings)
        show_linked(about, key="scene-about")


VIEWS: dict[str, Callable[[Stage, Opened], None]] = {
    READING: read,
    to_say("Versions"): lambda stage, one: show_versions(stage, one.version),
    to_say("Stories"): lambda stage, one: show_stories(stage, one.scene, one.version),
}


def opened_or_told(stage: Stage, place: str) -> Opened | None:
    """The scene at a place; None, with the reason shown, if there is none."""
    try:
        return open_place(stage, place)
    except SceneError as error:
        st.title(say("Scenes"))
        st.error(plain(str(error)))
        to_scenes()
        return None


def show_scene(stage: Stage, place: str) -> None:
    """The scene that the address names, or that there is none."""
    if (opened := opened_or_told(stage, place)) is None:
        return
    to_scenes()
    st.title(plain(opened.scene.title))
    tell_refusal()
    tell_done()
    _standing(stage, opened)
    _acts(stage, opened)
    views = [name for name in VIEWS if opened.version is not None or name != "Versions"]
    view, keeping = segments_in_address("view", views, READING)
    st.segmented_control(say("View"), views, format_func=say, required=True, label_visibility="collapsed", **keeping)
    VIEWS[view](stage, opened)


def open_place(stage: Stage, place: str) -> Opened:
    """The scene of a place, in the version that the address names. Raises SceneError if there is none."""
    if place.startswith(BUNDLED):
        return Opened(place, bundled_scene(place.removeprefix(BUNDLED)), None, all_headings(stage))
    asked = st.query_params.get("version", "")
    number = int(asked) if asked.isdecimal() and asked.isascii() and len(asked) <= MOST_DIGITS else None
    version = stage.store.scenes.find(place, number)
    return Opened(place, version.scene, version, all_headings(stage))


def _standing(stage: Stage, opened: Opened) -> None:
    """What one should know before one reads: an old version, or one that was put away."""
    version = opened.version
    if version is None:
        return
    if version.away:
        caution(say("This scene was put away: it is not offered for stories and sweeps."))
    if version.version < version.newest:
        moment = say_moment(version.created_at)
        told = say(
            "This is version {number}, of {moment}; there is a newer one.", number=version.version, moment=moment
        )
        caution(told)
        way_to(say("To the newest version"), scene=opened.place)


def _acts(stage: Stage, opened: Opened) -> None:
    version = opened.version
    now = version is None or (version.version == version.newest and not version.away)
    with st.container(horizontal=True, vertical_alignment="center"):
        if now:
            to_stage(opened.scene, opened.place, opened.headings)
        if allowed("direct"):
            _changes(stage, opened, now=now)
        save_scene(opened.scene)
        save_characters(opened.scene)


def _changes(stage: Stage, opened: Opened, *, now: bool) -> None:
    version = opened.version
    copy = say("Duplicate") if version is not None else say("Duplicate, to edit it")
    if version is not None and now:
        way_to(say("Edit"), ":material/edit:", scene=opened.place, edit="yes")
    if now:
        way_to(say("Translate"), ":material/translate:", scene=opened.place, translate="yes")
    st.button(
        copy,
        key="scene-duplicate",
        type="tertiary",
        icon=":material/content_copy:",
        on_click=do,
        args=(lambda: go(scene=duplicate(stage, opened.scene, opened.headings), edit="yes"),),
    )
    if version is not None and version.away:
        _button(say("Bring back"), "unarchive", lambda: stage.store.scenes.bring_back(who(), opened.place))
    elif version is not None:
        _button(say("Put away"), "archive", lambda: stage.store.scenes.put_away(who(), opened.place))


def _button(label: str, icon: str, act: Callable[[], None]) -> None:
    st.button(label, key=f"scene-{icon}", type="tertiary", icon=f":material/{icon}:", on_click=do, args=(act,))
