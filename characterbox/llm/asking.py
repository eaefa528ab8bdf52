"""Asking on behalf of a story: from its journal where the reply is recorded, else from a model."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from characterbox.errors import RecordMismatch, ReplyError
from characterbox.llm.client import Client, OnToken
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Journal, Reply
from characterbox.llm.request import Request

OnMismatch = Literal["stop", "keep", "ask"]
"""What to do with a recorded reply whose prompt is not the one that is asked now."""


@dataclass
class JournaledAsk:
    """Asks on behalf of one story, over its journal: the `Ask` that stories and judges are played with."""

    story: str
    journal: Journal
    client: Client
    endpoint_of: Callable[[str | None], Endpoint]
    """Tells the endpoint of an agent; None is the narrator."""
    seed: int
    recorded: dict[str, Reply]
    on_mismatch: OnMismatch = "stop"
    on_token: OnToken | None = None
    calls: int = field(default=0, init=False)
    """How many replies were asked of a model, not taken from the journal."""

    async def __call__(self, request: Request) -> str:
        """The text of the reply.

        Raises EndpointError, RecordMismatch when a record belongs to another prompt, and ReplyError when the reply,
        recorded or new, was cut off.
        """
        digest = request.digest(self.seed)
        record = self.recorded.get(request.path)
        take = 0
        if record is not None:
            if self.on_mismatch == "keep" or (fault := self._fault(record, request, digest)) is None:
                return _whole(record)
            if self.on_mismatch == "stop":
                raise RecordMismatch(f"the reply recorded at {request.path} {fault}", path=request.path)
            take = record.take + 1
        reply = await self._ask(request, digest, take)
        self.recorded[request.path] = reply
        return _whole(reply)

    def _fault(self, record: Reply, request: Request, digest: str) -> str | None:
        """Why a record is no answer to the request; None when it is one."""
        model = self.endpoint_of(request.agent).model
        if record.digest != digest:
            return "answers another prompt than the one asked now"
        if record.author == "model" and record.endpoint.model != model:
            return f"was given by {record.endpoint.model}, not by {model}"
        return None

    async def _ask(self, request: Request, digest: str, take: int) -> Reply:
        endpoint = self.endpoint_of(request.agent)
        await self.journal.asked(self.story, request.path, take)
        completion = await self.client.complete(endpoint, request, seed=self.seed, on_token=self.on_token)
        self.calls += 1
        reply = Reply(
            path=request.path,
            take=take,
            digest=digest,
            messages=request.messages,
            text=completion.text,
            author="model",
            endpoint=endpoint,
            attempts=completion.attempts,
            latency=completion.latency,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            cached_tokens=completion.cached_tokens,
            finish_reason=completion.finish_reason,
        )
        await self.journal.answered(self.story, reply)
        return reply


def _whole(reply: Reply) -> str:
    """The text of a reply that came to its end; what a person wrote always did."""
    if reply.author == "model" and reply.finish_reason == "length":
        tokens = "" if reply.completion_tokens is None else f" after {reply.completion_tokens} tokens"
        raise ReplyError(f"the reply was cut off{tokens}; be briefer", reply=reply.text)
    return reply.text
