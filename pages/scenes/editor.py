"""The editor of a scene: a form beside the scene as it reads. What is written is kept at every change until a save.

A save names the version that it started from, so that nobody writes over what somebody else saved meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from annotations.i18n.translation import say, tongue, translate
from characterbox.components.mounts import show_scene_form
from characterbox.errors import CharacterBoxError, SceneError
from characterbox.scenes.field_names import PROFILE_NOTES
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import BUNDLED
from characterbox.scenes.validation import Fault, faults_of, made
from characterbox.stage.stage import Stage
from characterbox.store.ratings.scene_ratings import key_of
from pages.scenes.drafts import (
    EMPTY,
    NEW,
    PICKED,
    WORDS,
    Drafts,
    check_writes,
    form_fields,
    form_lists,
    id_of_title,
    read_values,
    values_of,
    with_the_rest,
)
from pages.scenes.import_files import add_cards
from pages.scenes.list import all_headings
from pages.scenes.text import note_done, reading_html, tell_done, to_scenes
from pages.shared.current_user import current_user
from pages.shared.links import go, place_link
from pages.shared.text import plain, quiet


@dataclass(frozen=True, slots=True)
class Editing:
    """What is edited in this window."""

    stage: Stage
    drafts: Drafts
    scene: Scene | None
    """What it was begun with; None for a new scene."""

    @property
    def place(self) -> str:
        """The chain of the scene, or that it is a new one."""
        return self.drafts.place


def new_scene(stage: Stage) -> None:
    """The editor of a scene that is not there yet."""
    st.title(say("Write a scene"))
    drafts = Drafts(stage.store, current_user().id, NEW)
    drafts.open(0)
    tell_done()
    _editor(Editing(stage, drafts, None), read_values({**EMPTY, "language": tongue(), "origin": "original"}))


def edit_scene(stage: Stage, place: str) -> None:
    """The editor of a scene that is stored; a bundled one is duplicated first."""
    if place.startswith(BUNDLED):
        go(scene=place)
        st.rerun()
    try:
        newest = stage.store.scenes.find(place)
        drafts = Drafts(stage.store, current_user().id, place)
        begun = stage.store.scenes.find(place, drafts.open(newest.version))
    except SceneError as error:
        st.title(say("Scenes"))
        st.error(plain(translate(error)))
        to_scenes()
        return
    st.title(plain(begun.content.title))
    _editor(Editing(stage, drafts, begun.content), values_of(begun.content))


def _editor(editing: Editing, begin: Mapping[str, Any]) -> None:
    with st.container(key="scene-editor"):
        st.fragment(_form)(editing, begin)
    if editing.scene is None:
        to_scenes()
    else:
        place_link(say("Back to the scene"), ":material/arrow_back:", scene=editing.place)


def _form(editing: Editing, begin: Mapping[str, Any]) -> None:
    drafts = editing.drafts
    if (stored := drafts.stored()) is not None:
        go(scene=stored)
        st.rerun()
    values = begin if drafts.values is None else read_values(drafts.values)
    faults = faults_of(with_the_rest(values, editing.scene, "new"))
    form, reading = st.columns([5, 4], gap="large")
    with form:
        with st.container():  # so that the form stays in its place when something is told above it
            if drafts.found:
                quiet(say("Your unsaved draft has been restored."))
            _tell_newer(editing)
        show_scene_form(
            _data(editing, values, faults),
            key=f"scene-form-{editing.place}",
            on_draft=lambda id, said: _keep(editing, begin, id, said),
            on_save=lambda id, said: _save(editing, begin, id, said),
        )
        add_cards(drafts, values)
        if drafts.values is not None:
            st.button(say("Discard draft"), key="scene-anew", type="tertiary", on_click=drafts.forget)
    with reading, st.container(key="scene-reading"):
        st.html(reading_html(values))


def _tell_newer(editing: Editing) -> None:
    """That somebody else has saved meanwhile, if so, and the ways on."""
    drafts = editing.drafts
    began, newest = drafts.after, 0 if editing.scene is None else editing.stage.store.scenes.find(editing.place).version
    if newest <= began:
        return
    st.warning(
        say(
            "Version {newest} was saved in the meantime, in another window or by someone else. You started from"
            " version {began}. Your draft is kept here.",
            newest=newest,
            began=began,
        )
    )
    with st.container(horizontal=True):
        st.button(say("Continue with my draft"), key="scene-on-top", on_click=drafts.rebase, args=(newest,))
        place_link(
            say("View saved changes"),
            scene=drafts.place,
            view="Versions",
            against=str(began),
            version=str(newest),
        )


def _data(editing: Editing, values: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    drafts = editing.drafts
    return {
        "id": drafts.form_id,
        "tongue": tongue(),
        "language": values["language"],
        "fields": form_fields(),
        "notes": form_lists(PROFILE_NOTES),
        "names": form_lists(PICKED),
        "words": {name: say(text) for name, text in WORDS.items()},
        "values": values,
        "faults": {one.field: {"text": translate(one.text), "caution": one.caution} for one in faults},
        "tried": drafts.tried,
        "state": "" if drafts.values is None else say("Draft kept; not saved"),
        "problem": drafts.problem,
    }


def _keep(editing: Editing, begin: Mapping[str, Any], id: str, said: Mapping[str, Any]) -> None:
    """Keep what is written, unless it is what the scene says anyway, or of a form that is gone."""
    drafts, values = editing.drafts, read_values(said)
    if id != drafts.form_id:
        return
    if values == begin:
        drafts.drop()
    else:
        drafts.keep(values)


def _save(editing: Editing, begin: Mapping[str, Any], id: str, said: Mapping[str, Any]) -> None:
    """Save what is written as a version; what is wrong with it is told at its field."""
    drafts, values = editing.drafts, read_values(said)
    if id != drafts.form_id:
        return
    _keep(editing, begin, id, said)
    written = with_the_rest(values, editing.scene, "new")
    if any(not fault.caution for fault in faults_of(written)):
        drafts.try_again(say("Not saved. Correct the marked fields."))
        return
    try:
        check_writes()
        place, told = _stored(editing, written)
    except CharacterBoxError as error:
        drafts.try_again(translate(error))
        return
    note_done(told)
    drafts.finish(place)


def _stored(editing: Editing, written: dict[str, Any]) -> tuple[str, str]:
    """Where the scene is stored, and what is said of it."""
    scenes, me = editing.stage.store.scenes, current_user().id
    if editing.scene is None:
        id = id_of_title(written["title"], {one.id for one in all_headings(editing.stage)})
        return scenes.start(made({**written, "id": id}), me), say("Scene saved.")
    scene = made({**written, "id": editing.scene.id})
    if key_of(scene) != key_of(editing.scene):  # another text would be rated
        scene = scene.changed_by_hand()
    after = editing.drafts.after
    version = scenes.save(editing.place, scene, after=after, made_by=me)
    if version == after:
        return editing.place, say("No changes. Version {version} is still the newest.", version=version)
    return editing.place, say("Version {version} saved.", version=version)
