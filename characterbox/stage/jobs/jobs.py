"""The jobs of this process: what works in the background, one at a time for each key."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from characterbox.llm.calls.client import Client
from characterbox.store import Store

_KEPT = 300
"""How many of a kind that are over are kept to be told of."""


@dataclass(slots=True, eq=False)
class Job(ABC):
    """Work in the background that is under way, or over. A kind of job adds its key, its work and how far it is."""

    future: "Future[Any]" = field(default_factory=Future, init=False)
    task: "asyncio.Task[Any] | None" = field(default=None, init=False)
    """What does it on the event loop; None until it has begun."""

    @property
    @abstractmethod
    def key(self) -> tuple[str, ...]:
        """What it works on, first of all the story, judge or name by which it is found; one at a time does."""

    @abstractmethod
    def work(self, store: Store, client: Client) -> Coroutine[Any, Any, object]:
        """Do it, on the event loop of the client."""

    def check(self, store: Store, client: Client) -> None:  # noqa: B027 - most kinds can always be started
        """Raise what forbids that it is started now; called before it is, while nothing else can be started."""

    def close(self) -> bool:
        """Let it rest as the app ends; whether that is to be waited for. What is not is cancelled with the loop."""
        return False

    def failed(self, error: BaseException) -> None:  # noqa: B027 - most kinds are told of on their page alone
        """Put into the log what it broke off with."""

    @property
    def under_way(self) -> bool:
        """Whether it is not over yet."""
        return not self.future.done()

    @property
    def last_error(self) -> BaseException | None:
        """What it broke off with; None while it is under way, and where it was stopped or came to its end."""
        return None if self.under_way or self.future.cancelled() else self.future.exception()

    def stop(self) -> None:
        """Stop it; replies that came are kept, and are not asked for again."""
        self.future.cancel()


J = TypeVar("J", bound=Job)


class Jobs:
    """What is under way, and the last at each key that is over. Its methods may be called from any thread."""

    def __init__(self, store: Store, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        """`loop` is the one that the client belongs to."""
        self._store = store
        self._client = client
        self._loop = loop
        self._lock = threading.Lock()
        self._all: dict[tuple[type[Job], tuple[str, ...]], Job] = {}

    def start(self, job: J) -> J:
        """Start a job, unless one of its kind is under way at its key; gives the one that is.

        Raises what the check of its kind raises.
        """
        kind, key = type(job), job.key
        with self._lock:
            last = self._all.get((kind, key))
            if isinstance(last, kind) and last.under_way:
                return last
            job.check(self._store, self._client)
            self._all.pop((kind, key), None)  # the new one is the latest
            self._all[kind, key] = job
            job.future = asyncio.run_coroutine_threadsafe(self._work(job), self._loop)
            over = [known for known, one in self._all.items() if known[0] is kind and not one.under_way]
            for known in over[:-_KEPT]:
                del self._all[known]
        job.future.add_done_callback(lambda _: job.last_error and job.failed(job.last_error))
        return job

    def last(self, kind: type[J], *key: str) -> J | None:
        """The job of a kind that is under way at a key, or was last; None if there was none since the app started."""
        found = self._all.get((kind, key))
        return found if isinstance(found, kind) else None

    def of(self, kind: type[J], about: str | None = None) -> list[J]:
        """The jobs of a kind, of all or of what their keys begin with: the one that was started last comes last."""
        with self._lock:
            found = [one for one in self._all.values() if isinstance(one, kind)]
        return [one for one in found if about is None or one.key[0] == about]

    def forget(self, kind: type[Job], *key: str) -> None:
        """Stop the job of a kind at a key, or drop what came of it."""
        with self._lock:
            job = self._all.pop((kind, key), None)
        if job is not None:
            job.stop()

    async def close(self, patience: float) -> None:
        """Let all rest that can be gone on with; what takes longer than this, in seconds, is cancelled."""
        waited = [one.task for one in [*self._all.values()] if one.under_way and one.close() and one.task is not None]
        if waited:
            _, late = await asyncio.wait(waited, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _work(self, job: Job) -> object:
        job.task = asyncio.current_task()
        return await job.work(self._store, self._client)
