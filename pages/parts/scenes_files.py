"""Scenes to take along, as YAML or JSON, or in the form of the paper's authors."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

import streamlit as st

from annotations.wording import say, say_count, to_say
from characterbox.scenes.scene import Scene
from characterbox.settings import settings
from characterbox.share.scene_files import WRITERS, Form, fault_of, saved_scenes, why_not_saved
from characterbox.stage.stage import Stage
from pages.parts.given_out import given_out
from pages.parts.look import plain, quiet
from pages.parts.scenes_list import chosen_scenes
from pages.parts.scenes_take import save_as_authors
from pages.parts.scenes_ways import to_scenes
from pages.parts.ways import way_to

MIMES: Mapping[Form, str] = {"yaml": "application/yaml", "json": "application/json"}
"""What files are, by their endings."""
Look = Literal["secondary", "tertiary"]
CHOSEN = "export-scenes"
"""Where it is kept which scenes are chosen."""
AUTHORS = "authors"
"""What the address calls the form of the paper's authors."""
NAMES: Mapping[Form, str] = {"yaml": to_say("YAML, to be read and edited"), "json": to_say("JSON")}


def save_scene(scene: Scene) -> None:
    """One scene to take along."""
    with st.popover(say("Save"), key="scene-save"):
        for form, written in WRITERS.items():
            _download(form, scene.id, "tertiary", fault_of([scene], form), partial(written, [scene]))


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
    wanted = [(one.place, one.version) for one in found if not some or one.place in some]
    quiet(say_count("{count:,} scene", "{count:,} scenes", len(wanted)))
    if wanted and st.query_params["export"] == AUTHORS:
        save_as_authors(wanted)
    elif wanted:
        db = settings().db
        with st.container(horizontal=True):
            for form in WRITERS:
                why_not = why_not_saved(db, wanted, form)
                _download(form, "scenes", "secondary", why_not, partial(saved_scenes, db, wanted, form))
            way_to(say("In the form of the paper's authors"), **{**st.query_params.to_dict(), "export": AUTHORS})
    to_scenes()


def _download(form: Form, name: str, look: Look, why_not: str | None, made: Callable[[], bytes]) -> None:
    """The button of a file, which is written when it is pressed; it can't be, where the scenes make no such file.

    A press draws nothing anew: Streamlit forgets how a file is written once the page has been drawn again, and a slow
    browser would then ask for it in vain.
    """
    st.download_button(
        say(NAMES[form]),
        given_out("scenes.exported", name, made, form=form),
        f"{name}.{form}",
        MIMES[form],
        key=f"scenes-file-{form}",
        type=look,
        disabled=why_not is not None,
        help=None if why_not is None else plain(why_not),
        on_click="ignore",
        icon=":material/download:",
    )
