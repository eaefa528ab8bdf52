"""A bell: brings news from the thread that writes to an event loop.

Waking a loop takes longer than what it is woken for. So the first piece of news rings, and the loop hears all that have
come until it has heard the last: those of one commit, of however many stories, cost one ring.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from weakref import WeakKeyDictionary

News = Callable[[], object]
"""What is to be done on the event loop."""


class Bell:
    """Has news heard on one event loop, in the order in which they are told."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._news: deque[News] = deque()
        self._rung = False

    def tell(self, news: News) -> None:
        """Have it heard, from any thread; a loop that is closed hears nothing any more."""
        with self._lock:
            self._news.append(news)
            rung, self._rung = self._rung, True
        if not rung and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hear)

    def _hear(self) -> None:
        """Hear one piece of news at each pass of the loop: see `llm.turnstile` for why."""
        with self._lock:
            news = self._news.popleft()
            self._rung = bool(self._news)
            if self._rung:
                self._loop.call_soon(self._hear)
        news()


class Bells:
    """The bell of each event loop, as long as there is the loop."""

    def __init__(self) -> None:
        self._bells: WeakKeyDictionary[asyncio.AbstractEventLoop, Bell] = WeakKeyDictionary()

    def here(self) -> Bell:
        """The bell of the running event loop."""
        loop = asyncio.get_running_loop()
        if (bell := self._bells.get(loop)) is None:
            bell = self._bells[loop] = Bell(loop)
        return bell
