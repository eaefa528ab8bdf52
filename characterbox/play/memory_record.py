"""What an agent was told to remember as it was asked: written down with the reply, in few bytes.

Of each memory only the place in the prompt is written down, as its text stands there already. How useful it was is
not: that follows from the texts, and could not change without changing which memories come back, and so the prompts.
Only where an embedding model measured the relevance, it is written down, with the model.

It is stored in few letters. The numbers come first, each told by how far it is from the one that it follows: a line of
the prompt from where the place before it ended, a clock and a round from those of the memory before it. Texts that
stand nowhere else come behind them, in a line of their own, and in a third line what an embedding model measured.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from json import dumps, loads
from typing import Annotated, Any

from pydantic import Field

from characterbox.llm.packed_numbers import folded, packed, unfolded, unpacked
from characterbox.llm.request import ChatMessage
from characterbox.play.events import Importance
from characterbox.play.memory import DIGITS, Memory, Recalled, weigh, weighed
from characterbox.play.settings import MemorySettings
from characterbox.values import Value

Where = int | tuple[tuple[int, int], ...] | str
"""Where a text is: at a line of the prompt, from 0; among what was left out of it, from -1 downwards; in pieces of its
messages, each with its first letter and its length; or here, where it can't be put together from them."""
Told = tuple[Where, int, int, int, int | None, bool]
"""A memory: where it is, how many alike stand in this line and those after it, their round, their clock, their
importance, and whether they were recalled."""

_LINE, _LEFT_OUT, _IN_PIECES, _HERE = range(4)
_GRADES = 11
"""Of importance: none, and 1 to 10."""
_STEPS = 10**DIGITS
"""Of a relevance, from 0 to 1."""


def shortened(
    clock: int, query: Sequence[Where], memories: Sequence[Told], model: str | None, relevances: Sequence[int]
) -> str:
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
    lines = [_letters(numbers)]
    if here or model is not None:
        lines.append(dumps(here, ensure_ascii=False))
    if model is not None:
        lines.append(dumps([model, _letters(relevances)], ensure_ascii=False))
    return "\n".join(lines)


def _letters(numbers: Iterable[int]) -> str:
    return urlsafe_b64encode(packed(numbers)).decode()


def lengthened(short: str) -> dict[str, Any]:
    """The clock, the query, the memories and the rest of a recollection. Raises ValueError if it is none."""
    told, texts, measured, *_ = f"{short}\n\n".split("\n")
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
    return {"clock": clock, "query": query, "memories": memories, **_measured(measured)}


def _measured(line: str) -> dict[str, Any]:
    if not line:
        return {}
    match loads(line):
        case [str(model), str(relevances)]:
            return {"model": model, "relevances": [*unpacked(urlsafe_b64decode(relevances))]}
        case _:
            raise ValueError("what was measured is not there")


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


_Count = Annotated[int, Field(ge=0, lt=2**31)]
_Some = Annotated[int, Field(ge=1, le=1000)]
_MOST_PIECES = 8
_Pieces = Annotated[tuple[tuple[_Count, _Count], ...], Field(max_length=_MOST_PIECES)]
_Where = Annotated[int, Field(ge=-(2**31), lt=2**31)] | _Pieces | str
"""As `Where`, and checked."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that a request tells its agent of, and how useful it was then: each part between 0 and 1."""

    text: str
    round: int
    """The round in which it was perceived."""
    relevance: float | None
    """None where it was not measured: an embedding model measures what is recalled alone."""
    recency: float
    importance: float | None
    """None where the narrator gave none."""
    score: float
    recalled: bool
    """Whether it had left the agent's record, and came back; else it still stood there."""
    left_out: bool
    """Whether the context window was too small for it."""


class Recollection(Value):
    """What there was to remember, as it is stored with the reply."""

    clock: _Count
    """The turn of the story in which it was asked."""
    query: tuple[_Where, ...]
    """What a memory had to do with to be of use."""
    memories: tuple[tuple[_Where, _Some, _Count, _Count, Importance | None, bool], ...]
    """Each as `Told`, in the order in which they are shown."""
    model: str | None = Field(default=None, exclude_if=lambda model: model is None)
    """The embedding model that measured the relevance; None where letters did."""
    relevances: tuple[Annotated[int, Field(ge=0, le=_STEPS)], ...] = Field(default=(), exclude_if=lambda told: not told)
    """Of each memory that was recalled, where a model measured it: in 10,000ths."""

    @classmethod
    def read(cls, stored: str) -> "Recollection":
        """It from what is stored, which once was what files of stories hold. Raises ValueError if it is none."""
        try:
            return cls.model_validate_json(stored) if stored[:1] == "{" else cls.model_validate(lengthened(stored))
        except ValueError as error:
            raise ValueError("it is no recollection") from error

    @property
    def stored(self) -> str:
        """It as it is stored."""
        return shortened(self.clock, self.query, self.memories, self.model, self.relevances)


