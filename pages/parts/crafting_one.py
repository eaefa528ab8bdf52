"""One crafting: how far it is, and its scenes as they come; stopped, gone on with, deleted."""

import streamlit as st

from annotations.wording import say, to_say, translate
from characterbox.components.costs import unanswered_told
from characterbox.crafting.standing import Crafting
from characterbox.crafting.translating import Translation
from characterbox.errors import StoryError
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.llm.journal import OnMismatch
from characterbox.stage.stage import Stage, open_stage
from pages.parts.acts import do, tell_refusal
from pages.parts.crafting_scenes import show_scenes
from pages.parts.crafting_scores import show_scores
from pages.parts.crafting_translation import show_translation
from pages.parts.crafting_words import STATES, heading, how_far
from pages.parts.look import plain, quiet
from pages.parts.models_look import fault
from pages.parts.scenes_copy import check_writes
from pages.parts.scenes_look import caution
from pages.parts.scenes_ways import to_scenes
from pages.parts.sweeps_words import money
from pages.parts.ways import go, way_to
from pages.parts.who import who

EVERY, AT_REST = 1.0, 5.0
"""Seconds between two looks at a crafting that is under way, and at one that rests."""


def show_crafting(stage: Stage, id: str) -> None:
    """A crafting by its id, kept up to date while it is looked at."""
    try:
        crafting = stage.craftings.look(id)
    except StoryError as error:
        st.title(say("Craft scenes"))
        st.error(plain(str(error)))
        to_scenes()
        return
    st.title(plain(heading(crafting.wish)))
    if crafting.wish.improvised:
        one = isinstance(crafting.wish, Translation)
        told = to_say("This translation is {mark}.") if one else to_say("These scenes are {mark}.")
        caution(say(told, mark=say(NOT_A_RESULT)))
    runs = _runs(stage, id)
    st.fragment(_follow, run_every=EVERY if runs else AT_REST)(stage, id, runs)
    way_to(say("All craftings"), ":material/arrow_back:", crafting="all")


def _follow(stage: Stage, id: str, drawn: bool) -> None:
    if (runs := _runs(stage, id)) != drawn:
        st.rerun()
    try:
        crafting = stage.craftings.look(id)
    except StoryError:
        st.rerun()  # it was deleted: the whole page says so, or is elsewhere by now
    state = say(STATES[crafting.status]) if runs or crafting.status != "running" else say("broken off")
    quiet(f"{state.capitalize()} · {how_far(crafting)}{_cost(crafting)}")
    if told := crafting.reason or stage.craftings.fault(id):
        fault(translate(told))
    if not runs and (unanswered := stage.store.craftings.unanswered(id)):
        quiet(unanswered_told(unanswered))
    if any(one.changed for one in crafting.scenes):
        quiet(say("The prompts of this app have changed since; what was recorded is shown as it was."))
    tell_refusal()
    with st.container(horizontal=True):
        here = stage.craftings.of(id)
        if runs and not (here is not None and here.resting):
            st.button(say("Stop"), key="craft-stop", on_click=_stop, args=(id,))
        elif runs:
            quiet(say("It rests as soon as the replies under way have come."))
        elif any(one.changed and one.open for one in crafting.scenes):
            st.button(say("Go on, and keep what was recorded"), key="craft-keep-on", on_click=_go_on, args=(id, "keep"))
            st.button(say("Ask anew where prompts changed"), key="craft-ask", on_click=_go_on, args=(id, "ask"))
        elif any(one.open or one.undecided for one in crafting.scenes):
            st.button(say("Go on"), type="primary", key="craft-on", on_click=_go_on, args=(id,))
        if not runs:
            _delete(id)
    if isinstance(crafting.wish, Translation):
        show_translation(stage, crafting, crafting.wish, editable=not runs)
        return
    show_scenes(stage, crafting, crafting.wish, editable=not runs)
    if not runs and any(one.scene is not None for one in crafting.scenes):
        show_scores(stage, crafting)


def _runs(stage: Stage, id: str) -> bool:
    """Whether it is under way, here or in another process."""
    return stage.craftings.under_way(id) or stage.store.craftings.at_work(id)


def _cost(crafting: Crafting) -> str:
    price = crafting.price
    return "" if not price else f" · {money(price)}"


def _go_on(id: str, on_mismatch: OnMismatch = "stop") -> None:
    def act() -> None:
        check_writes()
        open_stage().craftings.go_on(id, on_mismatch, unread_anew=True)

    do(act)


def _stop(id: str) -> None:
    def act() -> None:
        check_writes()
        open_stage().craftings.rest(id)

    do(act)


def _delete(id: str) -> None:
    def act() -> None:
        check_writes()
        open_stage().store.craftings.delete(who(), id)
        go(crafting="all")

    with st.popover(say("Delete")):
        quiet(say("Drafts, evaluations and the source go; scenes that were accepted stay in the library."))
        st.button(say("Delete it"), key="craft-delete", on_click=do, args=(act,))
