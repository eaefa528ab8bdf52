"""What a story has cost, and what went wrong: one quiet line, and the details behind it."""

import streamlit as st

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
            st.caption("Its judges")
            facts(details(judges))


def line(costs: Costs) -> str:
    """The counts in one line; what is zero is left out, but for the calls."""
    parts = [
        _many(costs.calls, "call"),
        f"{costs.reused:,} reused" if costs.reused else "",
        f"{costs.by_people:,} by people" if costs.by_people else "",
        f"{costs.prompt_tokens:,} tokens in, {costs.completion_tokens:,} out" if costs.prompt_tokens else "",
        _price(costs) if costs.calls else "",
        _many(costs.retries, "attempt", "repeated") if costs.retries else "",
        _many(costs.unanswered, "call", "unanswered") if costs.unanswered else "",
        _many(costs.degraded, "degraded step") if costs.degraded else "",
    ]
    return " · ".join(part for part in parts if part)


def details(costs: Costs) -> dict[str, str]:
    """All counts, in words."""
    told = {
        "Replies by models": f"{costs.calls:,}",
        "Taken over from another story": f"{costs.reused:,}, which cost nothing" if costs.reused else "0",
        "Written or edited by people": f"{costs.by_people:,}",
        "Prompt tokens": _tokens(costs),
        "Reply tokens": f"{costs.completion_tokens:,}",
        "Price": _price(costs),
        "Attempts repeated": f"{costs.retries:,}",
        "What went wrong with them": ", ".join(f"{what} ({count:,})" for what, count in sorted(costs.troubles.items())),
        "Calls without a reply": f"{costs.unanswered:,}, which may have been paid for" if costs.unanswered else "none",
        "Degraded steps": f"{costs.degraded:,}",
    }
    return {name: what for name, what in told.items() if what}


def _tokens(costs: Costs) -> str:
    told = f"{costs.prompt_tokens:,}"
    if costs.cached_tokens and costs.prompt_tokens:
        told += f", {costs.cached_tokens / costs.prompt_tokens:.0%} of them served from a cache"
    return told + (f"; {_many(costs.uncounted, 'call')} did not tell theirs" if costs.uncounted else "")


def _price(costs: Costs) -> str:
    if costs.price is not None:
        return f"${costs.price:,.4f}" if 0 < costs.price < 1 else f"${costs.price:,.2f}"
    return f"no price known for {_many(costs.unpriced, 'call')}"


def _many(count: int, what: str, how: str = "") -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}{f' {how}' if how else ''}"
