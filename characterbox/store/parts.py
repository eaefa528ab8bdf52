"""How prompts are taken apart into lines, and how the places of those lines are written in a few bytes.

Prompts of a story repeat each other nearly word for word. Each different line is stored once, under a number; a prompt
is the list of its numbers, written as runs of numbers that follow each other.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from characterbox.varints import folded, packed, unfolded, unpacked

Role = Literal["system", "user", "assistant"]

_ROLES: tuple[Role, ...] = ("system", "user", "assistant")
"""A role is stored as its place in this list; a new one goes to its end."""
_LINE = re.compile(r"\n*[^\n]+|\n+")
"""A line with all line ends before it: so the last line of a prompt is the same part once another one follows."""

Numbered = Sequence[tuple[Role, Sequence[int]]]
"""Messages: the role of each, and the numbers of its parts."""


def parts_of(text: str) -> list[str]:
    """The parts of a text; joined, they are the text."""
    return _LINE.findall(text)


def pack(messages: Numbered) -> bytes:
    """The messages in a few bytes.

    For each its role, how many runs it has, and for each run how far its first number is from where the run before
    ended, and its length.
    """
    values: list[int] = []
    expected = 0
    for role, numbers in messages:
        runs = list(_runs(numbers))
        values += _ROLES.index(role), len(runs)
        for first, length in runs:
            values += folded(first - expected), length
            expected = first + length
    return packed(values)


def unpack(raw: bytes) -> list[tuple[Role, list[int]]]:
    """The messages that were packed."""
    messages: list[tuple[Role, list[int]]] = []
    values = unpacked(raw)
    expected = 0
    for role in values:
        numbers: list[int] = []
        for _ in range(next(values)):
            step, length = next(values), next(values)
            first = expected + unfolded(step)
            expected = first + length
            numbers.extend(range(first, expected))
        messages.append((_ROLES[role], numbers))
    return messages


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first number and the length of each run of numbers that follow each other."""
    if not numbers:
        return
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last - first + 1
            first = number
        last = number
    yield first, last - first + 1
