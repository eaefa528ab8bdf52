"""What can go wrong, as one small tree; and what stands where a figure is undefined.

AnnotationError
├── RatingError          a rubric, a rating or a file of ratings cannot be used
│   ├── FaultyFile       a TOML file that people write has faults, each with its line (see `rubric_file`)
│   └── EncodingError    it is not certain in which encoding a text file is, or it is not in the one that is named
└── UndefinedStatistic   the ratings do not determine the statistic

Messages say what was wrong, where, and what to do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from annotations.i18n.messages import Message, MessageError


class AnnotationError(MessageError):
    """The base of all errors of this package."""


class RatingError(AnnotationError):
    """A rubric, a rating or a file of ratings cannot be used; the message names the place and the remedy."""


class EncodingError(RatingError):
    """A text file is not in the encoding that is named, or none is named and none is certain."""


class UndefinedStatistic(AnnotationError):
    """The ratings do not determine the statistic; the message is the reason, fit to be shown in its place."""


P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Undefined:
    """Stands where a statistic would, had the ratings determined it."""

    reason: Message


def or_undefined(statistic: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Undefined:
    """What the statistic gives, or why it is undefined."""
    try:
        return statistic(*args, **kwargs)
    except UndefinedStatistic as undefined:
        return Undefined(undefined.message)
