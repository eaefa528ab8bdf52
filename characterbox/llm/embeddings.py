"""Vectors of texts by an embedding model, journaled like replies: no text of a story is asked for twice.

A reply of an embedding model stands in the journal of its story: its messages are the texts, one each, its text holds
their vectors. What is looked up is the text, not the place: a vector depends on the text and the model alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from characterbox.errors import ContextOverflow, EndpointError
from characterbox.llm.asking import Asker, Doorkeeper
from characterbox.llm.calls.answers import Completion
from characterbox.llm.endpoint import EMBEDDER, Endpoint
from characterbox.llm.journal import Journal, Reply
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.vectors import Vector, unpacked_vectors
from characterbox.pause_reasons import Reason, at_endpoint
from characterbox.values import Language

EMBEDDINGS = "embeddings/"
"""What the paths of all replies of embedding models begin with, before their numbers in the story, from 1."""
_AT_ONCE = 32
"""Texts that are asked for at once; fewer where the endpoint takes fewer."""
_FEWEST = 16
"""Characters of a text that any model has room for."""


def texts_in(reply: Reply) -> list[str]:
    """The texts that a reply is about; of one that was too long, the whole text."""
    texts = [message.content for message in reply.messages]
    return [texts[0] + reply.dropped[0], *texts[1:]] if texts and reply.dropped else texts


def vectors_in(reply: Reply) -> dict[str, Vector]:
    """The vectors of a reply, by text. Raises ValueError if there are none in it."""
    texts = texts_in(reply)
    if not texts:
        raise ValueError("it is about no text")
    return dict(zip(texts, unpacked_vectors(reply.text, len(texts)), strict=True))


def one_size(vectors: Iterable[Vector]) -> int | None:
    """How many numbers each of these vectors has; None if there are none. Raises ValueError if they differ."""
    sizes = {len(vector) for vector in vectors}
    if len(sizes) > 1:
        raise ValueError(f"vectors of one model have {' and '.join(map(str, sorted(sizes)))} numbers")
    return next(iter(sizes), None)


class Embedder(Protocol):
    """Gets the vectors of texts from an embedding model."""

    @property
    def model(self) -> str:
        """The name of the model."""

    async def __call__(self, texts: Sequence[str], path: str) -> Mapping[str, Vector]:
        """The vectors of texts, by text, for the step at a path.

        Raises EndpointError, and Interlude when the story rests first.
        """


@dataclass
class EmbeddingRecord:
    """What the journal of a story, and that of the one it branches off, hold of an embedding model."""

    endpoint: Endpoint
    vectors: dict[str, Vector] = field(default_factory=dict)
    """By text."""
    last: int = 0
    """The number of the last reply of any embedding model in the story's own journal."""
    parent: Mapping[str, Reply] = field(default_factory=dict)
    """The replies of the story that this one branches off, by each text that they are about."""

    @classmethod
    def of(cls, endpoint: Endpoint, own: Iterable[Reply], parent: Iterable[Reply] = ()) -> "EmbeddingRecord":
        """The record of one endpoint's model in these replies. Raises ValueError if one of the story's own holds no
        vectors, or vectors of another size."""
        record = cls(endpoint)
        for reply in own:
            record.last = max(record.last, int(reply.path.removeprefix(EMBEDDINGS)))
            if reply.endpoint.model == endpoint.model:
                record.vectors |= vectors_in(reply)
        one_size(record.vectors.values())
        record.parent = {
            text: reply for reply in parent if reply.endpoint.model == endpoint.model for text in texts_in(reply)
        }
        return record

    def knows(self, text: str) -> bool:
        """Whether the vector of a text is there, or can be taken over."""
        return text in self.vectors or text in self.parent

    def known(self, texts: Iterable[str]) -> dict[str, Vector]:
        """The vectors of texts that it knows. Raises ValueError if a reply of the other story can't be read."""
        wanted, inherited = [*texts], dict[str, Vector]()
        for text in wanted:
            if text not in self.vectors and text not in inherited:
                inherited |= vectors_in(self.parent[text])
        return {text: self.vectors[text] if text in self.vectors else inherited[text] for text in wanted}

    def next_path(self) -> str:
        """Where the next reply stands."""
        return f"{EMBEDDINGS}{self.last + 1}"

    def add(self, reply: Reply) -> None:
        """Take in a reply. Raises EndpointError if its vectors are of another size than those before."""
        new = vectors_in(reply)
        known, size = next(iter(self.vectors.values()), None), len(next(iter(new.values())))
        if known is not None and len(known) != size:
            raise EndpointError(at_endpoint(self.endpoint, Reason("other_size", now=size, before=len(known))))
        self.vectors |= new
        self.last += 1


