"""The scenes of a crafting: each step as it comes, drafts edited by hand, and a translation beside its original."""

import html
from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotations.i18n.translation import say, tongue, translate
from characterbox.components.figures.tables.text import decimal, in_a_row
from characterbox.crafting.editing import (
    can_be_sent_back,
    edit,
    keep,
    kept,
    read_by_hand,
    read_written,
    send_back,
    written,
)
from characterbox.crafting.originality import check, known_scenes
from characterbox.crafting.progress import Crafted, Crafting
from characterbox.crafting.request import RUBRIC, Wish
from characterbox.crafting.stages import Draft, Evaluation, Undecided
from characterbox.crafting.translation import Translation
from characterbox.errors import ReplyError
from characterbox.llm.request import AGAIN
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage, open_stage
from pages.crafting.text import outcome, step_told
from pages.scenes.drafts import check_writes
from pages.scenes.list import all_headings
from pages.scenes.text import scene_html, way_out
from pages.shared.current_user import current_user
from pages.shared.editing import edit_in_place
from pages.shared.form import fault
from pages.shared.links import page_in_address
from pages.shared.text import facts, plain, quiet
from pages.story.actions import do


def tell_why_none(crafting: Crafting, number: int, step: Draft, text: str) -> None:
    """Why what came is no scene: the model was told it in English, so it is read again for whoever looks on."""
    try:
        read_written(text, crafting.wish, crafting.id, number)
    except ReplyError as error:
        fault(translate(error))
    else:
        fault(translate(step.problem or ""))


def edit_by_hand(crafting: Crafting, number: int, path: str, text: str, told: str = "") -> None:
    """What was written at a path of scene `number`, as JSON, to be edited and put in its place."""
    edit_in_place(
        f"craft-edit-{crafting.id}-{path}",
        say("Draft (JSON)"),
        text,
        crafting.take(path),
        partial(_save, crafting, number, path),
        told=told,
        press=say("Save draft"),
    )


def _save(crafting: Crafting, number: int, path: str, edited: str, seen: int) -> None:
    check_writes()
    scene = read_by_hand(edited, crafting.wish, crafting.id, number)
    edit(open_stage().store, crafting.id, path, scene, seen, person=current_user().id)


PER_PAGE = 10
"""Scenes that are drawn at once."""


def show_scenes(stage: Stage, crafting: Crafting, wish: Wish, *, editable: bool) -> None:
    """The scenes of a crafting; what is looked at in accepted ones, and ways to edit drafts, where that may be."""
    with page_in_address(len(crafting.scenes), PER_PAGE) as page:
        shown = crafting.scenes[page * PER_PAGE : (page + 1) * PER_PAGE]
        checked = editable and any(one.scene is not None for one in shown)
        known = known_scenes(stage.store) if checked else []
        for crafted in shown:
            _show_scene(stage, crafting, wish, crafted, known if editable else None)


def _show_scene(stage: Stage, crafting: Crafting, wish: Wish, crafted: Crafted, known: Sequence[Scene] | None) -> None:
    """One of them; `known` are the scenes to which it is held, None where nothing may be edited."""
    piece = wish.piece(crafted.number)
    st.subheader(say("Scene {number}: {outcome}", number=crafted.number, outcome=outcome(crafted)))
    if piece is not None:
        place = piece.passage
        told = say("characters {start:,} to {end:,}", start=place.start + 1, end=place.end)
        quiet(f"{place.source} · {place.chapter} · {told}" if place.chapter else f"{place.source} · {told}")
        with st.expander(say("Source passage")):
            st.text(piece.text)
    for step in crafted.steps:
        with st.expander(plain(step_told(step))):
            match step:
                case Draft():
                    _draft(crafting, crafted, step, editable=known is not None)
                case Evaluation():
                    rows = {RUBRIC.metric(key).name.text(tongue()): f"{score:g}" for key, score in step.scores.items()}
                    facts({**rows, say("Mean"): decimal(step.mean)})
                    st.text(step.reasons)
                case Undecided(problem=problem):
                    fault(translate(problem))
    if known is not None and can_be_sent_back(wish, crafted):
        key, given = f"craft-back-{crafted.number}", (_send_back, crafting.id, crafted.number)
        st.button(say("Return for another revision"), key=key, on_click=do, args=given)
    if crafted.scene is not None:
        if known is not None:
            _checks(crafting, crafted.scene, known)
        for chain in stage.store.scenes.known([crafted.scene]).values():
            way_out(say("Open in library"), scene=chain)


def _send_back(id: str, number: int) -> None:
    check_writes()
    stage = open_stage()
    send_back(stage.store, id, number)
    stage.craftings.go_on(id)


def _draft(crafting: Crafting, crafted: Crafted, step: Draft, *, editable: bool) -> None:
    if step.scene is None:
        came = [reply.text for reply in crafting.replies if reply.path in (step.path, f"{step.path}{AGAIN}")][-1]
        tell_why_none(crafting, crafted.number, step, came)
        st.text(came)
        if editable:
            edit_by_hand(crafting, crafted.number, step.path, came)
        return
    st.html(scene_html(step.scene.model_dump(mode="json")))
    if not editable:
        return
    told = say("When you continue, the evaluation and all later steps are regenerated from this draft.")
    edit_by_hand(crafting, crafted.number, step.path, written(crafting.wish, step.scene), told)


def _checks(crafting: Crafting, scene: Scene, known: Sequence[Scene]) -> None:
    """How much is copied from the source, and which known scene is close."""
    found = check(open_stage().store, crafting, scene, known)
    if found.copied is not None:
        told = say("{share:.0%} of the wording matches passages of the source word for word.", share=found.copied.share)
        longest = [say("“{words}”", words=words) for words in found.copied.longest(scene)]
        tell = fault if found.copied.is_notable else quiet
        tell(in_a_row(told, say("Longest matches: {runs}.", runs=say(", ").join(longest)) if longest else ""))
    if found.near is not None:
        near = {"title": found.near.scene.title, "similarity": found.near.similarity}
        if found.near.is_near:
            fault(say("Similar to an existing scene: {title} (similarity {similarity:.2f}).", **near))
        else:
            quiet(say("Most similar existing scene: {title} (similarity {similarity:.2f}).", **near))


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
            quiet(say("The translation will appear here."))
        elif isinstance(step, Draft):
            tell_why_none(crafting, 1, step, crafting.replies[-1].text)
    places = [one for one in all_headings(stage) if (one.id, one.language) == (wish.scene.id, wish.scene.language)]
    if places:
        way_out(say("Open original"), scene=places[0].place)
        if editable and crafted.scene is None and not crafted.open:
            way_out(say("Translate again"), scene=places[0].place, translate="yes")


def _acts(stage: Stage, crafting: Crafting, step: Draft) -> None:
    """To keep it, or edit it before; what is kept is edited in the library."""
    if (chain := kept(stage.store, crafting)) is not None:
        quiet(say("Saved in the library and linked to the original."))
        way_out(say("Open in library"), scene=chain)
        return
    with st.container(horizontal=True):
        if step.scene is not None:
            st.button(say("Keep"), type="primary", key="craft-keep", on_click=do, args=(_keep, crafting.id))
        came = crafting.replies[-1].text
        edit_by_hand(crafting, 1, step.path, came if step.scene is None else written(crafting.wish, step.scene))


def _keep(id: str) -> None:
    check_writes()
    keep(open_stage().store, id, current_user().id)


def _read(scene: Scene) -> None:
    title = f'<h2 lang="{scene.language}">{html.escape(scene.title)}</h2>'
    st.html(scene_html(scene.model_dump(mode="json"), title))
