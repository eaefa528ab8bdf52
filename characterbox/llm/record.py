"""The record of a story: which of the replies that are known answers a request.

One rule serves resume, branch, regenerate, edit and people who play: a reply is used where it answers the very same
prompt and was given by the model that is asked now; else the request has to be asked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from characterbox.errors import RecordMismatch
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Reply
from characterbox.llm.request import Request
from characterbox.reasons import Reason

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
