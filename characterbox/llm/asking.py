"""Asking on behalf of a story: from its record where the reply is known, else from a model, or from a person."""

from collections.abc import Collection
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Protocol

from characterbox.errors import ContextOverflow, Cue
from characterbox.llm.calls.answers import Completion
from characterbox.llm.calls.call import OnToken
from characterbox.llm.calls.connection import Urgent, never
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Found, Journal, Record, Reply
from characterbox.llm.request import SEEDS_APART, Request
from characterbox.llm.usage import estimate
from characterbox.pause_reasons import Reason


class Doorkeeper(Protocol):
    """Decides about the calls of a story before they leave."""

    people: Collection[str | None]
    """The agents that are played by a person; None is the narrator."""

    @property
    def on_token(self) -> OnToken | None:
        """Takes the pieces of replies, where somebody wants to see them."""

    def admitted(self, request: Request, endpoint: Endpoint) -> AbstractAsyncContextManager[None]:
        """Lets a call leave within it, as soon as it may, or raises Interlude: the story rests first."""

    def urgent(self) -> bool:
        """Whether somebody waits for the story, so that its calls go before others."""


class Asker(Protocol):
    """Gets replies from models: a `Client`, or what stands before one."""

    async def complete(
        self,
        endpoint: Endpoint,
        request: Request,
        *,
        seed: int,
        on_token: OnToken | None = None,
        urgent: Urgent = never,
    ) -> Completion:
        """The reply to a request; raises EndpointError."""

    def prompt_room(self, endpoint: Endpoint) -> int | None:
        """How many tokens a prompt may have; None when the context window is not known."""


class OpenDoor:
    """Lets every call leave at once: for judges, whom a person waits for."""

    people: Collection[str | None] = ()
    on_token: OnToken | None = None

    def admitted(self, request: Request, endpoint: Endpoint) -> AbstractAsyncContextManager[None]:
        """Lets a call leave at once."""
        return nullcontext()

    def urgent(self) -> bool:
        """A person has asked for the judgement."""
        return True


@dataclass(frozen=True, slots=True)
class JournaledAsk:
    """Asks on behalf of one story, over its journal: the `Ask` that stories and judges are played with."""

    journal: Journal
    record: Record
    client: Asker
    door: Doorkeeper

    async def __call__(self, request: Request) -> str:
        """The text of the reply.

        Raises EndpointError, RecordMismatch when a record belongs to another prompt, Interlude when the story rests
        here, and ReplyError when the reply, recorded or new, was cut off.
        """
        found = self.record.find(request)
        reply = found.reply
        if reply is None:
            reply = await self._ask(found)
        elif found.inherited:
            memory = _own_memory(found, reply)
            reply = replace(reply, origin=reply.origin or _story(self.record), memory=memory)
            self.journal.answered(reply)
        self.record.replies[request.path] = reply
        return reply.whole()

    async def _ask(self, found: Found) -> Reply:
        path, agent = found.request.path, found.request.agent
        if agent in self.door.people:
            raise Cue(Reason("person_asked", agent=agent or "the narrator", path=path), agent=agent)
        endpoint = self.record.endpoint_of(agent)
        fewer = _fitting(found.request, self.client.prompt_room(endpoint))
        async with self.door.admitted(fewer, endpoint):
            await self.journal.asked(path, found.take)
            request, completion = await self._complete(endpoint, found.request, fewer, found.take)
            digest = found.digest if request is found.request else request.digest(self.record.seed)
            reply = _reply(request, found.take, digest, endpoint, completion)
            self.journal.answered(reply)
        return reply

    async def _complete(
        self, endpoint: Endpoint, request: Request, fewer: Request, take: int
    ) -> tuple[Request, Completion]:
        """The reply, and the request as it fits into the context window: at first with as many memories as `fewer` has.

        Each take, and each draw, has a seed of its own: a model that honours seeds would give the same reply once more.
        """
        seed = self.record.seed + take + SEEDS_APART * request.draw
        while True:
            try:
                completion = await self.client.complete(
                    endpoint, fewer, seed=seed, on_token=self.door.on_token, urgent=self.door.urgent
                )
            except ContextOverflow as error:
                fewer = _shorter(request, fewer, self.client.prompt_room(endpoint), error)
            else:
                return fewer, completion


class NotAsked(Exception):
    """A record has no reply to this."""


class RecordedAsk:
    """Answers from a record alone: the `Ask` with which it is seen how far something has come."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self.found: dict[str, tuple[Request, Reply]] = {}
        """What was asked so far, by path, and the reply to it."""

    async def __call__(self, request: Request) -> str:
        """The text of the reply. Raises NotAsked, RecordMismatch, and ReplyError when it was cut off."""
        found = self._record.find(request)
        if found.reply is None:
            raise NotAsked
        self.found[request.path] = found.request, found.reply
        return found.reply.whole()


def _fitting(request: Request, room: int | None) -> Request:
    """The request without as many memories as the room, in tokens, asks for; without any if it can't be made to fit."""
    if room is None or estimate(request.messages) <= room:
        return request
    low, high = 0, request.droppable
    while low < high:
        middle = (low + high) // 2
        if estimate(request.without(middle).messages) <= room:
            high = middle
        else:
            low = middle + 1
    return request.without(low)


def _shorter(request: Request, fewer: Request, room: int | None, error: ContextOverflow) -> Request:
    """The request with less than was too long: as the window asks for, if it is known by now, else half of the rest.

    Raises ContextOverflow if there is nothing left to drop.
    """
    gone = len(fewer.dropped)
    if gone == request.droppable:
        raise ContextOverflow(Reason("nothing_to_drop", what=Reason.of(error), path=request.path)) from error
    fitting = _fitting(request, room)
    return fitting if len(fitting.dropped) > gone else request.without(gone + (request.droppable - gone + 1) // 2)


def _reply(request: Request, take: int, digest: str, endpoint: Endpoint, completion: Completion) -> Reply:
    return Reply(
        path=request.path,
        take=take,
        digest=digest,
        messages=request.messages,
        text=completion.text,
        author="model",
        endpoint=endpoint,
        usage=completion.usage,
        finish_reason=completion.finish_reason,
        dropped=request.dropped,
        memory=request.remember(),
    )


def _own_memory(found: Found, reply: Reply) -> str | None:
    """What was remembered for a reply. What today's prompt tells is not that of a reply kept although it answers
    another one."""
    if reply.memory is None and reply.digest == found.digest:
        return found.request.remember()
    return reply.memory


def _story(record: Record) -> str | None:
    return None if record.parent is None else record.parent.story
