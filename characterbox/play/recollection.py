"""What an agent was told to remember as it was asked: written down with the reply, and read again for people.

Of each memory only the place in the prompt is written down, as its text stands there already. How useful it was is
not: that follows from the texts, and could not change without changing which memories come back, and so the prompts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from json import dumps
from typing import Annotated, Any

from pydantic import Field, ValidationError

from characterbox.llm.request import Message
from characterbox.play.events import Importance
from characterbox.play.memory import Memory, weighed
from characterbox.values import Value

_Count = Annotated[int, Field(ge=0, lt=2**31)]
_Some = Annotated[int, Field(ge=1, le=1000)]
_Where = Annotated[int, Field(ge=-(2**31), lt=2**31)] | str
"""Where a text is: at a line of the prompt, from 0; among what was left out of it, from -1 downwards; or here, where it
does not stand there word for word."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that a request tells its agent of, and how useful it was then: each part between 0 and 1."""

    text: str
    round: int
    """The round in which it was perceived."""
    relevance: float
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
    """In the order in which they are shown: where a memory is, how many alike stand in this line and those after it,
    their round, their clock, their importance, and whether they were recalled."""

    @property
    def stored(self) -> str:
        """It as it is stored."""
        return self.model_dump_json()


class Prompt:
    """The lines of the question that a request puts, and what was left out of it."""

    def __init__(self, messages: Sequence[Message], dropped: Sequence[str]) -> None:
        content = next((message.content for message in messages if message.role == "user"), "")
        self._lines = content.split("\n")
        self._dropped = dropped

    def where(self, text: str) -> int | str:
        """Where a text stands in it; the text itself where it can't be read from there."""
        long = "\n" in text
        at = self._numbers.get("- " + (text.partition("\n")[0] if long else text))
        if at is None or ((long or self._goes_on(at)) and self._line(at) != text):
            return text
        return at

    def text(self, where: int | str) -> str:
        """The text that stands there. Raises ValueError if there is none."""
        if isinstance(where, str):
            return where
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

    def _goes_on(self, at: int) -> bool:
        """Whether the line after this one is a further one of the same text."""
        return at + 1 < len(self._lines) and self._lines[at + 1][:2] == "  "

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {line: number for number, line in enumerate(self._lines)}


def recollection(
    prompt: Prompt, clock: int, query: Sequence[str], memories: Sequence[tuple[Memory, bool, int | None]]
) -> str:
    """A recollection as it is stored. Each memory comes with whether it was recalled, and with its number among those
    that were left out, None if it was not."""
    told: list[tuple[Any, ...]] = []
    known, first, count = None, 0, 0
    for one, recalled, out in memories:
        where = prompt.where(one.text) if out is None else -1 - out
        alike = (one.round, one.clock, one.importance, int(recalled))
        if alike == known and where == first + count and first >= 0:
            count += 1
            told[-1] = (first, count, *alike)
        else:
            told.append((where, 1, *alike))
            known, first, count = alike, where if isinstance(where, int) else -1, 1
    content = {"clock": clock, "query": [prompt.where(text) for text in query], "memories": told}
    return dumps(content, ensure_ascii=False, separators=(",", ":"))


def remembered(recollected: str, messages: Sequence[Message], dropped: Sequence[str]) -> list[Remembered]:
    """What was remembered for a reply with these messages, and without those memories that were dropped.

    Raises ValueError if the recollection is none of theirs.
    """
    try:
        known = Recollection.model_validate_json(recollected)
    except ValidationError as error:
        raise ValueError("it is no recollection") from error
    prompt = Prompt(messages, dropped)
    found = [
        (Memory(round, clock, prompt.text(at), importance), recalled, isinstance(at, int) and at < 0)
        for where, count, round, clock, importance, recalled in known.memories
        for at in ([where] if isinstance(where, str) else range(where, where + count))
    ]
    uses = weighed((memory for memory, *_ in found), map(prompt.text, known.query), clock=known.clock)
    return [
        Remembered(memory.text, memory.round, use.relevance, use.recency, use.importance, use.score, recalled, left_out)
        for (memory, recalled, left_out), use in zip(found, uses, strict=True)
    ]
