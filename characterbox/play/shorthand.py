"""Recollections in few letters, as there is one with each reply.

Their numbers come first, each told by how far it is from the one that it follows: a line of the prompt from where the
place before it ended, a clock and a round from those of the memory before it. Texts that stand nowhere else come behind
them, in a line of their own.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from json import dumps, loads
from typing import Any

from characterbox.varints import folded, packed, unfolded, unpacked

Where = int | tuple[tuple[int, int], ...] | str
"""Where a text is: at a line of the prompt, from 0; among what was left out of it, from -1 downwards; in pieces of its
messages, each with its first letter and its length; or here, where it can't be put together from them."""
Told = tuple[Where, int, int, int, int | None, bool]
"""A memory: where it is, how many alike stand in this line and those after it, their round, their clock, their
importance, and whether they were recalled."""

_LINE, _LEFT_OUT, _IN_PIECES, _HERE = range(4)
_GRADES = 11
"""Of importance: none, and 1 to 10."""


def shortened(clock: int, query: Sequence[Where], memories: Sequence[Told]) -> str:
    """A recollection in few letters."""
    numbers = [clock, len(query)]
    here = [where for where in (*query, *(memory[0] for memory in memories)) if isinstance(where, str)]
    line = moment = turn = 0
    for where in query:
        line = _put(numbers, where, line)
    for where, count, round, at, importance, recalled in memories:
        line = _put(numbers, where, line) + count - 1
        numbers.append(folded(at - moment) * 2 + (round != turn))
        if round != turn:
            numbers.append(folded(round - turn))
        numbers.append(((count - 1) * _GRADES + (importance or 0)) * 2 + recalled)
        moment, turn = at, round
    told = urlsafe_b64encode(packed(numbers)).decode()
    return f"{told}\n{dumps(here, ensure_ascii=False)}" if here else told


def lengthened(short: str) -> dict[str, Any]:
    """The clock, the query and the memories of a recollection. Raises ValueError if it is none."""
    told, _, texts = short.partition("\n")
    numbers, here = unpacked(urlsafe_b64decode(told)), _texts(texts)
    query: list[Where] = []
    memories: list[Told] = []
    line = moment = turn = 0
    try:
        clock = next(numbers)
        for _ in range(next(numbers)):
            where, line = _taken(next(numbers), numbers, here, line)
            query.append(where)
        for number in numbers:
            where, line = _taken(number, numbers, here, line)
            step = next(numbers)
            moment += unfolded(step // 2)
            turn += unfolded(next(numbers)) if step % 2 else 0
            what, recalled = divmod(next(numbers), 2)
            more, importance = divmod(what, _GRADES)
            line += more
            memories.append((where, more + 1, turn, moment, importance or None, bool(recalled)))
    except StopIteration:
        raise ValueError("it ends too early") from None
    return {"clock": clock, "query": query, "memories": memories}


def _texts(line: str) -> Iterator[str]:
    texts = loads(line) if line else []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("its texts are none")
    return iter(texts)


def _put(numbers: list[int], where: Where, line: int) -> int:
    """Tell a place, given the line that would come next; gives the one after it."""
    if isinstance(where, str):
        numbers.append(_HERE)
    elif isinstance(where, tuple):
        numbers.append(len(where) * 4 + _IN_PIECES)
        numbers.extend(number for piece in where for number in piece)
    elif where < 0:
        numbers.append((-1 - where) * 4 + _LEFT_OUT)
    else:
        numbers.append(folded(where - line) * 4 + _LINE)
        return where + 1
    return line


def _taken(number: int, numbers: Iterator[int], here: Iterator[str], line: int) -> tuple[Where, int]:
    """The place that begins with a number, and the line after it."""
    value, kind = divmod(number, 4)
    if kind == _HERE:
        return next(here), line
    if kind == _IN_PIECES:
        return tuple([(next(numbers), next(numbers)) for _ in range(value)]), line
    if kind == _LEFT_OUT:
        return -1 - value, line
    where = line + unfolded(value)
    return where, where + 1
