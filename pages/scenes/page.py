"""Scenes: the library of all that can be played; reading, writing and editing scenes, importing and exporting them."""

import streamlit as st

from annotations.i18n.translation import say
from characterbox.stage.stage import open_stage
from pages.crafting.craftings import show_crafting
from pages.crafting.form import new_crafting
from pages.scenes import text as scene_text
from pages.scenes.census import inspect_scenes
from pages.scenes.editor import edit_scene, new_scene
from pages.scenes.export import take_along
from pages.scenes.import_files import import_form
from pages.scenes.list import scene_list
from pages.scenes.scene import show_scene, translate_scene
from pages.shared.current_user import allowed
from pages.shared.text import caution

stage = open_stage()
st.html(scene_text.STYLE)
place = st.query_params
writes = allowed("direct")
if "scene" in place and writes and "edit" in place:
    edit_scene(stage, place["scene"])
elif "scene" in place and writes and "translate" in place:
    translate_scene(stage, place["scene"])
elif "scene" in place:
    show_scene(stage, place["scene"])
elif writes and place.get("new") == "scene":
    new_scene(stage)
elif writes and place.get("new") == "import":
    import_form(stage)
elif writes and place.get("crafting") in ("new", "all"):  # of all there was a page of its own before
    new_crafting(stage)
elif writes and "crafting" in place:
    show_crafting(stage, place["crafting"])
elif "export" in place:
    take_along(stage)
elif "inspect" in place:
    inspect_scenes(stage)
else:
    if not writes and not {"new", "crafting"}.isdisjoint(place):
        caution(say("Only researchers and admins can write, import and generate scenes. You can read them."))
    scene_list(stage)
