"""The form that launches a story."""

import streamlit as st

from characterbox.play.script import Script
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage
from pages.parts.launch_cast import chosen_casting, chosen_people
from pages.parts.look import scene_as_text
from pages.parts.stories import recent

LANGUAGES = {"en": "English", "zh": "中文"}


def launch_form(stage: Stage) -> None:
    """Pick a scene and endpoints, and start; the page then shows the story."""
    st.title("Stage")
    st.caption("Pick a scene, start it, and watch the narrator work, step by step.")
    settings, reading = st.columns([2, 3], gap="large")
    with settings:
        scene = _scene(stage)
        casting = chosen_casting(stage, scene)
        people = chosen_people(scene, casting)
        rounds, seed = st.columns(2)
        count = rounds.number_input("Rounds", 1, 20, 3, key="rounds", persist_state="session")
        number = seed.number_input("Seed", 0, 2**31 - 1, 1, key="seed", persist_state="session")
        early = st.toggle(
            "May end early, once the narrator considers it finished", key="early", persist_state="session"
        )
        if st.button("Start the story", type="primary", width="stretch", disabled=casting is None) and casting:
            script = Script(scene=scene, rounds=int(count), seed=int(number), may_conclude=early)
            story = stage.launch(script, casting, people)
            st.query_params.from_dict({"story": story.id})
            st.rerun()
    with reading:
        scene_as_text(scene)
    recent(stage, "stage")


def _scene(stage: Stage) -> Scene:
    language = st.segmented_control(
        "Language",
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        default=_from_url("language", list(LANGUAGES)),
        required=True,
        key="language",
        on_change=_to_url,
        args=("language",),
    )
    scenes = [scene for scene in (*bundled(), *stage.store.scenes.all()) if scene.language == language]
    named: dict[str, Scene] = {}
    for scene in scenes:
        named[scene.id if scene.id not in named else f"{scene.id}~{len(named)}"] = scene
    chosen = st.selectbox(
        "Scene",
        list(named),
        index=list(named).index(_from_url("scene", list(named))),
        format_func=lambda id: f"{named[id].title} ({named[id].work})",
        key=f"scene-{language}",
        on_change=_to_url,
        args=("scene", f"scene-{language}"),
    )
    return named[chosen]


def _from_url(name: str, options: list[str]) -> str:
    """The option that the URL names, else the first."""
    wanted = st.query_params.get(name)
    return wanted if wanted in options else options[0]


def _to_url(name: str, key: str | None = None) -> None:
    st.query_params[name] = st.session_state[key or name]
    if name == "language":
        st.query_params.pop("scene", None)
