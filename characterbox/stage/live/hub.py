"""Tells everyone who watches a story what has just happened, and what it has cost so far."""

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["event", "token", "asking", "status", "costs"]

MAX_BACKLOG = 2000
"""How many messages wait for a slow watcher before it is let go; it comes back and reads on from the database."""
EVERY = 1.0
"""Seconds between something that costs and its being told: no oftener than people can read it."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Notice:
    """One message to the watchers of a story."""

    kind: Kind
    content: Mapping[str, Any]
    seq: int | None = None
    """The number of the event, for notices of the kind `event`."""


class Watcher:
    """Receives notices on the event loop that it was made on."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Notice | None] = asyncio.Queue()

    def tell(self, notice: Notice | None) -> None:
        """Pass a notice on, from any thread; None ends the watching."""
        try:
            self._loop.call_soon_threadsafe(self._put, notice)
        except RuntimeError:
            return  # its loop has closed: nobody watches any more

    async def next(self) -> Notice | None:
        """The next notice; None when the watching ends: this watcher is too slow, or the hub closes."""
        return await self._queue.get()

    def _put(self, notice: Notice | None) -> None:
        if self._queue.qsize() < MAX_BACKLOG:
            self._queue.put_nowait(notice)
        elif self._queue.qsize() == MAX_BACKLOG:
            self._queue.put_nowait(None)


class Hub:
    """Who watches which story."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[Watcher]] = defaultdict(set)
        self._lock = threading.RLock()  # a signal that ends the app may come while its thread holds it

    @contextmanager
    def watching(self, story: str) -> Iterator[Watcher]:
        """A watcher of the story, for as long as the context lasts."""
        watcher = Watcher()
        with self._lock:
            self._watchers[story].add(watcher)
        try:
            yield watcher
        finally:
            with self._lock:
                self._watchers[story].discard(watcher)
                if not self._watchers[story]:
                    del self._watchers[story]

    def watched(self, story: str) -> bool:
        """Whether anybody watches the story."""
        return story in self._watchers

    def tell(self, story: str, notice: Notice | None) -> None:
        """Tell all watchers of the story, from any thread; with None they come back, and read on from the database."""
        with self._lock:
            watchers = tuple(self._watchers.get(story, ()))
        for watcher in watchers:
            watcher.tell(notice)

    def close(self) -> None:
        """Let all watchers go: the app is about to end."""
        with self._lock:
            watchers = [watcher for watching in self._watchers.values() for watcher in watching]
        for watcher in watchers:
            watcher.tell(None)


@dataclass(slots=True)
class LiveCosts:
    """Tells the costs of stories. To be ticked on its event loop; the teller does the reading."""

    read: Callable[[str], Notice]
    hub: Hub
    loop: asyncio.AbstractEventLoop
    teller: Executor
    _due: set[str] = field(default_factory=set, init=False)

    def tick(self, story: str) -> None:
        """Say that the costs of a story have changed."""
        if story not in self._due and self.hub.watched(story):
            self._due.add(story)
            self.loop.call_later(EVERY, self._submit, story)

    def _submit(self, story: str) -> None:
        self._due.discard(story)
        self.teller.submit(self._tell, story)

    def _tell(self, story: str) -> None:
        try:
            self.hub.tell(story, self.read(story))
        except Exception:
            log.exception("story %s: what it has cost can't be read", story)
