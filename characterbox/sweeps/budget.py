"""Asks models within a budget, and so much side by side at an address as a sweep allows."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Literal

from annotations.i18n.messages import listed
from characterbox.errors import Interlude, StoryError
from characterbox.llm.calls.answers import Completion
from characterbox.llm.calls.call import OnToken
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.connection import Urgent, never
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Request
from characterbox.llm.usage import estimate
from characterbox.pause_reasons import Reason
from characterbox.store import Store
from characterbox.sweeps.sweep import Sweep

Resting = Literal["paused", "running"]
"""Paused: put aside by a person. Running: to be gone on with at the next start of the app."""
USUAL_REPLY = 200
"""Tokens of a reply that has not come yet."""


def check_prices(client: Client, sweep: Sweep) -> None:
    """Raises StoryError if a sweep has a budget, but there is no price for one of its models."""
    if sweep.budget is not None:
        unpriced = without_price(client, sweep.endpoints)
        if unpriced:
            raise StoryError(
                "sweep {name}: a budget needs prices, but there is no price for {models}; add prices, or remove the"
                " budget",
                name=sweep.name,
                models=listed(unpriced),
            )


def without_price(client: Client, endpoints: Iterable[Endpoint]) -> list[str]:
    """The endpoints of which no price is known, by name, each once."""
    return sorted({str(one) for one in endpoints if client.price(one, 1, 1) is None})


def check_budget(store: Store, client: Client, sweep: Sweep) -> None:
    """Raises StoryError if a sweep has a budget that can't be kept, by its prices or by what it has paused for."""
    check_prices(client, sweep)
    heading = store.sweeps.find(sweep.name)
    if (
        sweep.budget is not None
        and heading is not None
        and heading.reason is not None
        and untold(sweep, heading.reason)
    ):
        raise StoryError("sweep {name}: {why}; remove the budget", name=sweep.name, why=heading.reason)


def untold(sweep: Sweep, reason: Reason) -> bool:
    """Whether a sweep has paused for this reason: one of its models did not tell how many tokens a call took."""
    return reason.code == "untold" and reason.values["endpoint"] in {str(one) for one in sweep.endpoints}


