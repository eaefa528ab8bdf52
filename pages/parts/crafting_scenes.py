"""The scenes of a crafting, a page of them: each step as it comes, drafts that were rejected too; edited by hand."""

from collections.abc import Sequence

import streamlit as st

from annotations.wording import say, tongue, translate
from characterbox.components.figures.words import decimal, in_a_row
from characterbox.crafting.checks import check, known_scenes
from characterbox.crafting.editing import can_be_sent_back, send_back, written
from characterbox.crafting.stages import Draft, Evaluation, Undecided
from characterbox.crafting.standing import Crafted, Crafting
from characterbox.crafting.wish import RUBRIC, Wish
from characterbox.llm.request import AGAIN
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage, open_stage
from pages.parts.acts import do
from pages.parts.crafting_edit import edit_by_hand, tell_why_none
from pages.parts.crafting_words import outcome, step_told
from pages.parts.look import plain, quiet
from pages.parts.models_look import facts, fault
from pages.parts.paging import chosen_page
from pages.parts.scenes_copy import check_writes
from pages.parts.scenes_look import scene_html
from pages.parts.scenes_ways import way_out

PER_PAGE = 10
"""Scenes that are drawn at once."""


def show_scenes(stage: Stage, crafting: Crafting, wish: Wish, *, editable: bool) -> None:
    """The scenes of a crafting; what is looked at in accepted ones, and ways to edit drafts, where that may be."""
    first = PER_PAGE * chosen_page(len(crafting.scenes), PER_PAGE)
    shown = crafting.scenes[first : first + PER_PAGE]
    checked = editable and any(one.scene is not None for one in shown)
    known = known_scenes(stage.store) if checked else []
    for crafted in shown:
        _scene(crafting, wish, crafted, editable=editable)
        if editable and can_be_sent_back(wish, crafted):
            _send_back(crafting.id, crafted.number)
        if crafted.scene is not None:
            if editable:
                _checks(crafting, crafted.scene, known)
            for chain in stage.store.scenes.known([crafted.scene]).values():
                way_out(say("In the library"), scene=chain)


def _scene(crafting: Crafting, wish: Wish, crafted: Crafted, *, editable: bool) -> None:
    piece = wish.piece(crafted.number)
    st.subheader(say("Scene {number}: {outcome}", number=crafted.number, outcome=outcome(crafted)))
    if piece is not None:
        place = piece.passage
        told = say("characters {start:,} to {end:,}", start=place.start + 1, end=place.end)
        quiet(f"{place.source} · {place.chapter} · {told}" if place.chapter else f"{place.source} · {told}")
        with st.expander(say("The passage")):
            st.text(piece.text)
    for step in crafted.steps:
        with st.expander(plain(step_told(step))):
            match step:
                case Draft():
                    _draft(crafting, crafted, step, editable=editable)
                case Evaluation():
                    _evaluation(step)
                case Undecided(problem=problem):
                    fault(translate(problem))


def _send_back(id: str, number: int) -> None:
    def act() -> None:
        check_writes()
        stage = open_stage()
        send_back(stage.store, id, number)
        stage.craftings.go_on(id)

    st.button(say("Send it back once more"), key=f"craft-back-{number}", on_click=do, args=(act,))


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
    told = say("What rests on the draft is asked anew once it goes on: the evaluation, and all after it.")
    edit_by_hand(crafting, crafted.number, step.path, written(crafting.wish, step.scene), told)


def _checks(crafting: Crafting, scene: Scene, known: Sequence[Scene]) -> None:
    """How much is copied from the source, and which known scene is close."""
    found = check(open_stage().store, crafting, scene, known)
    if found.copied is not None:
        told = say("{share:.0%} of its wording stands in the source in the same order.", share=found.copied.share)
        longest = [say("“{words}”", words=words) for words in found.copied.longest(scene)]
        tell = fault if found.copied.is_notable else quiet
        tell(in_a_row(told, say("The longest: {runs}.", runs=say(", ").join(longest)) if longest else ""))
    if found.near is not None:
        near = {"title": found.near.scene.title, "similarity": found.near.similarity}
        if found.near.is_near:
            fault(say("It is close to a known scene: {title} ({similarity:.2f}).", **near))
        else:
            quiet(say("The closest known scene: {title} ({similarity:.2f}).", **near))


def _evaluation(step: Evaluation) -> None:
    rows = {RUBRIC.metric(key).name.text(tongue()): f"{score:g}" for key, score in step.scores.items()}
    facts({**rows, say("Mean"): decimal(step.mean)})
    st.text(step.reasons)
