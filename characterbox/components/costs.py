"""What a story has cost, in words."""

from annotations.wording import say, say_count
from characterbox.store.costs import Costs


def costs_line(costs: Costs) -> str:
    """The counts in one line; what is zero is left out, but for the calls."""
    parts = [
        calls_told(costs.calls),
        say("{count:,} reused", count=costs.reused) if costs.reused else "",
        say("{count:,} by people", count=costs.by_people) if costs.by_people else "",
        say("{prompt:,} tokens in, {reply:,} out", prompt=costs.prompt_tokens, reply=costs.completion_tokens)
        if costs.prompt_tokens
        else "",
        price_told(costs) if costs.calls else "",
        say_count("{count:,} attempt repeated", "{count:,} attempts repeated", costs.retries) if costs.retries else "",
        say_count("{count:,} call unanswered", "{count:,} calls unanswered", costs.unanswered)
        if costs.unanswered
        else "",
        say_count("{count:,} degraded step", "{count:,} degraded steps", costs.degraded) if costs.degraded else "",
    ]
    return " · ".join(part for part in parts if part)


def price_told(costs: Costs) -> str:
    """The price, or for how many calls it is not known."""
    if costs.price is not None:
        return f"${costs.price:,.4f}" if 0 < costs.price < 1 else f"${costs.price:,.2f}"
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