class BudgetedClient:
    """Asks a client as far as a budget goes, and lets calls leave until it is to rest: both `Asker` and `Doorkeeper`.

    It belongs to one event loop. Without a budget it only counts.

    Before a call leaves, as much is set aside for it as the dearest call of its endpoint so far has cost, or as its own
    prompt will with the longest reply of that endpoint, or one of usual length, if that is more: with that the budget
    must not be exceeded. Until a reply of an endpoint tells how long its replies are, its calls leave one by one.
    """

    people: Collection[str | None] = ()
    on_token: OnToken | None = None

    def __init__(self, client: Client, budget: float | None = None, parallel: Mapping[str, int] | None = None) -> None:
        """`budget` is in US dollars; `parallel` tells how many calls may be under way at an address."""
        self.spent = 0.0
        """US dollars, what was spent before included, as far as prices are known."""
        self.dearest: dict[Endpoint, float] = {}
        """What the dearest call of each endpoint has cost, as far as it is known."""
        self.calls = 0
        """Replies that came."""
        self.answering: set[str] = set()
        """The addresses that have replied."""
        self.reason: Reason | None = None
        """Why no more calls leave; None while they do, or rest as people want it."""
        self.rests_as: Resting | None = None
        """The status in which what is done with it rests, as people want it; None while they do not."""
        self._client = client
        self._budget = budget
        self._places = {url: asyncio.Semaphore(most) for url, most in (parallel or {}).items()}
        self._aside: list[float] = []
        """What is set aside for each call that may leave, or has left."""
        self._longest: dict[Endpoint, int] = {}
        """The tokens of the longest reply of each endpoint that has replied."""
        self._trials: set[Endpoint] = set()
        """The endpoints whose first call has left, or waits for money."""
        self._back = asyncio.Event()
        """Set when a call has come back, and when calls are to rest."""
        self._turn = asyncio.Lock()
        """Held by the call that waits for money; those behind it wait for their turn, so that a dear one gets its."""

    @asynccontextmanager
    async def admitted(self, request: Request, endpoint: Endpoint) -> AsyncIterator[None]:
        """Lets a call leave within it, once there is money for it that is not set aside for others.

        Raises Interlude if it is to rest, or what is left would not do for this call alone.
        """
        async with AsyncExitStack() as turn:
            aside = 0.0
            if self._budget is not None and self._price(request, endpoint):
                await turn.enter_async_context(self._first(endpoint))
                aside = await self._money(request, endpoint, self._budget)
            if self.halts:
                raise Interlude(f"{self.reason or 'it is to rest'}, before {request.path}")
            self._aside.append(aside)
            try:
                yield
            finally:
                self._aside.remove(aside)
                self._back.set()

    def urgent(self) -> bool:
        """Nobody waits for it: stories that people watch go first."""
        return False

    def rest(self, status: Resting = "paused") -> None:
        """Let no more calls leave, those that wait for money included; those under way come to their end.

        What rests already rests as it was told first: an app that ends takes no pause back.
        """
        self.rests_as = self.rests_as or status
        self._back.set()

    @property
    def resting(self) -> bool:
        """Whether no more calls leave, as people want it."""
        return self.rests_as is not None

    @property
    def halts(self) -> bool:
        """Whether no more calls leave."""
        return self.resting or self.reason is not None

    def _price(self, request: Request, endpoint: Endpoint) -> float:
        """What a call will cost, in US dollars; where that is not known, no more calls leave."""
        reply = max(USUAL_REPLY, self._longest.get(endpoint, 0))
        price = self._client.price(endpoint, estimate(request.messages), reply)
        if price is None:
            self.reason = self.reason or Reason("unpriced", endpoint=endpoint)
        return price or 0.0

    @asynccontextmanager
    async def _first(self, endpoint: Endpoint) -> AsyncIterator[None]:
        """Waits until it is known how long an endpoint's replies are, or this one is the one to tell."""
        while endpoint in self._trials and not self.halts:
            self._back.clear()
            await self._back.wait()
        if endpoint in self._longest or self.halts:
            yield
            return
        self._trials.add(endpoint)
        try:
            yield
        finally:
            self._trials.remove(endpoint)
            self._back.set()

    async def _money(self, request: Request, endpoint: Endpoint, budget: float) -> float:
        """What is to be set aside for a call, once nothing but its own price keeps it from leaving."""
        async with self._turn:
            while True:
                aside = max(self._price(request, endpoint), self.dearest.get(endpoint, 0.0))
                if self.spent + aside > budget:
                    self.reason = self.reason or Reason("spent")
                if self.halts or self.spent + sum(self._aside) + aside <= budget:
                    return aside
                self._back.clear()
                await self._back.wait()

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
        async with AsyncExitStack() as place:
            if endpoint.url in self._places:
                await place.enter_async_context(self._places[endpoint.url])
            done = await self._client.complete(endpoint, request, seed=seed, on_token=on_token, urgent=urgent)
        self.calls += 1
        self.answering.add(endpoint.url)
        if (paid := done.usage.price) is not None:
            self.spent += paid
            self.dearest[endpoint] = max(paid, self.dearest.get(endpoint, 0.0))
            self._longest[endpoint] = max(done.usage.completion_tokens or 0, self._longest.get(endpoint, 0))
        elif self._budget is not None and (price := self._client.price(endpoint, 1, 1)) != 0:
            self.reason = self.reason or Reason("unpriced" if price is None else "untold", endpoint=endpoint)
        return done

    def prompt_room(self, endpoint: Endpoint) -> int | None:
        """How many tokens a prompt may have; None when the context window is not known."""
        return self._client.prompt_room(endpoint)
