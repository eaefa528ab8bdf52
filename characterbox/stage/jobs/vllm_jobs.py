"""What is done with servers in the background: they are started and stopped, and their endpoints tried out."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from platformdirs import user_state_path

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.errors import EndpointError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.endpoint_check import Probe, probe
from characterbox.llm.server import Server
from characterbox.llm.vllm.command import find_vllm
from characterbox.llm.vllm.servers import Servers
from characterbox.settings import settings
from characterbox.stage.jobs.jobs import Job
from characterbox.store import Store

Verb = Literal["start", "stop"]
Note = Callable[[Account, str, Server], object]
"""Tells in the log what was done with a server, as `ServerStore.note` does."""

AT_ONCE = 8
"""How many servers are started or stopped side by side."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A server that was to be started, or stopped, for as long as this takes and after."""

    verb: Verb
    future: "Future[object]"

    @property
    def under_way(self) -> bool:
        """Whether it is not done yet."""
        return not self.future.done()

    @property
    def fault(self) -> BaseException | None:
        """Why it could not be done; None while it is under way, and when it was."""
        return self.future.exception() if self.future.done() else None


class Starter:
    """Starts and stops servers, one errand at a time for each. Its methods come back at once, on any thread."""

    def __init__(self, servers: Servers) -> None:
        self.servers = servers
        self._lock = threading.Lock()
        self._errands: dict[str, Errand] = {}
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="starter")

    def start(self, actor: Account, server: Server, note: Note) -> None:
        """Have a server started; nothing if it is being started or stopped. Raises NotAllowed but for admins."""
        require(actor, "administer")
        self._go("start", server, lambda: self.servers.start(server), lambda: note(actor, "server.started", server))

    def stop(self, actor: Account, server: Server, note: Note) -> None:
        """Have a server stopped; nothing if it is being started or stopped. Raises NotAllowed but for admins."""
        require(actor, "administer")
        self._go("stop", server, lambda: self.servers.stop(server.url), lambda: note(actor, "server.stopped", server))

    def restart(self, actor: Account, server: Server, note: Note) -> None:
        """Have a server started with the settings that it has now, one that runs with others being stopped first.

        Nothing if it is being started or stopped. Raises NotAllowed but for admins.
        """
        require(actor, "administer")

        def restart() -> None:
            self.servers.stop(server.url)
            self.servers.start(server)

        self._go("start", server, restart, lambda: note(actor, "server.started", server))

    def errand(self, url: str) -> Errand | None:
        """The last errand for the server at an address; None if there was none since the app started."""
        return self._errands.get(url)

    def close(self) -> None:
        """Finish what is under way, and stop the servers that end with the app. Waits until they are gone."""
        self._pool.shutdown()
        self.servers.close()

    def _go(self, verb: Verb, server: Server, what: Callable[[], object], note: Callable[[], object]) -> None:
        with self._lock:
            last = self._errands.get(server.url)
            if last is None or not last.under_way:
                note()  # before it is done: what can't be told in the log is not done
                self._errands[server.url] = Errand(verb, self._pool.submit(what))


@cache
def open_starter() -> Starter:
    """The starter of this process. Its servers are those of all apps of this user, as ports are."""
    return Starter(Servers(user_state_path("characterbox") / "vllm", _program))


def _program() -> tuple[str, ...]:
    setting = settings().vllm
    return find_vllm(None if setting is None else str(setting))


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
            raise EndpointError("Azure does not list its deployments; enter their names in the list of models")
        if not offers:
            raise EndpointError("the server offers no models; enter a model name in its list")
        model = offers[0].model
    return await probe(client, Endpoint(url=url, model=model))
