"""An event loop in a thread of its own: what is asynchronous can be waited for from anywhere.

A notebook runs an event loop already, on which no other one can be run. Here the caller waits, and the work is done on
another thread, alike with and without a loop around it.
"""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from typing import Any, TypeVar

T = TypeVar("T")


class OwnLoop:
    """The loop. It ends with the process, or as it is closed."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="characterbox", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of the work, which is waited for. Whoever interrupts the waiting (Ctrl-C, or the button of a
        notebook) ends the work, and gets control back once it has ended."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        try:
            return future.result()
        except KeyboardInterrupt:
            ended = asyncio.run_coroutine_threadsafe(_ended(), self._loop)
            future.cancel()
            ended.result()
            raise
        except CancelledError:
            raise KeyboardInterrupt from None

    def close(self) -> None:
        """End it."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _ended() -> None:
    """Wait until all other tasks of the loop have ended."""
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)
