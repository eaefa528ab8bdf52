"""The stories that were played from a scene, by the version that each of them holds."""

import streamlit as st

from annotations.wording import say, say_count
from characterbox.scenes.finding import fingerprint
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage
from characterbox.store.scenes import SceneVersion
from characterbox.store.shelf import Wanted
from pages.parts.look import quiet
from pages.parts.stories import story_list
from pages.parts.ways import way

SHOWN = 10
"""Stories of a version that are listed."""


def show_stories(stage: Stage, scene: Scene, version: SceneVersion | None) -> None:
    """The stories version by version, the newest first, and at last those of scenes that are called the same."""
    played = stage.store.scenes.played(scene.id)
    if not played:
        quiet(say("Nobody has played this scene yet."))
        return
    if version is None:
        known = {fingerprint(scene): say("This scene")}
    else:
        known = {
            fingerprint(one.scene): say("Version {number}", number=one.version)
            for one in reversed(stage.store.scenes.versions(version.chain))
        }
    for print, named in reversed([*known.items()]):
        if print in played:
            _stories(stage, named, played[print])
    rest = [id for print, ids in played.items() if print not in known for id in ids]
    if rest:
        _stories(stage, say("Other forms of a scene with this id"), rest)
    way(say("All of them in Playback"), "playback", "scenes", icon=":material/menu_book:", text=scene.id)


def _stories(stage: Stage, named: str, ids: list[str]) -> None:
    st.subheader(named, anchor=False)
    quiet(say_count("{count:,} story", "{count:,} stories", len(ids)))
    _, stories = stage.store.shelf.find(Wanted(ids=ids[:SHOWN]), limit=SHOWN)
    story_list(stories, f"played-{ids[0]}")
