"""One rewritten part: what its model found, each reply before and after, and the prompts and replies behind it."""

import html
from functools import partial

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.llm.journal import Author
from characterbox.llm.request import AGAIN
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.stories.stories import Story
from characterbox.training.reflection.questions import REWRITE
from characterbox.training.reflection.rewriting import Reflection, Rewriting, State
from characterbox.training.reflection.running import answers_to, edit, place_of_reflection
from pages.shared.current_user import current_user
from pages.shared.editing import edit_in_place
from pages.shared.form import fault
from pages.shared.text import lines, plain, quiet
from pages.story.answer_form import STYLE, prompt

STATES: dict[State, str] = {
    "not asked": to_say("not rewritten yet"),
    "not checked": to_say("not checked yet"),
    "unchanged": to_say("unchanged"),
    "accepted": to_say("accepted"),
    "refused": to_say("refused"),
}
AUTHORS: dict[Author, str] = {
    "model": to_say("by the model"),
    "human": to_say("written by a person"),
    "edit": to_say("edited by a person"),
}


def show_part(stage: Stage, story: Story, reflection: Reflection, *, editable: bool) -> None:
    """One part; its replies can be edited where nothing is at work on the parts of the story."""
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
    found = reflection.found
    if found.unread is not None:
        fault(say("The inconsistencies could not be read: {why}", why=translate(found.unread)))
    elif found.inconsistencies == ():
        quiet(say("The model found no inconsistencies."))
    lines(f"{one.step}. {one.what}" for one in found.inconsistencies or ())
    with st.expander(say("Before and after")):
        st.html("".join(map(_before_after, reflection.steps)))
    with st.expander(say("Prompts and replies")):
        _behind(stage, story, reflection, editable=editable)


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


def _behind(stage: Stage, story: Story, reflection: Reflection, *, editable: bool) -> None:
    """One of the replies that the part rests on, with its prompt and its earlier takes; and a way to edit it."""
    answers = answers_to(stage.store, story, reflection)
    if not answers:
        quiet(say("No replies yet."))
        return
    place = place_of_reflection(reflection.model, reflection.character)
    numbers = {step.path: step.number for step in reflection.steps}
    path = st.selectbox(
        say("Step"), [*answers], format_func=lambda one: _called(one, numbers), key=f"reflection-step-{place}"
    )
    takes = stage.store.stories.takes(story.id, f"{place}{path}")
    shown = takes[-1]
    if len(takes) > 1:
        number = st.selectbox(
            say("Version"),
            range(len(takes) - 1, -1, -1),
            format_func=lambda one: f"{one + 1} · {say(AUTHORS[takes[one].author])}",
            key=f"reflection-take-{place}{path}-{len(takes)}",
            width=300,
        )
        shown = takes[number]
    st.text(shown.text)
    if editable and not path.endswith(AGAIN):
        edit_in_place(
            f"reflection-edit-{story.id}-{place}{path}",
            say("Reply"),
            shown.text,
            takes[-1].take,
            partial(_save, reflection, path),
            told=say("When you continue, everything that rests on this reply is regenerated."),
            press=say("Save"),
        )
    st.caption(say("Prompt"))
    st.html(STYLE + prompt(shown.messages, story.script.scene.language))


def _called(path: str, numbers: dict[str, int]) -> str:
    """A step in a few words."""
    step = path.removesuffix(AGAIN)
    kind, _, of = step.partition("/")
    if not of:
        told = say("Inconsistencies")
    else:
        label = (
            to_say("Rewriting of {number}. {path}") if f"{kind}/" == REWRITE else to_say("Check of {number}. {path}")
        )
        told = say(label, number=numbers[of], path=of)
    return told if step == path else say("{step}, asked again", step=told)


def _save(reflection: Reflection, path: str, text: str, seen: int) -> None:
    edit(open_stage().store, current_user(), reflection, path, text, seen=seen)
