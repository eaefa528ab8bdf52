"""An event loop in a thread of its own: what is asynchronous can be waited for from anywhere.

A notebook runs an event loop already, on which no other one can be run. Here the caller waits, and the work is done on
another thread, alike with and without a loop around it.
"""

import asyncio
import signal
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from typing import Any, TypeVar

from characterbox.errors import StoryError

T = TypeVar("T")


class OwnLoop:
    """The loop. It ends with the process, or as it is closed."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="characterbox", daemon=True)
        self._thread.start()

    def begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Begin the work; whoever cancels the future ends it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of the work, which is waited for. Whoever interrupts the waiting (Ctrl-C, or the button of a
        notebook) ends the work, and gets control back once it has ended.

        Raises StoryError on the loop's own thread, which can't wait for itself.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise _busy()
        future = self.begin(work)
        try:
            with _interruptible():
                return future.result()
        except KeyboardInterrupt:
            self.end_all()
            raise
        except CancelledError:
            raise KeyboardInterrupt from None

    def close(self) -> None:
        """End it, and all that is under way. Raises StoryError on the loop's own thread."""
        self.end_all()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def end_all(self) -> None:
        """End all that is under way, and wait until it has ended. Raises StoryError on the loop's own thread."""
        if threading.current_thread() is self._thread:
            raise _busy()
        asyncio.run_coroutine_threadsafe(_cancelled(), self._loop).result()


def _busy() -> StoryError:
    return StoryError("nothing can be played, judged or closed from on_event; wait until play has returned")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Has Ctrl-C interrupt the waiting, also where an event loop around it would only end its own task for that."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def _cancelled() -> None:
    """Cancel all other tasks of the loop, and wait until they have ended."""
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in others:
            task.cancel()
        await asyncio.wait(others)
