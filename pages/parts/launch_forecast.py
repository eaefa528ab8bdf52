"""What a story will take, in words, before it is launched."""

from annotations.wording import say, say_count
from characterbox.stage.forecast import Forecast


def forecast_line(expected: Forecast) -> str:
    """Calls, tokens, price and time in one line; what is not known is said to be so."""
    calls = say_count("About {count:,} call", "About {count:,} calls", expected.calls)
    prompt, reply = _rough(expected.prompt_tokens), _rough(expected.completion_tokens)
    tokens = say("{prompt} tokens in, {reply} out", prompt=prompt, reply=reply)
    parts = [calls, tokens, _price(expected), _time(expected)]
    if expected.by_people:
        parts.insert(1, say_count("{count:,} reply by people", "{count:,} replies by people", expected.by_people))
    return " · ".join(parts)


def _rough(count: int) -> str:
    """A number as a forecast can know it: two digits of it."""
    return f"{float(f'{count:.2g}'):,.0f}"


def _price(expected: Forecast) -> str:
    if expected.price is None:
        return say("price not known")
    return say("about ${price:.2g}", price=expected.price) if expected.price else say("no price")


def _time(expected: Forecast) -> str:
    if expected.by_people:
        return say("at the pace of those who play")
    if expected.seconds is None:
        return say("time not known before these models have played")
    minutes = max(1, round(expected.seconds / 60))
    return say_count("about {count:,} minute", "about {count:,} minutes", minutes)
