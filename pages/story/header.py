"""The head of a story's page: what can be done with it besides playing it, and why it rests."""

from contextlib import suppress

import streamlit as st

from annotations.i18n.translation import say, say_count, sentence, translate
from characterbox.accounts.permissions import TITLES
from characterbox.components.figures.tables.text import costs_line, price_told
from characterbox.components.mounts import put_address
from characterbox.components.settings_text import settings_told
from characterbox.errors import CharacterBoxError, StoryError
from characterbox.llm.endpoint import label_of
from characterbox.stage.live.visibility import Perspective
from characterbox.stage.stage import Stage
from characterbox.store.stories.call_costs import CallCosts, StoryCosts
from characterbox.store.stories.stories import Story
from characterbox.store.stories.story import OVER
from pages.shared.current_user import allowed
from pages.shared.downloads import share
from pages.shared.links import PageName, address_of, page_link
from pages.shared.text import facts, name_tab, plain, quiet
from pages.story.actions import act
from pages.story.answer_form import tell_unsent_of_gone
from pages.story.casting import seats
from pages.story.list import to_library
from pages.story.side_by_side import compare_with

JUDGES = "judges"
"""The view of a story, named in the address, in which it is judged."""
_SEEN = "stories-seen-on-stage"
"""In the session: the stories that were not over when they were seen on the Stage, the one seen last at the end."""


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
            facts(settings_told(story.script.settings, label_of(story.casting.memory)), small=True)
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
        page_link(say("Start story"), "stage", here, new="1")
        st.stop()
    name_tab(story.label or story.script.scene.title)
    return story


def story_on_stage(stage: Stage) -> Story | None:
    """The story that the URL names; where it asks for nothing at all, the last one seen here in this session of those
    that are still being played, or wait. Its address then takes the place of that of the page."""
    if st.query_params:
        story = wanted_story(stage, "stage")
    else:
        story = _still_open(stage)
        if story is not None:
            name_tab(story.label or story.script.scene.title)
            put_address(address_of("stage"), address_of("stage", story=story.id))
    if story is not None:
        seen = [id for id in st.session_state.get(_SEEN, ()) if id != story.id]
        st.session_state[_SEEN] = seen if story.status in OVER else [*seen, story.id]
    return story


def _still_open(stage: Stage) -> Story | None:
    """Of the stories that were not over when they were seen here, the one seen last that still is not."""
    for id in reversed(st.session_state.get(_SEEN, [])):
        with suppress(StoryError):  # it may have been deleted
            story = stage.store.stories.story(id)
            if story.status not in OVER:
                return story
    return None


def story_line(stage: Stage, story: Story, here: PageName, eyes: Perspective) -> None:
    """All that can be done with a story besides playing it, in one quiet line above the player.

    Who plays, and may not see everything, is led to nothing that would show it.
    """
    over, directs = story.status in OVER, allowed("direct")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        to_library(here)
        if here == "stage" and not over:
            seats(stage, story, eyes)
        if not eyes:
            compare_with(stage, story)
            share(stage, story)
        if story.status == "ended":
            if directs and st.query_params.get("view") == JUDGES:
                page_link(say("Back to the story"), "playback", here, story=story.id)
            elif directs:
                page_link(say("Judge"), "playback", here, story=story.id, view=JUDGES)
            page_link(say("Annotate"), "annotate", here, story=story.id)
            page_link(say("Rewritten parts"), "training", here, reflections=story.id)
        if here == "stage" and over:
            page_link(say("Playback"), "playback", here, story=story.id)
        if here == "playback" and not over and directs:
            page_link(say("Answer") if story.status == "cued" else say("On the Stage"), "stage", here, story=story.id)
        page_link(say("Start another story"), "stage", here, new="1")


def why_it_rests(stage: Stage, story: Story) -> None:
    """Why a story rests, where the player does not say it, and the choice that it waits for."""
    reason = translate(story.reason or "")
    match story.status:
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
                    "{why} Play from the command line stopped here. Continue the story when the endpoint is"
                    " available again.",
                    why=sentence(reason),
                )
            )
        case "waiting":
            quiet(say("{why} Continue the story when the endpoint is available again.", why=sentence(reason)))
        case "failed" | "mismatched":
            st.warning(plain(say("The story stopped: {reason}", reason=reason)), icon=":material/pause_circle:")
    if story.status == "mismatched":
        with st.container(horizontal=True):
            act(say("Reuse recorded replies"), lambda: stage.resume(story.id, "keep"), key="story-keep")
            act(say("Regenerate replies"), lambda: stage.resume(story.id, "ask"), key="story-ask")
