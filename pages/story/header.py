"""The head of a story's page: how it stands, and what can be done with it now."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, sentence, translate
from characterbox.accounts.permissions import TITLES
from characterbox.components.figures.tables.text import costs_line, price_told
from characterbox.components.settings_text import settings_told
from characterbox.errors import CharacterBoxError
from characterbox.stage.live.visibility import EVERYTHING, perspective_of
from characterbox.stage.playback_control import StepSize
from characterbox.stage.stage import Stage
from characterbox.store.stories.call_costs import CallCosts, StoryCosts
from characterbox.store.stories.stories import Story
from pages.shared.links import PageName, page_link
from pages.shared.text import facts, name_tab, plain, quiet
from pages.story.actions import do
from pages.story.answer_form import tell_unsent_of_gone
from pages.story.casting import seats
from pages.story.list import to_library


def counts(stage: Stage, story: Story) -> None:
    """The counts of a story at rest."""
    if story.status == "running":
        return
    costs = stage.store.stories.costs(story.id)
    judges = stage.store.stories.costs(story.id, "judges")
    with st.popover(plain(costs_line(costs)), type="tertiary", key=f"counts-{story.id}"):
        facts(details(costs), small=True)
        if not story.casting.handwritten:
            st.caption(say("Settings"))
            facts(settings_told(story.script.settings), small=True)
        if judges.replies.calls or judges.unanswered:
            st.caption(say("Usage by judges"))
            facts(details(judges), small=True)


def details(costs: StoryCosts) -> dict[str, str]:
    """All counts, in words."""
    replies = costs.replies
    troubles = (say("{what} ({count:,})", what=what, count=count) for what, count in sorted(costs.troubles.items()))
    told = {
        say("Replies by models"): f"{replies.calls:,}",
        say("Reused from another story"): say("{count:,} (free)", count=replies.reused) if replies.reused else "0",
        say("Written or edited by people"): f"{replies.by_people:,}",
        say("Prompt tokens"): _tokens(replies),
        say("Reply tokens"): f"{replies.completion_tokens:,}",
        say("Price"): price_told(replies),
        say("Retries"): f"{replies.retries:,}",
        say("Reasons for retries"): say(", ").join(troubles),
        say("Calls without a reply"): say("{count:,} (may have been charged)", count=costs.unanswered)
        if costs.unanswered
        else say("none"),
        say("Degraded steps"): f"{costs.degraded:,}",
    }
    return {name: what for name, what in told.items() if what}


def _tokens(costs: CallCosts) -> str:
    told = f"{costs.prompt_tokens:,}"
    if costs.cached_tokens and costs.prompt_tokens:
        cached = costs.cached_tokens / costs.prompt_tokens
        told = say("{tokens}, {cached:.0%} from cache", tokens=told, cached=cached)
    if costs.uncounted:
        told = say_count(
            "{tokens}; not reported for {count:,} call",
            "{tokens}; not reported for {count:,} calls",
            costs.uncounted,
            tokens=told,
        )
    return told


STRIDES: dict[StepSize, str] = {"call": to_say("One call"), "turn": to_say("One turn"), "round": to_say("One round")}


def wanted_story(stage: Stage, here: PageName) -> Story | None:
    """The story that the URL names; None, with the way out shown where it names an unknown one."""
    id = st.query_params.get("story")
    if id is None:
        return None
    try:
        story = stage.store.stories.story(id)
    except CharacterBoxError as error:
        name_tab(say(TITLES[here]))
        st.error(plain(translate(error)))
        tell_unsent_of_gone(id)
        to_library(here)
        page_link(say("Start story"), "stage", here)
        st.stop()
    name_tab(story.label or story.script.scene.title)
    return story


def controls(stage: Stage, story: Story, here: PageName) -> None:
    """All that the story's status allows. The player on the page follows it, and has the page drawn again."""
    id = story.id
    _told(stage, story)
    with st.container(horizontal=True, vertical_alignment="center"):
        match story.status:
            case "mismatched":
                _button("keep", say("Reuse recorded replies"), lambda: stage.resume(id, "keep"))
                _button("ask", say("Regenerate replies"), lambda: stage.resume(id, "ask"))
            case "ended" | "stopped":
                page_link(say("Playback"), "playback", here, story=id, icon=":material/menu_book:")
            case "cued":
                if here != "stage":  # where the form stands below
                    page_link(say("Answer"), "stage", here, story=id, icon=":material/edit:")
            case "running" if stage.playing(id):
                _button("pause", say("Pause"), lambda: stage.rest(id), disabled=stage.resting(id))
            case "waiting":
                _button("pause", say("Pause"), lambda: stage.rest(id))
                _go_on(stage, story)
            case _:
                _go_on(stage, story)
        if story.status == "ended":
            page_link(say("Annotate"), "annotate", here, icon=":material/edit_note:")
        elif story.status != "stopped":
            seats(stage, story, perspective_of(story.people) if here == "stage" else EVERYTHING)
            with st.popover(say("Stop"), key=f"stop-{id}"):
                st.write(say("Stopping ends the story permanently. You can still read it and branch from any step."))
                _button("stop", say("Stop story"), lambda: stage.stop(id))
        page_link(say("Start another story"), "stage", here, icon=":material/add:")


def _told(stage: Stage, story: Story) -> None:
    """What there is to say about the status, where the player does not say it."""
    reason = translate(story.reason or "")
    match story.status:
        case "running" if stage.resting(story.id):
            quiet(say("Pausing: waiting for pending replies."))
        case "running" if not stage.playing(story.id):
            quiet(
                say(
                    "Another process is playing this story. If that process was interrupted, you can continue"
                    " the story here."
                )
            )
        case "waiting" if story.launched_from == "app":
            quiet(
                say(
                    "{why} The story continues automatically when the endpoint is available again.",
                    why=sentence(reason),
                )
            )
        case "waiting" if story.launched_from == "command line":
            quiet(
                say(
                    "{why} The command line left the story here. Continue it when the endpoint is available again.",
                    why=sentence(reason),
                )
            )
        case "waiting":
            quiet(say("{why} Continue the story when the endpoint is available again.", why=sentence(reason)))
        case "failed" | "mismatched":
            st.warning(plain(say("The story stopped: {reason}", reason=reason)), icon=":material/pause_circle:")
        case "stopped":
            quiet(say("This story was stopped permanently. You can still branch from any step."))


def _go_on(stage: Stage, story: Story) -> None:
    _button("continue", say("Continue"), lambda: stage.resume(story.id), primary=True)
    key = f"step-{story.id}"
    step = partial(do, lambda: stage.step(story.id, st.session_state[key]))
    st.menu_button(say("Step"), list(STRIDES), format_func=lambda one: say(STRIDES[one]), key=key, on_click=step)


def _button(key: str, label: str, act: Callable[[], None], *, primary: bool = False, disabled: bool = False) -> None:
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
    st.button(label, key=f"story-{key}", type=kind, disabled=disabled, on_click=do, args=(act,))
