"""Costs in words: tokens in whole numbers, prices with the digits that tell them apart, time in its largest units."""

import math
from collections.abc import Iterable

from annotations.wording import say, to_say
from characterbox.store.spending import Model

IMPROVISED_TOKENS = to_say(
    "The prompts are real, their tokens counted roughly; the replies, and their tokens, prices and times, are not those"
    " of a language model"
)
SECONDS = to_say(
    "Time is spent waiting for replies, one after the other: where calls run side by side, a scene takes less."
)


def count(value: float) -> str:
    """A number of tokens or calls on average."""
    return f"{value:,.0f}"


def dollars(value: float, beside: float | None = None) -> str:
    """A price without its sign: two decimals from one dollar on, four below, more where only they tell something.

    A deviation stands beside its mean, and has as many decimals.
    """
    leading = value if beside is None else beside
    if leading >= 1 or leading == 0:
        return f"{value:,.2f}"
    return f"{value:,.{min(12, max(4, 1 - math.floor(math.log10(leading))))}f}"


def seconds(value: float) -> str:
    """A time."""
    if value < 59.5:
        return say("{seconds:.1f} s", seconds=value)
    if value < 59.95 * 60:
        return say("{minutes:.1f} min", minutes=value / 60)
    hours, rest = divmod(round(value / 60), 60)
    return say("{hours:,} h {minutes} min", hours=hours, minutes=rest) if rest else say("{hours:,} h", hours=hours)


def names(models: Iterable[Model]) -> str:
    """The names of models."""
    return say(", ").join(model.name for model in models) or say("nobody")