@dataclass
class JournaledEmbedder:
    """Gets vectors on behalf of one story, over its journal: the `Embedder` that stories are played with."""

    journal: Journal
    record: EmbeddingRecord
    client: Asker
    door: Doorkeeper
    parent: str | None
    """The story that this one branches off."""
    language: Language
    _at_once: int = _AT_ONCE
    _asked: str = ""
    """Where it was marked last that a call is about to leave."""

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.record.endpoint.model

    async def __call__(self, texts: Sequence[str], path: str) -> Mapping[str, Vector]:
        """The vectors of texts: recorded, taken over from the story that this one branches off, or asked for."""
        for text in texts:
            if text not in self.record.vectors and (reply := self.record.parent.get(text)) is not None:
                self._add(replace(reply, path=self.record.next_path(), take=0, origin=reply.origin or self.parent))
        missing = [text for text in texts if text not in self.record.vectors]
        while missing:
            some, missing = missing[: self._at_once], missing[self._at_once :]
            await self._ask(some, path)
        return self.record.known(texts)

    async def _ask(self, texts: Sequence[str], path: str) -> bool:
        """Ask for the vectors of texts, and record them; whether they were too much at once.

        Then both halves are asked for; where neither is too much, it was for their number, and no more than that are
        asked for from then on. One text that is too long makes any number of texts too much.
        """
        request = embedding_request(texts, path, self.language)
        async with self.door.admitted(request, self.record.endpoint):
            await self._mark(self.record.next_path())
            try:
                request, completion = await self._complete(request)
            except ContextOverflow:
                if len(texts) == 1:
                    raise
            else:
                self._add(_reply(request, self.record, completion))
                return bool(request.dropped)
        half = len(texts) // 2
        refused = [await self._ask(part, path) for part in (texts[:half], texts[half:])]
        if not any(refused):
            self._at_once = min(self._at_once, len(texts) - half)
        return True

    async def _mark(self, path: str) -> None:
        """Mark that a call is about to leave; what was refused for its size is asked for under the same mark."""
        if path != self._asked:
            await self.journal.asked(path, 0)
            self._asked = path

    async def _complete(self, request: Request) -> tuple[Request, Completion]:
        """The answer, and what was asked: of a single text that is too long, as much of its beginning as there is room
        for."""
        while True:
            try:
                completion = await self.client.complete(
                    self.record.endpoint, request, seed=0, on_token=None, urgent=self.door.urgent
                )
            except ContextOverflow:
                kept = request.messages[0].content
                if len(request.messages) > 1 or len(kept) < 2 * _FEWEST:
                    raise
                shorter = embedding_request([kept[: len(kept) // 2]], request.path, self.language)
                rest = kept[len(kept) // 2 :] + "".join(request.dropped)
                request = replace(shorter, dropped=(rest,))
            else:
                return request, completion

    def _add(self, reply: Reply) -> None:
        self.record.add(reply)
        self.journal.answered(reply)


def embedding_request(texts: Sequence[str], path: str, language: Language) -> Request:
    """The request for the vectors of texts, for the step at a path."""
    messages = tuple(ChatMessage("user", text) for text in texts)
    return Request(path, EMBEDDER, language, messages, embeds=True)


def _reply(request: Request, record: EmbeddingRecord, completion: Completion) -> Reply:
    return Reply(
        path=record.next_path(),
        take=0,
        digest=request.digest(0),
        messages=request.messages,
        text=completion.text,
        author="model",
        endpoint=record.endpoint,
        usage=completion.usage,
        finish_reason=completion.finish_reason,
        dropped=request.dropped,
    )
