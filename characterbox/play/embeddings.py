"""Recall by meaning: what characters may remember in a round is measured by an embedding model as the round begins."""

import asyncio
from collections.abc import Collection

from characterbox.llm.embeddings import Embedder
from characterbox.llm.vectors import Vector
from characterbox.play.questions import Character
from characterbox.play.world import Chronicle


class Embeddings:
    """The vectors of what the characters of a story remember, each text once, whoever remembers it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._asking = asyncio.Lock()
        self.vectors: dict[str, Vector] = {}
        """By text."""

    @property
    def model(self) -> str:
        """The name of the embedding model."""
        return self._embedder.model

    async def measure(self, characters: Collection[Character], now: Chronicle, path: str) -> None:
        """Get what the characters need to be asked in the round under way, for the step at a path.

        All that begin a round together are measured at once. Raises EndpointError, and Interlude when the story rests.
        """
        async with self._asking:
            texts = dict.fromkeys(text for character in characters for text in character.unmeasured(now))
            if missing := [text for text in texts if text not in self.vectors]:
                self.vectors |= await self._embedder(missing, path)
