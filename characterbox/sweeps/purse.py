"""The purse of a sweep: what may still be spent, and how much may be asked side by side."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from contextlib import AsyncExitStack

from characterbox.errors import Interlude
from characterbox.llm.call import Completion, OnToken
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.gate import Urgent, never
from characterbox.llm.request import Request

SPENT = "the budget is spent"


class Purse:
    """Asks a client on behalf of a sweep. It belongs to one event loop."""

    def __init__(self, client: Client, parallel: Mapping[str, int], budget: float | None, spent: float) -> None:
        """`budget` and what was `spent` before are in US dollars; `parallel` bounds the calls under way by address."""
        self.spent = spent
        """US dollars, as far as prices are known."""
        self.calls = 0
        """Replies that came."""
        self.answering: set[str] = set()
        """The addresses that have replied."""
        self._client = client
        self._budget = budget
        self._places = {url: asyncio.Semaphore(most) for url, most in parallel.items()}
        self._leaving: dict[Endpoint, int] = defaultdict(int)
        self._usual: dict[Endpoint, float] = {}

    @property
    def empty(self) -> bool:
        """Whether the next call could cost more than is left, if those under way cost what calls did so far."""
        if self._budget is None:
            return False
        under_way = sum(count * self._usual.get(endpoint, 0.0) for endpoint, count in self._leaving.items())
        return self.spent + under_way >= self._budget

    def admit(self, path: str) -> None:
        """Let a call leave. Raises Interlude if there is nothing left to spend on it."""
        if self.empty:
            raise Interlude(f"{SPENT} before {path}")

    async def complete(
        self,
        endpoint: Endpoint,
        request: Request,
        *,
        seed: int,
        on_token: OnToken | None = None,
        urgent: Urgent = never,
    ) -> Completion:
        """The reply, as the client gives it."""
        self._leaving[endpoint] += 1
        try:
            async with AsyncExitStack() as place:
                if endpoint.url in self._places:
                    await place.enter_async_context(self._places[endpoint.url])
                done = await self._client.complete(endpoint, request, seed=seed, on_token=on_token, urgent=urgent)
        finally:
            self._leaving[endpoint] -= 1
        self.calls += 1
        self.answering.add(endpoint.url)
        if done.price is not None:
            self.spent += done.price
            self._usual[endpoint] = max(done.price, self._usual.get(endpoint, 0.0))
        return done

    def prompt_room(self, endpoint: Endpoint) -> int | None:
        """How many tokens a prompt may have; None when the context window is not known."""
        return self._client.prompt_room(endpoint)
