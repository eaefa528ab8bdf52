"""What stands where a figure would, had the ratings determined it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from annotations.errors import UndefinedStatistic

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Undefined:
    """Stands where a statistic would, had the ratings determined it."""

    reason: str


def or_undefined(statistic: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Undefined:
    """What the statistic gives, or why it is undefined."""
    try:
        return statistic(*args, **kwargs)
    except UndefinedStatistic as undefined:
        return Undefined(str(undefined))
