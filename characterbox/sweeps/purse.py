"""The purse of a sweep: what may still be spent, and how much may be asked side by side."""

import asyncio
from contextlib import AsyncExitStack

from characterbox.errors import ContextOverflow, Interlude
from characterbox.llm.call import Completion, OnToken
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.gate import Urgent, never
from characterbox.llm.request import Request
from characterbox.sweeps.sweep import Sweep

SPENT = "the budget is spent"
UNTOLD = "{endpoint} did not tell how many tokens a call took: what it cost is not known, and there is a budget"
USUAL_PROMPT, USUAL_REPLY = 2000, 200
"""Tokens of a call that has not been made yet."""


class Purse:
    """Asks a client on behalf of a sweep. It belongs to one event loop.

    Before a call leaves, as much is set aside for it as the dearest call so far has cost, or else one of usual length
    would: with that the budget must not be exceeded.
    """

    def __init__(self, client: Client, sweep: Sweep) -> None:
        self.spent = 0.0
        """US dollars, what was spent before included, as far as prices are known."""
        self.calls = 0
        """Replies that came."""
        self.answering: set[str] = set()
        """The addresses that have replied."""
        self.reason: str | None = None
        """Why no more calls leave; None while they do."""
        self._client = client
        self._budget = sweep.budget
        self._places = {url: asyncio.Semaphore(most) for url, most in sweep.parallel.items()}
        self._leaving = 0
        usual = [client.price(endpoint, USUAL_PROMPT, USUAL_REPLY) for endpoint in sweep.endpoints]
        self._usual = max(price or 0.0 for price in usual)
        self._dearest = 0.0

    def admit(self, path: str) -> None:
        """Let a call leave. Raises Interlude if there is nothing left to spend on it."""
        aside = (self._leaving + 1) * (self._dearest or self._usual)
        if self._budget is not None and self.spent + aside > self._budget:
            self.reason = self.reason or SPENT
        if self.reason is not None:
            raise Interlude(f"{self.reason}, before {path}")
        self._leaving += 1

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
        try:
            async with AsyncExitStack() as place:
                if endpoint.url in self._places:
                    await place.enter_async_context(self._places[endpoint.url])
                done = await self._client.complete(endpoint, request, seed=seed, on_token=on_token, urgent=urgent)
        except ContextOverflow:
            raise  # it is asked again, with less
        except BaseException:
            self._leaving -= 1
            raise
        self._leaving -= 1
        self.calls += 1
        self.answering.add(endpoint.url)
        if done.price is not None:
            self.spent += done.price
            self._dearest = max(self._dearest, done.price)
        elif self._budget is not None:
            self.reason = UNTOLD.format(endpoint=endpoint)
        return done

    def prompt_room(self, endpoint: Endpoint) -> int | None:
        """How many tokens a prompt may have; None when the context window is not known."""
        return self._client.prompt_room(endpoint)
