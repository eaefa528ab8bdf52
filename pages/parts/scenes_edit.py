"""The editor of a scene: a form beside the scene as it reads. What is written is kept at every change until a save.

A save names the version that it started from, so that nobody writes over what somebody else saved meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from annotations.wording import say, to_say, tongue
from characterbox.components.scene_form import show_scene_form
from characterbox.errors import CharacterBoxError, SceneError
from characterbox.llm.reading import storable
from characterbox.scenes.checking import Fault, faults_of, made
from characterbox.scenes.dialect import ENVIRONMENT_FIELDS, PROFILE_NOTES
from characterbox.scenes.finding import BUNDLED
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage
from characterbox.store.scene_ratings import key_of
from characterbox.values import LANGUAGES
from pages.parts.look import plain, quiet
from pages.parts.scenes_draft import NEW, Drafts, check_writes, id_of_title
from pages.parts.scenes_import import add_cards
from pages.parts.scenes_list import all_headings
from pages.parts.scenes_look import reading_html
from pages.parts.scenes_words import FIELDS, HINTS, ORIGINS, note_done, tell_done, to_scenes
from pages.parts.ways import go, way_to
from pages.parts.who import who

Values = Mapping[str, Any]
"""A scene in house form, in which anything may be empty."""
KINDS = {
    "time": "line",
    "location": "line",
    "title": "line",
    "work": "line",
    "author": "line",
    "name": "line",
    "gender": "line",
}
"""How fields are written that are no text of several lines."""
HALF = ("language", "origin", "time", "location", "name", "gender")
"""Fields of which two stand side by side where there is room."""
CHOICES: Mapping[str, Mapping[str, str]] = {"language": LANGUAGES, "origin": ORIGINS}
WORDS = {
    "add": to_say("Add a character"),
    "remove": to_say("Remove"),
    "removed": to_say("{name} is removed."),
    "put_back": to_say("Put back"),
    "up": to_say("Move up"),
    "down": to_say("Move down"),
    "character": to_say("Character {number}"),
    "around": to_say("Where it begins"),
    "note": to_say("Note {number}"),
    "add_note": to_say("Add a note"),
    "remove_note": to_say("Remove the note"),
    "submit": to_say("Save"),
}
HEAD = ("title", "work", "language", "origin", "author", "plot")
PROFILE = ("name", "gender", "position", "state", "description")
EMPTY: Values = {"cast": [{}, {}], "environment": {}}
"""What a new scene begins with, besides its language."""


def form_fields() -> dict[str, dict[str, Any]]:
    """The fields as the form is given them."""
    return {name: _field(name) for name in FIELDS if name not in ("cast", *PROFILE_NOTES)}


def form_notes() -> dict[str, dict[str, str]]:
    """The lists of notes of each character, as the form is given them."""
    return {kind: {"label": say(FIELDS[kind]), "hint": say(HINTS[kind])} for kind in PROFILE_NOTES}


def values_of(scene: Scene) -> dict[str, Any]:
    """What stands in the form of a scene at first."""
    return read_values(scene.model_dump(mode="json"))


def read_values(said: Values) -> dict[str, Any]:
    """What a browser said, with all fields that the form has, and no others."""
    around, cast = said.get("environment"), said.get("cast")
    return {
        **{name: _text(said.get(name)) for name in HEAD},
        "environment": {name: _text(_of(around, name)) for name in ENVIRONMENT_FIELDS},
        "cast": [_profile(one) for one in (cast if isinstance(cast, list) else [])],
    }


def with_the_rest(values: Values, scene: Scene | None, id: str) -> dict[str, Any]:
    """The values together with what the form does not have: the id, and how the scene was made."""
    kept = {} if scene is None else scene.model_dump(mode="json", include={"passage", "crafted", "pair"})
    return {**kept, **values, "id": id}


def _profile(said: object) -> dict[str, Any]:
    texts = {name: _text(_of(said, name)) for name in PROFILE}
    return {**texts, **{kind: _notes(said, kind) for kind in PROFILE_NOTES}}


def _notes(said: object, kind: str) -> list[str]:
    notes = _of(said, kind)
    return [_text(note) for note in notes] if isinstance(notes, list) else []


def _of(said: object, name: str) -> object:
    return said.get(name) if isinstance(said, dict) else None


def _text(value: object) -> str:
    return storable(value) if isinstance(value, str) else ""


def _field(name: str) -> dict[str, Any]:
    hint = say(HINTS[name]) if name in HINTS else ""
    told = {"label": say(FIELDS[name]), "hint": hint}
    field: dict[str, Any] = {**told, "kind": KINDS.get(name, "text"), "half": name in HALF}
    if name in CHOICES:
        return {**field, "kind": "choice", "options": [[value, say(told)] for value, told in CHOICES[name].items()]}
    return field


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
    drafts = Drafts(stage.store, who().id, NEW)
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
        drafts = Drafts(stage.store, who().id, place)
        begun = stage.store.scenes.find(place, drafts.open(newest.version))
    except SceneError as error:
        st.title(say("Scenes"))
        st.error(plain(str(error)))
        to_scenes()
        return
    st.title(plain(begun.scene.title))
    _editor(Editing(stage, drafts, begun.scene), values_of(begun.scene))


def _editor(editing: Editing, begin: Mapping[str, Any]) -> None:
    with st.container(key="scene-editor"):
        st.fragment(_form)(editing, begin)
    if editing.scene is None:
        to_scenes()
    else:
        way_to(say("Back to the scene"), ":material/arrow_back:", scene=editing.place)


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
                quiet(say("What you wrote last and did not save is here again."))
            _tell_newer(editing)
        show_scene_form(
            _data(editing, values, faults),
            key=f"scene-form-{editing.place}",
            on_draft=lambda id, said: _keep(editing, begin, id, said),
            on_save=lambda id, said: _save(editing, begin, id, said),
        )
        add_cards(drafts, values)
        if drafts.values is not None:
            st.button(say("Start over"), key="scene-anew", type="tertiary", on_click=drafts.forget)
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
            "Version {newest} was saved meanwhile, in another window or by somebody else; you started from version"
            " {began}. What you wrote is kept here.",
            newest=newest,
            began=began,
        )
    )
    with st.container(horizontal=True):
        st.button(say("Save mine on top of it"), key="scene-on-top", on_click=drafts.rebase, args=(newest,))
        way_to(
            say("See what was saved"),
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
        "notes": form_notes(),
        "words": {name: say(text) for name, text in WORDS.items()},
        "values": values,
        "faults": {one.field: {"text": one.text, "caution": one.caution} for one in faults},
        "tried": drafts.tried,
        "state": "" if drafts.values is None else say("Kept, not saved yet"),
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
        drafts.try_again(say("It is not saved yet: see the fields that are marked."))
        return
    try:
        check_writes()
        place, told = _stored(editing, written)
    except CharacterBoxError as error:
        drafts.try_again(str(error))
        return
    note_done(told)
    drafts.finish(place)


def _stored(editing: Editing, written: dict[str, Any]) -> tuple[str, str]:
    """Where the scene is stored, and what is said of it."""
    scenes, me = editing.stage.store.scenes, who().id
    if editing.scene is None:
        id = id_of_title(written["title"], {one.id for one in all_headings(editing.stage)})
        return scenes.start(made({**written, "id": id}), me), say("The scene is stored.")
    scene = made({**written, "id": editing.scene.id})
    if key_of(scene) != key_of(editing.scene):  # another text would be rated
        scene = scene.changed_by_hand()
    after = editing.drafts.after
    version = scenes.save(editing.place, scene, after=after, made_by=me)
    if version == after:
        return editing.place, say("Nothing was changed; version {version} is still the newest.", version=version)
    return editing.place, say("Version {version} is saved.", version=version)
