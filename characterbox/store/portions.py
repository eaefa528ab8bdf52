"""So many at once as a statement takes."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def portions(things: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """The things in order, at most so many at a time."""
    for start in range(0, len(things), most):
        yield things[start : start + most]
