"""Trials: endpoints that are being tried out, or were, while nobody has to wait for it."""

import asyncio
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field

from annotations.wording import to_say
from characterbox.accounts.account import Account
from characterbox.accounts.rights import require
from characterbox.errors import EndpointError
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.probe import Probe, probe


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of an endpoint."""

    future: "Future[Probe]"
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long ago it was started."""
        return time.monotonic() - self.started


class Trials:
    """The last trial of each address in this process. Its methods come back at once, on any thread."""

    def __init__(self, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        """`loop` is the one that the client belongs to."""
        self._client = client
        self._loop = loop
        self._lock = threading.Lock()
        self._last: dict[str, Trial] = {}

    def start(self, actor: Account, url: str, model: str | None) -> None:
        """Try a model at an address, or the first that is offered there; nothing if a trial is under way there.

        Raises NotAllowed unless the actor may direct.
        """
        require(actor, "direct")
        with self._lock:
            last = self._last.get(url)
            if last is None or last.future.done():
                self._last[url] = Trial(asyncio.run_coroutine_threadsafe(self._try(url, model), self._loop))

    def of(self, url: str) -> Trial | None:
        """The last trial at an address; None if there was none since the app started."""
        return self._last.get(url)

    def forget(self, url: str) -> None:
        """Stop the trial at an address, or drop what came of it."""
        with self._lock:
            trial = self._last.pop(url, None)
        if trial is not None:
            trial.future.cancel()

    async def _try(self, url: str, model: str | None) -> Probe:
        if model is None:
            offers = await self._client.offers(url)
            if offers is None:
                raise EndpointError(
                    to_say("Azure does not tell which deployments there are; write their names into the list of models")
                )
            if not offers:
                raise EndpointError(to_say("it offers no model; write the name of one into its list"))
            model = offers[0].model
        return await probe(self._client, Endpoint(url=url, model=model))
