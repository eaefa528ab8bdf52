"""The rewritten parts of a story: each reply before and after, what was refused and why; and the way to more."""

import html

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.stage.jobs.model_jobs import Reflecting
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.stories.stories import Story
from characterbox.training.reflection.rewriting import Reflection, Rewriting
from characterbox.training.reflection.running import reflections_of
from pages.shared.current_user import current_user
from pages.shared.form import fault
from pages.shared.links import page_link, place_link
from pages.shared.text import caution, lines, plain, quiet
from pages.story.actions import do, show_error

EVERY = 1.0
"""Seconds between two looks at parts that are being rewritten."""
STATES = {
    "not asked": to_say("not rewritten yet"),
    "not checked": to_say("not checked yet"),
    "unchanged": to_say("unchanged"),
    "accepted": to_say("accepted"),
    "refused": to_say("refused"),
}


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
    if story.casting.improvised:
        caution(say(DEMO_NOTE))
    show_error()
    _acts(stage, story)
    for reflection in reflections_of(stage.store, story):
        _show(reflection)
    page_link(say("Story"), "playback", "training", icon=":material/menu_book:", story=id)
    place_link(say("All training"), ":material/arrow_back:")


def _acts(stage: Stage, story: Story) -> None:
    """Have a part rewritten, or see how far that is."""
    jobs = [one for one in stage.jobs.of(Reflecting, story.id) if one.under_way]
    if jobs:
        st.fragment(_follow, run_every=EVERY)(stage, story.id, len(jobs))
        return
    failed = [one for one in stage.jobs.of(Reflecting, story.id) if one.last_error is not None]
    for one in failed:
        error = one.last_error
        fault(translate(error) if isinstance(error, CharacterBoxError) else say("An error interrupted the rewriting."))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox(
            say("Character"),
            [None, *story.script.scene.names],
            format_func=lambda one: say("All characters") if one is None else one,
            key="reflection-character",
            width=300,
        )
        st.button(say("Rewrite"), type="primary", key="reflection-start", on_click=do, args=(_start, story.id, who))


def _start(id: str, who: str | None) -> None:
    stage = open_stage()
    story, actor = stage.store.stories.story(id), current_user()
    for name in story.script.scene.names if who is None else (who,):
        stage.jobs.start(Reflecting.by(actor, story, name, story.casting.characters[name]))


def _follow(stage: Stage, id: str, drawn: int) -> None:
    jobs = [one for one in stage.jobs.of(Reflecting, id) if one.under_way]
    if len(jobs) != drawn:
        st.rerun()
    done, whole = sum(one.done for one in jobs), sum(one.whole or 0 for one in jobs)
    st.progress(
        done / whole if whole else 0.0,
        say("{count:,} of {all:,} replies done", count=done, all=whole) if whole else say("Reading the trajectory"),
    )


def _show(reflection: Reflection) -> None:
    """One part: what the model says is wrong, then each reply before and after."""
    st.subheader(plain(reflection.character))
    counts = reflection.counts
    quiet(
        say(
            "Rewritten by {model}: {accepted:,} accepted, {unchanged:,} unchanged, {refused:,} refused",
            model=reflection.model.label,
            accepted=counts["accepted"],
            unchanged=counts["unchanged"],
            refused=counts["refused"],
        )
    )
    if reflection.found.inconsistencies:
        lines(f"{one.step}. {one.what}" for one in reflection.found.inconsistencies)
    with st.expander(say("Before and after")):
        st.html("".join(map(_before_after, reflection.steps)))


def _before_after(step: Rewriting) -> str:
    told = say(STATES[step.state])
    why = "" if step.refused is None else f" · {translate(step.refused)}"
    after = "" if step.after is None else step.after
    same = step.state == "unchanged"
    return (
        f'<div class="cb-before-after"><h4>{html.escape(f"{step.number}. {step.path} · {told}{why}")}</h4>'
        f'<p class="cb-gone">{html.escape(step.before)}</p>'
        f"<p>{'' if same else html.escape(after)}</p></div>"
    )
