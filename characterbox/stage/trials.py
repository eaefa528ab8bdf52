"""Trials: endpoints that are being tried out, or were, while nobody has to wait for it."""

import time
from dataclasses import dataclass, field

from annotations.messages import Message
from characterbox.accounts.account import Account
from characterbox.accounts.rights import require
from characterbox.errors import EndpointError
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.probe import Probe, probe
from characterbox.stage.jobs import Job
from characterbox.store import Store


@dataclass(slots=True, eq=False)
class Trial(Job):
    """One trial of an endpoint: one at a time for each address."""

    url: str
    model: str | None
    """The model to be tried; None for the first that is offered there."""
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def by(cls, actor: Account, url: str, model: str | None) -> "Trial":
        """One that somebody wants. Raises NotAllowed unless they may direct."""
        require(actor, "direct")
        return cls(url, model)

    @property
    def key(self) -> tuple[str, ...]:
        """The address."""
        return (self.url,)

    @property
    def seconds(self) -> float:
        """How long ago it was started."""
        return time.monotonic() - self.started

    async def work(self, store: Store, client: Client) -> Probe:
        """Try it out."""
        return await try_out(client, self.url, self.model)


async def try_out(client: Client, url: str, model: str | None) -> Probe:
    """Try a model at an address, or the first that is offered. Raises EndpointError where none is."""
    if model is None:
        offers = await client.offers(url)
        if offers is None:
            raise EndpointError(
                Message("Azure does not tell which deployments there are; write their names into the list of models")
            )
        if not offers:
            raise EndpointError(Message("it offers no model; write the name of one into its list"))
        model = offers[0].model
    return await probe(client, Endpoint(url=url, model=model))
