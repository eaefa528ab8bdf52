"""What a story has cost, in words."""

from annotations.wording import say, say_count
from characterbox.store.call_costs import CallCosts, StoryCosts


def costs_line(costs: StoryCosts) -> str:
    """The counts in one line; what is zero is left out, but for the calls."""
    replies = costs.replies
    parts = [
        calls_told(replies.calls),
        say("{count:,} reused", count=replies.reused) if replies.reused else "",
        say("{count:,} by people", count=replies.by_people) if replies.by_people else "",
        say("{prompt:,} tokens in, {reply:,} out", prompt=replies.prompt_tokens, reply=replies.completion_tokens)
        if replies.prompt_tokens
        else "",
        price_told(replies) if replies.calls else "",
        say_count("{count:,} attempt repeated", "{count:,} attempts repeated", replies.retries)
        if replies.retries
        else "",
        say_count("{count:,} call unanswered", "{count:,} calls unanswered", costs.unanswered)
        if costs.unanswered
        else "",
        say_count("{count:,} degraded step", "{count:,} degraded steps", costs.degraded) if costs.degraded else "",
    ]
    return " · ".join(part for part in parts if part)


def price_told(costs: CallCosts) -> str:
    """The price, or for how many calls it is not known."""
    if costs.dollars is not None:
        return f"${costs.dollars:,.4f}" if 0 < costs.dollars < 1 else f"${costs.dollars:,.2f}"
    return say("no price known for {calls}", calls=calls_told(costs.unpriced))


def unanswered_told(number: int) -> str:
    """So many calls that have no reply, and what that may cost."""
    return say_count(
        "{count:,} call unanswered, which may be paid for twice",
        "{count:,} calls unanswered, which may be paid for twice",
        number,
    )


def calls_told(number: int) -> str:
    """So many calls."""
    return say_count("{count:,} call", "{count:,} calls", number)
