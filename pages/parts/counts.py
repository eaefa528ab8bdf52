"""What a story has cost, and what went wrong: one quiet line, and the details behind it.

While it is played, the player tells what it has cost so far.
"""

import streamlit as st

from annotations.wording import say, say_count
from characterbox.components.costs import costs_line, price_told
from characterbox.stage.stage import Stage
from characterbox.store.call_costs import CallCosts, StoryCosts
from characterbox.store.stories import Story
from pages.parts.facts import facts
from pages.parts.look import plain


def counts(stage: Stage, story: Story) -> None:
    """The counts of a story at rest."""
    if story.status == "running":
        return
    costs = stage.store.stories.costs(story.id)
    judges = stage.store.stories.costs(story.id, "judges")
    with st.popover(plain(costs_line(costs)), type="tertiary", key=f"counts-{story.id}"):
        facts(details(costs))
        if judges.replies.calls or judges.unanswered:
            st.caption(say("Its judges"))
            facts(details(judges))


def details(costs: StoryCosts) -> dict[str, str]:
    """All counts, in words."""
    replies = costs.replies
    troubles = (say("{what} ({count:,})", what=what, count=count) for what, count in sorted(costs.troubles.items()))
    told = {
        say("Replies by models"): f"{replies.calls:,}",
        say("Taken over from another story"): say("{count:,}, which cost nothing", count=replies.reused)
        if replies.reused
        else "0",
        say("Written or edited by people"): f"{replies.by_people:,}",
        say("Prompt tokens"): _tokens(replies),
        say("Reply tokens"): f"{replies.completion_tokens:,}",
        say("Price"): price_told(replies),
        say("Attempts repeated"): f"{replies.retries:,}",
        say("What went wrong with them"): say(", ").join(troubles),
        say("Calls without a reply"): say("{count:,}, which may have been paid for", count=costs.unanswered)
        if costs.unanswered
        else say("none"),
        say("Degraded steps"): f"{costs.degraded:,}",
    }
    return {name: what for name, what in told.items() if what}


def _tokens(costs: CallCosts) -> str:
    told = f"{costs.prompt_tokens:,}"
    if costs.cached_tokens and costs.prompt_tokens:
        cached = costs.cached_tokens / costs.prompt_tokens
        told = say("{tokens}, {cached:.0%} of them served from a cache", tokens=told, cached=cached)
    if costs.uncounted:
        told = say_count(
            "{tokens}; {count:,} call did not tell theirs",
            "{tokens}; {count:,} calls did not tell theirs",
            costs.uncounted,
            tokens=told,
        )
    return told
