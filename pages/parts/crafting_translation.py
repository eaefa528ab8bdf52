"""A translation beside its original: looked at, edited, and kept."""

import html

import streamlit as st

from annotations.wording import say
from characterbox.crafting.editing import keep, kept, written
from characterbox.crafting.stages import Draft
from characterbox.crafting.standing import Crafting
from characterbox.crafting.translating import Translation
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage, open_stage
from pages.parts.acts import do
from pages.parts.crafting_edit import edit_by_hand, tell_why_none
from pages.parts.look import quiet
from pages.parts.scenes_copy import check_writes
from pages.parts.scenes_list import all_headings
from pages.parts.scenes_look import scene_html
from pages.parts.scenes_ways import way_out
from pages.parts.who import who


def show_translation(stage: Stage, crafting: Crafting, wish: Translation, *, editable: bool) -> None:
    """Both scenes side by side, and what can be done with the translation."""
    (crafted,) = crafting.scenes
    step = crafted.steps[-1] if crafted.steps else None
    if editable and isinstance(step, Draft):
        _acts(stage, crafting, step)
    before, after = st.columns(2, gap="large")
    with before:
        _read(wish.scene)
    with after:
        if crafted.scene is not None:
            _read(crafted.scene)
        elif crafted.open:
            quiet(say("The translation stands here as soon as it has come."))
        elif isinstance(step, Draft):
            tell_why_none(crafting, 1, step, crafting.replies[-1].text)
    places = [one for one in all_headings(stage) if (one.id, one.language) == (wish.scene.id, wish.scene.language)]
    if places:
        way_out(say("To the original"), scene=places[0].place)
        if editable and crafted.scene is None and not crafted.open:
            way_out(say("Translate it anew"), scene=places[0].place, translate="yes")


def _acts(stage: Stage, crafting: Crafting, step: Draft) -> None:
    """To keep it, or edit it before; what is kept is edited in the library."""
    if (chain := kept(stage.store, crafting)) is not None:
        quiet(say("It is kept in the library, as the pair of the original."))
        way_out(say("In the library"), scene=chain)
        return
    with st.container(horizontal=True):
        if step.scene is not None:
            st.button(say("Keep it"), type="primary", key="craft-keep", on_click=do, args=(lambda: _keep(crafting.id),))
        came = crafting.replies[-1].text
        edit_by_hand(crafting, 1, step.path, came if step.scene is None else written(crafting.wish, step.scene))


def _keep(id: str) -> None:
    check_writes()
    keep(open_stage().store, id, who().id)


def _read(scene: Scene) -> None:
    title = f'<h2 lang="{scene.language}">{html.escape(scene.title)}</h2>'
    st.html(scene_html(scene.model_dump(mode="json"), title))
