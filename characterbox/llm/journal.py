"""The journal: every reply a story received, by its place in the story, and which of them answers a request.

Resuming a story is playing it again over its journal. One rule serves resume, branch, regenerate, edit and people who
play: a reply is used where it answers the very same prompt and was given by the model that is asked now; else the
request has to be asked.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from characterbox.errors import RecordMismatch, ReplyError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.usage import NO_USAGE, Usage
from characterbox.pause_reasons import Reason

if TYPE_CHECKING:
    from characterbox.llm.embeddings import EmbeddingRecord

Author = Literal["model", "human", "edit"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One recorded reply."""

    path: str
    take: int
    """0 for the first reply at a path; each later take replaces the one before. Its seed is the story's plus this."""
    digest: str
    messages: tuple[ChatMessage, ...]
    text: str
    author: Author
    endpoint: Endpoint
    usage: Usage = NO_USAGE
    finish_reason: str | None = None
    dropped: tuple[str, ...] = ()
    """The memories that were left out of the prompt, as the context window is too small for all."""
    origin: str | None = None
    """The story that this reply was taken over from; None when it was asked, or written, for this one."""
    memory: str | None = field(default=None, compare=False)
    """What the prompt told of what was before, and what it left out (see `play.memory_record`); None where it was not
    written down, as in older stories, and where there is nothing of the kind, as for judges."""
    came_at: datetime | None = field(default=None, compare=False)
    """When it was recorded; None as long as it is not. For people: nothing in a story depends on it."""
    person: str | None = field(default=None, compare=False)
    """The account of the one who wrote it. None for models, where nobody signs in, where it is not known, and where
    several people wrote it. It stays in the database: no story file has it, and no reader is told."""

    def whole(self) -> str:
        """The text, if it came to its end; what a person wrote always did. Raises ReplyError if it was cut off."""
        if self.author == "model" and self.finish_reason == "length":
            raise ReplyError(_cut_off(self.usage.completion_tokens), reply=self.text)
        return self.text

    def edited(self, text: str, person: str | None) -> "Reply":
        """The next take, as the account `person` wrote it over.

        What other people wrote before is in it, too: then it is no one's alone, and names nobody.
        """
        alone = self.author == "model" or self.person == person
        return replace(
            self, take=self.take + 1, text=text, author="edit", usage=NO_USAGE, finish_reason=None, origin=None,
            came_at=None, person=person if alone else None,
        )  # fmt: skip


def _cut_off(after: int | None) -> Reason:
    """A reply did not come to its end, after so many tokens; None where that is not told."""
    match after:
        case None:
            return Reason("cut_off")
        case 1:
            return Reason("cut_off_after_one")
        case _:
            return Reason("cut_off_after", count=after)


class Journal(Protocol):
    """Where the replies of one story are written, by the one who holds the claim on it.

    Every write raises Superseded once somebody else has taken over. Writes are done in the order in which they are
    asked for: what one of them failed with that nobody waited for is raised by the next one.
    """

    async def asked(self, path: str, take: int) -> None:
        """Mark that a call is about to leave. No crash can lose any more what was written before."""

    def answered(self, reply: Reply) -> Awaitable[None]:
        """Record a reply; once this is awaited, no crash can lose it."""


OnMismatch = Literal["stop", "keep", "ask"]
"""What to do with a recorded reply whose prompt is not the one that is asked now."""

Anew = Literal["all", "this", "changed"]
"""What a branch asks anew from the place where it branches off: everything; the reply there, and what it changes; or
only what another prompt or model changes."""


@dataclass(frozen=True, slots=True)
class Inheritance:
    """The replies of the story that another one branches off, and which of them it takes over."""

    story: str
    replies: Mapping[str, Reply]
    """The last take of each, by path."""
    before: frozenset[str]
    """The paths of the events before the branch: kept, whoever the models are."""
    at: str
    """The path of the first event that may differ."""
    anew: Anew

    def reply(self, request: Request) -> Reply | None:
        """The reply to be taken over if prompt and model agree; None if the request is to be asked anew."""
        return None if self._asks_anew(request) else self.replies.get(request.path)

    def keeps(self, request: Request) -> bool:
        """Whether the place lies before the branch."""
        return request.step in self.before

    def _asks_anew(self, request: Request) -> bool:
        return not self.keeps(request) and (self.anew == "all" or (self.anew == "this" and request.step == self.at))


@dataclass(frozen=True, slots=True)
class Found:
    """A request as it is asked, and the reply that the record has to it."""

    request: Request
    """Without the memories that were left out when the reply was given."""
    digest: str
    reply: Reply | None
    take: int
    """The number that a new reply gets."""
    inherited: bool = False


@dataclass
class Record:
    """The replies of a story, its own and those it inherits."""

    replies: dict[str, Reply]
    """Its own, the last take of each, by path; whoever gets a new one adds it."""
    endpoint_of: Callable[[str | None], Endpoint]
    """Tells the endpoint of an agent; None is the narrator."""
    seed: int
    on_mismatch: OnMismatch = "stop"
    parent: Inheritance | None = None
    embeddings: "EmbeddingRecord | None" = None
    """What is known of the embedding model by which characters recall; None where letters measure."""
    anew: set[str] = field(default_factory=set)
    """Paths that are asked once more, whatever was replied; each leaves the set as it is found."""

    def find(self, request: Request) -> Found:
        """What is known of a request. Raises RecordMismatch where a record belongs to another prompt or model."""
        if (own := self.replies.get(request.path)) is not None:
            if request.path in self.anew:
                self.anew.discard(request.path)
                return Found(request, request.digest(self.seed), None, own.take + 1)
            return self._checked(request, own, strict=True)
        if self.parent is not None and (reply := self.parent.reply(request)) is not None:
            found = self._checked(request, reply, strict=self.parent.keeps(request))
            return replace(found, inherited=found.reply is not None)
        take = 0
        if self.parent is not None and (former := self.parent.replies.get(request.path)) is not None:
            take = former.take + 1
        return Found(request, request.digest(self.seed), None, take)

    def _checked(self, request: Request, reply: Reply, *, strict: bool) -> Found:
        """The reply if it answers the request; a strict record stops the story where it does not."""
        asked = _as_answered(request, reply)
        found = Found(asked, asked.digest(self.seed), reply, reply.take + 1)
        fault = self._fault(
            found, reply, whoever=strict and (reply.origin is not None or request.path not in self.replies)
        )
        if fault is None or (strict and self.on_mismatch == "keep"):
            return found
        if strict and self.on_mismatch == "stop":
            raise RecordMismatch(fault, path=request.path)
        return Found(request, request.digest(self.seed), None, reply.take + 1)

    def _fault(self, found: Found, reply: Reply, *, whoever: bool) -> Reason | None:
        """Why the reply is no answer to the request; None when it is one. `whoever`: the model does not matter."""
        model = self.endpoint_of(found.request.agent).model
        if reply.digest != found.digest:
            return Reason("other_prompt", path=found.request.path)
        if not whoever and reply.author == "model" and reply.endpoint.model != model:
            return Reason("other_model", path=found.request.path, before=reply.endpoint.model, now=model)
        return None


def _as_answered(request: Request, reply: Reply) -> Request:
    """The request without the memories that were left out when the reply was given."""
    count = len(reply.dropped)
    return request.without(count) if 0 < count <= request.droppable else request
