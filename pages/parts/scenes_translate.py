"""Having a scene translated: by whom, and the start."""

import streamlit as st

from annotations.wording import say
from characterbox.crafting.translating import Translation
from characterbox.stage.stage import Stage, open_stage
from characterbox.values import LANGUAGES, Language
from pages.parts.acts import do, tell_refusal
from pages.parts.crafting_form import models_for
from pages.parts.look import plain, quiet
from pages.parts.scenes_about import pairs_of
from pages.parts.scenes_copy import check_writes
from pages.parts.scenes_look import scene_html
from pages.parts.scenes_one import Opened, opened_or_told
from pages.parts.ways import go, way_to

OTHER: dict[Language, Language] = {"en": "zh", "zh": "en"}


def translate_scene(stage: Stage, place: str) -> None:
    """The scene that the address names, and who is to translate it."""
    if (opened := opened_or_told(stage, place)) is None:
        return
    st.title(plain(opened.scene.title))
    tell_refusal()
    reading, margin = st.columns([3, 2], gap="large")
    with reading:
        st.html(scene_html(opened.scene.model_dump(mode="json")))
    with margin, st.container(key="translate-margin"):
        _choice(stage, opened)
    way_to(say("Back to the scene"), ":material/arrow_back:", scene=place)


def _choice(stage: Stage, opened: Opened) -> None:
    language = OTHER[opened.scene.language]
    st.subheader(say("Translate into {language}", language=say(LANGUAGES[language])))
    for pair in pairs_of(opened.scene, opened.headings):
        quiet(say("There is one in the other language already:"))
        way_to(plain(pair.title), scene=pair.place)
    found = models_for(stage, ["translator"])
    if found is None:
        return
    wish = Translation(scene=opened.scene, language=language, translator=found["translator"])
    quiet(say("One call; one more where the translation does not have all that the original has."))
    quiet(say("You see it beside the original, and can edit it, before it is kept."))
    st.button(
        say("Start translating"), type="primary", key="translate-start", on_click=do, args=(lambda: _start(wish),)
    )


def _start(wish: Translation) -> None:
    check_writes()
    go(crafting=open_stage().craftings.begin(wish))
