"""A sweep to take away: its plan, and all that came of it."""

from collections.abc import Callable

import streamlit as st

from annotations.wording import say
from characterbox.scenes.scene import slug_of
from characterbox.settings import settings
from characterbox.sweeps.contents import scenes_file
from characterbox.sweeps.file import SCENES, write_sweep
from characterbox.sweeps.folder import saved_folder
from characterbox.sweeps.sweep import Sweep
from pages.parts.given_out import given_out
from pages.parts.look import quiet


def files(sweep: Sweep) -> None:
    """The files, each made when it is asked for."""
    quiet(
        say(
            "The folder has the plan, its scenes, all stories and ratings so far, and the versions of what made them;"
            " from it another person can run the sweep again, and compare. With many stories it takes a while."
        )
    )
    with st.container(horizontal=True):
        _download(
            sweep.name, say("Plan (sweep.toml)"), lambda: write_sweep(sweep).encode(), "sweep.toml", "application/toml"
        )
        _download(sweep.name, say("Its scenes (scenes.json)"), lambda: scenes_file(sweep), SCENES, "application/json")
        _download(
            sweep.name,
            say("The whole folder (zip)"),
            lambda: saved_folder(settings().db, sweep),
            f"{slug_of(sweep.name)}.zip",
            "application/zip",
        )


def _download(sweep: str, label: str, content: Callable[[], bytes], name: str, mime: str) -> None:
    st.download_button(
        label,
        given_out("sweep.exported", sweep, content, file=name),
        name,
        mime,
        key=f"sweep-file-{mime}",
        on_click="ignore",
        icon=":material/download:",
    )
