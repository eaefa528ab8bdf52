"""The starter: has vLLM servers started and stopped in the background, as either takes its time."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Literal

from platformdirs import user_state_path

from characterbox.llm.server import Server
from characterbox.llm.vllm.program import find_vllm
from characterbox.llm.vllm.servers import Servers
from characterbox.settings import settings

Verb = Literal["start", "stop"]

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

    def start(self, server: Server) -> None:
        """Have a server started; nothing if it is being started or stopped."""
        self._go("start", server.url, lambda: self.servers.start(server))

    def stop(self, server: Server) -> None:
        """Have a server stopped; nothing if it is being started or stopped."""
        self._go("stop", server.url, lambda: self.servers.stop(server.url))

    def errand(self, url: str) -> Errand | None:
        """The last errand for the server at an address; None if there was none since the app started."""
        return self._errands.get(url)

    def close(self) -> None:
        """Finish what is under way, and stop the servers that end with the app. Waits until they are gone."""
        self._pool.shutdown()
        self.servers.close()

    def _go(self, verb: Verb, url: str, what: Callable[[], object]) -> None:
        with self._lock:
            last = self._errands.get(url)
            if last is None or not last.under_way:
                self._errands[url] = Errand(verb, self._pool.submit(what))


@cache
def open_starter() -> Starter:
    """The starter of this process. Its servers are those of all apps of this user, as ports are."""
    return Starter(Servers(user_state_path("characterbox") / "vllm", _program))


def _program() -> tuple[str, ...]:
    setting = settings().vllm
    return find_vllm(None if setting is None else str(setting))
