"""The rewritten parts of a story: the models that rewrite them, started, stopped and gone on with, and what comes."""

from collections.abc import Sequence

import streamlit as st

from annotations.i18n.translation import say, sentence, translate
from characterbox.accounts.permissions import require
from characterbox.errors import CharacterBoxError, RecordMismatch
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import OnMismatch
from characterbox.stage.jobs.reflection_jobs import Reflecting
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.stories.stories import Story
from characterbox.training.reflection.rewriting import Reflection
from characterbox.training.reflection.running import reflections_of
from pages.shared.current_user import current_user
from pages.shared.form import fault
from pages.shared.links import page_link, place_link
from pages.shared.text import caution, plain
from pages.story.actions import do, show_error
from pages.training.reflection_scores import show_scores
from pages.training.rewritten_part import show_part

EVERY = 1.0
"""Seconds between two looks at parts that are being rewritten."""


def show_reflections(stage: Stage, id: str) -> None:
    """The rewritten parts of a story; where there is no such story, the way back."""
    try:
        story = stage.store.stories.story(id)
    except CharacterBoxError as error:
        st.title(say("Training"))
        st.error(plain(translate(error)))
        place_link(say("All training"), ":material/arrow_back:")
        return
    st.title(say("Rewritten parts: {title}", title=plain(story.title)))
    st.caption(
        say(
            "The model that played a character reads its own trajectory, names inconsistencies and rewrites its"
            " replies. A check refuses what changes form or facts. The story itself stays as it is."
        )
    )
    parts = reflections_of(stage.store, story)
    if story.casting.improvised or any(one.model.is_modelless for one in parts):
        caution(say(DEMO_NOTE))
    show_error()
    at_rest = not _under_way(stage, id)
    if at_rest:
        _faults(stage, id)
        _new(story, parts)
    else:
        st.fragment(_follow, run_every=EVERY)(stage, id, len(_under_way(stage, id)))
    if parts:
        shown = _chosen(parts)
        if at_rest and not shown.complete:
            st.button(
                say("Continue"),
                type="primary",
                key="reflection-on",
                on_click=do,
                args=(_start, id, [(shown.character, shown.model)]),
            )
        show_part(stage, story, shown, editable=at_rest)
        show_scores(stage, story, parts, shown)
    page_link(say("Story"), "playback", "training", icon=":material/menu_book:", story=id)
    place_link(say("All training"), ":material/arrow_back:")


def _under_way(stage: Stage, id: str) -> list[Reflecting]:
    return [one for one in stage.jobs.of(Reflecting, id) if one.under_way]


def _chosen(parts: Sequence[Reflection]) -> Reflection:
    """The part that is shown, of several."""
    names = [one.character for one in parts]
    called = [
        one.character if names.count(one.character) == 1 else f"{one.character} · {one.model.label}" for one in parts
    ]
    number = 0
    if len(parts) > 1:
        number = st.selectbox(
            say("Rewritten part"),
            range(len(parts)),
            format_func=lambda one: called[one],
            key="reflection-part",
            width=300,
        )
    return parts[number]


def _new(story: Story, parts: Sequence[Reflection]) -> None:
    """Have parts rewritten that their models have not rewritten yet."""
    playing = story.casting.characters
    begun = {(one.character, one.model) for one in parts}
    left = [
        (name, playing[name])
        for name in story.script.scene.names
        if not playing[name].is_handwritten and (name, playing[name]) not in begun
    ]
    if not left:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox(
            say("Character"),
            [None, *(name for name, _ in left)],
            format_func=lambda one: say("All characters") if one is None else one,
            key="reflection-character",
            width=300,
        )
        chosen = [(name, model) for name, model in left if who in (None, name)]
        st.button(
            say("Rewrite"),
            type="secondary" if parts else "primary",
            key="reflection-start",
            on_click=do,
            args=(_start, story.id, chosen),
        )


def _start(id: str, chosen: Sequence[tuple[str, Endpoint]], on_mismatch: OnMismatch = "stop") -> None:
    stage = open_stage()
    story, actor = stage.store.stories.story(id), current_user()
    for name, model in chosen:
        stage.jobs.start(Reflecting.by(actor, story, name, model, on_mismatch))


def _stop(id: str) -> None:
    require(current_user(), "direct")
    for one in _under_way(open_stage(), id):
        one.stop()


def _faults(stage: Stage, id: str) -> None:
    """What kept the last ones from their end, and the ways on where the app's prompts have changed since."""
    broken = [one for one in stage.jobs.of(Reflecting, id) if one.last_error is not None]
    for one in broken:
        told = say("An error interrupted the rewriting. See the app's log for details.")
        if isinstance(one.last_error, CharacterBoxError):
            told = translate(one.last_error)
        fault(sentence(say("{name}: {what}", name=one.name, what=told)))
    if stale := [(one.name, one.model) for one in broken if isinstance(one.last_error, RecordMismatch)]:
        with st.container(horizontal=True):
            st.button(
                say("Continue with recorded replies"),
                key="reflection-keep",
                on_click=do,
                args=(_start, id, stale, "keep"),
            )
            st.button(
                say("Regenerate where prompts changed"),
                key="reflection-ask",
                on_click=do,
                args=(_start, id, stale, "ask"),
            )


def _follow(stage: Stage, id: str, drawn: int) -> None:
    jobs = _under_way(stage, id)
    if len(jobs) != drawn:
        st.rerun()
    done, whole = sum(one.done for one in jobs), sum(one.whole or 0 for one in jobs)
    st.progress(
        done / whole if whole else 0.0,
        say("{count:,} of {all:,} replies done", count=done, all=whole) if whole else say("Reading the trajectory"),
    )
    st.button(say("Stop"), key="reflection-stop", on_click=do, args=(_stop, id))
