"""What is asked of a model, and how an answer is had from it: ask, read, ask once more with the error shown."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from characterbox.errors import ReplyError
from characterbox.llm.problem_words import as_asked
from characterbox.llm.sampling import UNSENT, Sampling
from characterbox.prompts import render
from characterbox.values import Language

T = TypeVar("T")

SEEDS_APART = 1_000
"""Between the seeds of two draws of a question lie those of the takes of the first."""
NARRATOR = None
"""The agent of requests that go to the narrator."""
_BEGINNING, _END = 600, 200
"""Characters of a reply that could not be read which are shown to the one who is asked again."""
_LEFT_OUT = " [...] "
AGAIN = "/again"
"""Stands behind the path of a question that is put once more."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Form:
    """The JSON form that a structured reply shall have."""

    name: str
    schema: dict[str, Any]
    live: str | None = None
    """The field whose text is shown as it streams; None where nothing is shown before the whole reply is there."""

    @classmethod
    def of(cls, name: str, model: type[BaseModel], live: str | None = None) -> "Form":
        """The form of `model`, with every field required and no other allowed, as strict endpoints want it."""
        schema = model.model_json_schema()
        schema.pop("title", None)
        schema.pop("description", None)
        for described in schema["properties"].values():
            described.pop("title", None)
            described.pop("default", None)
        return cls(name, {**schema, "required": list(schema["properties"]), "additionalProperties": False}, live)


@dataclass(frozen=True, slots=True)
class Request:
    """A question with its place in a story."""

    path: str
    agent: str | None
    """The character that is asked; NARRATOR when the narrator is, the judge's name when a judge is."""
    language: Language
    messages: tuple[ChatMessage, ...]
    form: Form | None = None
    """The form of a structured reply; None when prose is wanted."""
    droppable: int = 0
    """How many memories can be left out when the context window is too small; a reply that could not be read is one."""
    drop: "Callable[[int], Request] | None" = field(default=None, compare=False, repr=False)
    """Gives the same question without so many of its memories, the least useful ones first."""
    dropped: tuple[str, ...] = ()
    """The memories that were left out."""
    remember: "Callable[[], str | None]" = field(default=lambda: None, compare=False, repr=False)
    """Gives, as it is stored with the reply, what the request tells of what was before, and what it leaves out; None
    where it tells of nothing, or was told with the question before."""
    sampling: Sampling = UNSENT
    """How the reply is drawn."""
    problem: str = ""
    """What was wrong with the reply before, if this asks once more."""
    embeds: bool = False
    """Whether vectors are wanted, one of each message, and no reply."""
    draw: int = 0
    """Which of several replies to the same question is wanted, from 0: each is drawn with a seed of its own."""

    @property
    def step(self) -> str:
        """The path of the step: the one that was asked first, also where it is asked once more."""
        return self.path[: -len(AGAIN)] if self.problem else self.path

    def without(self, count: int) -> "Request":
        """The same question without its `count` least useful memories. Raises ValueError if it has not so many."""
        if count == 0:
            return self
        if self.drop is None or not 0 < count <= self.droppable:
            raise ValueError(f"{self.path}: {count} memories to be left out, of {self.droppable}")
        return self.drop(count)

    def digest(self, seed: int) -> str:
        """A fingerprint of all that the reply may depend on, but for the model: messages, form, seed, sampling.

        What is left to the endpoint is not in it: replies of before there were such options keep theirs.
        """
        content = {
            "messages": [[message.role, message.content] for message in self.messages],
            "form": None if self.form is None else [self.form.name, self.form.schema],
            "seed": seed,
            **self.sampling.told,
            **({"embeds": True} if self.embeds else {}),
            **({"draw": self.draw} if self.draw else {}),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def again(self, error: ReplyError) -> "Request":
        """The same question once more, with what was wrong with the reply, and the reply itself, in short.

        Where the context window is too small, the reply is left out after all memories.
        """
        return self._again(error, 0)

    def _again(self, error: ReplyError, count: int) -> "Request":
        shorter, quoted = self.without(min(count, self.droppable)), _in_short(error.reply)
        left_out = count > self.droppable
        problem = as_asked(error)
        return replace(
            shorter,
            path=f"{self.path}{AGAIN}",
            problem=problem,
            messages=(
                *shorter.messages,
                ChatMessage("assistant", _LEFT_OUT if left_out else quoted),
                ChatMessage("user", render("again", self.language, problem=problem)),
            ),
            droppable=shorter.droppable + (not left_out),
            drop=lambda count: self._again(error, count),
            dropped=(*shorter.dropped, *([quoted] if left_out else [])),
            remember=lambda: None,
        )


def _in_short(reply: str) -> str:
    """The beginning and the end of a reply: what is wrong with it shows there."""
    if len(reply) <= _BEGINNING + _END:
        return reply
    return f"{reply[:_BEGINNING]}{_LEFT_OUT}{reply[-_END:]}"


Ask = Callable[[Request], Awaitable[str]]
"""Gets the raw text of the reply to a request: from the journal, a model or a person.

Raises EndpointError, and ReplyError when the reply came but was cut off.
"""


async def answer(
    ask: Ask, request: Request, read: Callable[[str], T], read_last: Callable[[str], T] | None = None
) -> T:
    """Ask, and read the reply; if it can't be read, ask once more with the error shown.

    `read_last`, if given, reads the second reply: with more indulgence, as there is no asking again. Raises ReplyError
    if the second reply can't be read either.
    """
    try:
        return read(await ask(request))
    except ReplyError as error:
        return (read_last or read)(await ask(request.again(error)))