class Prompt:
    """The texts that a request puts, and what was left out of it."""

    def __init__(self, messages: Sequence[ChatMessage], dropped: Sequence[str]) -> None:
        content = next((message.content for message in messages if message.role == "user"), "")
        self._lines = content.split("\n")
        self._whole = "\n".join(message.content for message in messages)
        self._dropped = dropped

    def where(self, text: str) -> Where:
        """Where a text stands in it; the text itself where it can't be read from there."""
        long = "\n" in text
        at = self._numbers.get("- " + (text.partition("\n")[0] if long else text))
        if at is None or ((long or self._goes_on(at)) and self._line(at) != text):
            return self._pieces(text) or text
        return at

    def text(self, where: Where) -> str:
        """The text that stands there. Raises ValueError if there is none."""
        if isinstance(where, str):
            return where
        if isinstance(where, tuple):
            if any(first + length > len(self._whole) for first, length in where):
                raise ValueError("a memory is not in the prompt")
            return "".join(self._whole[first : first + length] for first, length in where)
        if where < 0:
            if -where > len(self._dropped):
                raise ValueError("a memory that was left out is not there")
            return self._dropped[-1 - where]
        if where >= len(self._lines) or not self._lines[where].startswith("- "):
            raise ValueError("a memory is not in the prompt")
        return self._line(where)

    def _line(self, at: int) -> str:
        """The text that begins in a line: its further lines are moved in."""
        end = at
        while self._goes_on(end):
            end += 1
        return "\n".join(line[2:] for line in self._lines[at : end + 1])

    def _pieces(self, text: str) -> tuple[tuple[int, int], ...]:
        """The pieces of the messages that make a text, each as long as can be; none where it takes too many."""
        pieces: list[tuple[int, int]] = []
        done = 0
        while done < len(text):
            sizes = range(1, len(text) - done + 1)
            size = bisect_left(sizes, True, key=lambda size: text[done : done + size] not in self._whole)
            if not size or len(pieces) == _MOST_PIECES:
                return ()
            pieces.append((self._whole.index(text[done : done + size]), size))
            done += size
        return tuple(pieces)

    def _goes_on(self, at: int) -> bool:
        """Whether the line after this one is a further one of the same text."""
        return at + 1 < len(self._lines) and self._lines[at + 1][:2] == "  "

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {line: number for number, line in enumerate(self._lines)}


def recollection(
    prompt: Prompt,
    clock: int,
    query: Sequence[str],
    memories: Sequence[tuple[Memory, bool, int | None]],
    measured: tuple[str, Sequence[float]] | None = None,
) -> str:
    """A recollection as it is stored. Each memory comes with whether it was recalled, and with its number among those
    that were left out, None if it was not. `measured` are the embedding model and the relevance of each memory that was
    recalled; None where letters measured."""
    told: list[Told] = []
    known, first, count = None, 0, 0
    for one, recalled, out in memories:
        where = prompt.where(one.text) if out is None else -1 - out
        alike = (one.round, one.clock, one.importance, recalled)
        if alike == known and where == first + count and first >= 0:
            count += 1
            told[-1] = (first, count, *alike)
        else:
            told.append((where, 1, *alike))
            known, first, count = alike, where if isinstance(where, int) else -1, 1
    model, relevances = (None, ()) if measured is None else measured
    steps = [round(relevance * _STEPS) for relevance in relevances]
    return shortened(clock, [prompt.where(text) for text in query], told, model, steps)


def remembered(
    known: Recollection, messages: Sequence[ChatMessage], dropped: Sequence[str], settings: MemorySettings
) -> list[Remembered]:
    """What was remembered for a reply with these messages, and without those memories that were dropped.

    Raises ValueError if the recollection is none of theirs.
    """
    prompt = Prompt(messages, dropped)
    found = [
        (Memory(round, clock, prompt.text(at), importance), recalled, isinstance(at, int) and at < 0)
        for where, count, round, clock, importance, recalled in known.memories
        for at in (range(where, where + count) if isinstance(where, int) else [where])
    ]
    if known.model is None:
        memories = (memory for memory, *_ in found)
        uses = weighed(memories, map(prompt.text, known.query), clock=known.clock, settings=settings)
    else:
        uses = [*_as_measured(known, [(memory, recalled) for memory, recalled, _ in found], settings)]
    return [
        Remembered(memory.text, memory.round, use.relevance, use.recency, use.importance, use.score, recalled, left_out)
        for (memory, recalled, left_out), use in zip(found, uses, strict=True)
    ]


def _as_measured(
    known: Recollection, memories: Sequence[tuple[Memory, bool]], settings: MemorySettings
) -> Iterator[Recalled]:
    """How useful memories were, each told with whether it was recalled. Raises ValueError if not each was measured."""
    if sum(recalled for _, recalled in memories) != len(known.relevances):
        raise ValueError("a memory that was recalled was not measured")
    relevances = iter(known.relevances)
    for memory, recalled in memories:
        yield weigh(memory, next(relevances) / _STEPS if recalled else None, known.clock, settings)
