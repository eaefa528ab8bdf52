"""What a story has cost, and what went wrong: one quiet line, and the details behind it."""

import streamlit as st

from annotations.wording import say, say_count
from characterbox.stage.stage import Stage
from characterbox.store.costs import Costs
from characterbox.store.stories import Story
from pages.parts.facts import facts
from pages.parts.look import plain

EVERY = 3.0
"""Seconds between two counts of a story that is being played."""


def counts(stage: Stage, story: Story) -> None:
    """The counts of a story, kept up while it is played."""
    st.fragment(_counts, run_every=EVERY if story.status == "running" else None)(stage, story.id)


def _counts(stage: Stage, id: str) -> None:
    costs = stage.store.stories.costs(id)
    judges = stage.store.stories.costs(id, "judges")
    with st.popover(plain(line(costs)), type="tertiary", key=f"counts-{id}"):
        facts(details(costs))
        if judges.calls or judges.unanswered:
            st.caption(say("Its judges"))
            facts(details(judges))


def line(costs: Costs) -> str:
    """The counts in one line; what is zero is left out, but for the calls."""
    parts = [
        _calls(costs.calls),
        say("{count:,} reused", count=costs.reused) if costs.reused else "",
        say("{count:,} by people", count=costs.by_people) if costs.by_people else "",
        say("{prompt:,} tokens in, {reply:,} out", prompt=costs.prompt_tokens, reply=costs.completion_tokens)
        if costs.prompt_tokens
        else "",
        _price(costs) if costs.calls else "",
        say_count("{count:,} attempt repeated", "{count:,} attempts repeated", costs.retries) if costs.retries else "",
        say_count("{count:,} call unanswered", "{count:,} calls unanswered", costs.unanswered)
        if costs.unanswered
        else "",
        say_count("{count:,} degraded step", "{count:,} degraded steps", costs.degraded) if costs.degraded else "",
    ]
    return " · ".join(part for part in parts if part)


def details(costs: Costs) -> dict[str, str]:
    """All counts, in words."""
    troubles = (say("{what} ({count:,})", what=what, count=count) for what, count in sorted(costs.troubles.items()))
    told = {
        say("Replies by models"): f"{costs.calls:,}",
        say("Taken over from another story"): say("{count:,}, which cost nothing", count=costs.reused)
        if costs.reused
        else "0",
        say("Written or edited by people"): f"{costs.by_people:,}",
        say("Prompt tokens"): _tokens(costs),
        say("Reply tokens"): f"{costs.completion_tokens:,}",
        say("Price"): _price(costs),
        say("Attempts repeated"): f"{costs.retries:,}",
        say("What went wrong with them"): say(", ").join(troubles),
        say("Calls without a reply"): say("{count:,}, which may have been paid for", count=costs.unanswered)
        if costs.unanswered
        else say("none"),
        say("Degraded steps"): f"{costs.degraded:,}",
    }
    return {name: what for name, what in told.items() if what}


def _tokens(costs: Costs) -> str:
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


def _price(costs: Costs) -> str:
    if costs.price is not None:
        return f"${costs.price:,.4f}" if 0 < costs.price < 1 else f"${costs.price:,.2f}"
    return say("no price known for {calls}", calls=_calls(costs.unpriced))


def _calls(number: int) -> str:
    return say_count("{count:,} call", "{count:,} calls", number)
