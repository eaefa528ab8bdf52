"""A character of a scene, or of a story that was played here, to become a role."""

import streamlit as st

from annotations.i18n.translation import say, say_moment
from characterbox.llm.endpoint import named
from characterbox.roles.making import profile_in, role_of_profile, role_of_story
from characterbox.roles.role import Role
from characterbox.stage.stage import Stage
from characterbox.store.stories.search import Wanted
from pages.scenes.list import all_headings, scenes_of
from pages.shared.form import MOST_LINE
from pages.shared.text import quiet

STORIES = 200
"""Stories that can be chosen at once; of more, those that are searched for."""
WIDTH = 600


def role_from_scene(stage: Stage) -> Role | None:
    """The role that the chosen character of the chosen scene is; None until one is chosen."""
    headings = {one.place: one for one in all_headings(stage)}
    place = st.selectbox(
        say("Scene"), [*headings], index=None, format_func=lambda one: f"{headings[one].title} ({headings[one].work})",
        key="role-scene", width=WIDTH,
    )  # fmt: skip
    scene = None if place is None else scenes_of(stage, [headings[place]]).get(place)
    if scene is None:
        return None
    name = _character(scene.names)
    return None if name is None else role_of_profile(scene, profile_in(scene, name))


def role_from_story(stage: Stage) -> Role | None:
    """The role that the chosen character of the chosen story is, with what it said; None until one is chosen.

    Raises RoleError where it says nothing there, and SearchError where too much is searched for.
    """
    text = st.text_input(say("Search stories"), max_chars=MOST_LINE, key="role-story-search", width=WIDTH)
    _, found = stage.store.shelf.find(Wanted(text=text), limit=STORIES)
    if not found:
        quiet(say("No stories found."))
        return None
    known = {one.id: one for one in found}
    id = st.selectbox(
        say("Story"), [*known], index=None, key="role-story", width=WIDTH,
        format_func=lambda one: f"{known[one].title} · {say_moment(known[one].created_at)} · {one}",
    )  # fmt: skip
    if id is None:
        return None
    story = stage.store.stories.story(id)
    scene = story.script.scene
    if (name := _character(scene.names)) is None:
        return None
    model = None if name in story.people else story.casting.characters.get(name)
    return role_of_story(
        scene, stage.store.stories.events(id), name, id, None if model is None else named(model)
    )  # fmt: skip


def _character(names: tuple[str, ...]) -> str | None:
    return st.selectbox(say("Character"), names, index=None, key="role-character", width=WIDTH)
