"""Scenes to take along, as YAML or JSON, or in the form of the paper's authors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import streamlit as st

from annotations.wording import Tongue, say, say_count, speaking, to_say, tongue
from characterbox.errors import SceneError
from characterbox.scenes.reading import LARGEST
from characterbox.scenes.scene import Scene
from characterbox.scenes.writing import as_json, as_yaml
from characterbox.stage.stage import Stage
from pages.parts.given_out import given_out
from pages.parts.look import plain, quiet
from pages.parts.scenes_list import chosen_scenes, scenes_of
from pages.parts.scenes_take import save_as_authors
from pages.parts.scenes_ways import to_scenes, way_to

FORMS: Mapping[str, str] = {"yaml": "application/yaml", "json": "application/json"}
"""The forms, by the ending of their files, with the kind of each."""
Look = Literal["secondary", "tertiary"]
CHOSEN = "export-scenes"
"""Where it is kept which scenes are chosen."""
AUTHORS = "authors"
"""What the address calls the form of the paper's authors."""
NAMES = {"yaml": to_say("YAML, to be read and edited"), "json": to_say("JSON")}
WRITERS: Mapping[str, Callable[[Sequence[Scene]], bytes]] = {"yaml": as_yaml, "json": as_json}


def save_scene(scene: Scene) -> None:
    """One scene to take along."""
    with st.popover(say("Save"), key="scene-save"):
        for form in FORMS:
            _download(lambda: [scene], form, scene.id, "tertiary")


def take_along(stage: Stage) -> None:
    """The scenes that are found, or some of them, as one file."""
    st.title(say("Take scenes along"))
    found = chosen_scenes(stage)
    by_place = {one.place: one for one in found}
    kept = [place for place in st.session_state.get(CHOSEN, ()) if place in by_place]
    if CHOSEN in st.session_state:
        st.session_state[CHOSEN] = kept
    some = st.multiselect(
        say("Scenes"),
        [*by_place],
        format_func=lambda place: f"{by_place[place].title} ({by_place[place].work})",
        placeholder=say("all that are found"),
        key=CHOSEN,
        persist_state="session",
    )
    chosen = [one for one in found if not some or one.place in some]
    quiet(say_count("{count:,} scene", "{count:,} scenes", len(chosen)))

    def scenes() -> list[Scene]:
        there = scenes_of(stage, chosen)
        return [there[one.place] for one in chosen if one.place in there]

    if chosen and st.query_params["export"] == AUTHORS:
        save_as_authors(scenes())
    elif chosen:
        with st.container(horizontal=True):
            for form in FORMS:
                _download(scenes, form, "scenes", "secondary")
            way_to(say("In the form of the paper's authors"), **{**st.query_params.to_dict(), "export": AUTHORS})
    to_scenes()


def _download(scenes: Callable[[], Sequence[Scene]], form: str, name: str, look: Look) -> None:
    """The button of a file, which is written when it is pressed; it can't be, where the scenes make no such file.

    A press draws nothing anew: Streamlit forgets how a file is written once the page has been drawn again, and a slow
    browser would then ask for it in vain.
    """
    why_not = _why_not(scenes(), form)
    st.download_button(
        say(NAMES[form]),
        given_out("scenes.exported", name, lambda: WRITERS[form](scenes()), form=form),
        f"{name}.{form}",
        FORMS[form],
        key=f"scenes-file-{form}",
        type=look,
        disabled=why_not is not None,
        help=why_not,
        on_click="ignore",
        icon=":material/download:",
    )


def _why_not(scenes: Sequence[Scene], form: str) -> str | None:
    """Why scenes make no file; None if they do. What is far below its limit is not written to find that out."""
    try:
        raw = as_json(scenes)
    except SceneError as error:
        return plain(str(error))
    return _found_out(scenes, raw, form, tongue()) if len(raw) > LARGEST[f".{form}"] / 2 else None


@st.cache_data(max_entries=8, show_spinner=False)
def _found_out(_scenes: Sequence[Scene], raw: bytes, form: str, told_in: Tongue) -> str | None:
    """The same of scenes, which `raw` tells from others, in one language. Kept, as 3 MB of YAML take 2 s to write."""
    with speaking(told_in):
        try:
            WRITERS[form](_scenes)
        except SceneError as error:
            return plain(str(error))
    return None
