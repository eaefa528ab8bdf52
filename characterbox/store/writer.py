"""One thread that writes for all: what comes in while it commits goes into the next commit together."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future

from sqlalchemy import Connection, Engine

from characterbox.errors import StoreError

Write = Callable[[Connection], object]
"""Writes on the connection it is given; what it returns is not looked at."""

MAX_GROUP = 256
"""How many writes go into one commit at most."""


class Writer:
    """Commits writes in groups. A write is done, and safe from a crash, when its future is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: queue.SimpleQueue[tuple[Write, Future[None]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, write: Write) -> "Future[None]":
        """Queue a write. Its future fails with whatever the write or its commit raises.

        Raises StoreError once the writer is closed.
        """
        future: Future[None] = Future()
        with self._lock:
            if self._closed:
                raise StoreError("the database is closed: nothing can be written any more")
            self._queue.put((write, future))
        return future

    def close(self) -> None:
        """Finish all that was submitted, and stop."""
        with self._lock:
            self._closed = True
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        open_for_more = True
        while open_for_more:
            group = []
            item = self._queue.get()
            while item is not None:
                group.append(item)
                if len(group) == MAX_GROUP or self._queue.empty():
                    break
                item = self._queue.get()
            open_for_more = item is not None
            self._commit(group)

    def _commit(self, group: list[tuple[Write, Future[None]]]) -> None:
        try:
            with self._engine.begin() as connection:
                for write, _ in group:
                    write(connection)
        except Exception as error:
            if len(group) > 1:
                for one in group:
                    self._commit([one])
            elif (future := group[0][1]).set_running_or_notify_cancel():
                future.set_exception(error)
            return
        for _, future in group:
            if future.set_running_or_notify_cancel():
                future.set_result(None)
