"""Threads of their own, blocking locks held from an event loop, and one thing after the other.

An event loop takes turns with all that is ready. Where the replies of many stories come together, it would read them
all, then write them all down, then send all that they led to: each story would wait for all others at each step, and
their next replies would come together again. One by one, the first is through while the last still waits, and from then
on they stay apart.

Waking a loop from another thread takes longer than what it is woken for. So the first thing wakes it, and the loop goes
on until the last is done: what one commit has to tell, to however many stories, wakes it once.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from contextvars import copy_context
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from characterbox.errors import CharacterBoxError

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """So many threads, for one kind of work."""

    def __init__(self, name: str, most: int) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix=name)

    async def run(self, function: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """What `asyncio.to_thread` does, in one of these threads."""
        context = copy_context()
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, lambda: context.run(function, *args, **more)
        )


@asynccontextmanager
async def held(context: AbstractContextManager[T]) -> AsyncIterator[T]:
    """What a context manager gives, entered and left in a thread. Who is cancelled meanwhile leaves nothing held."""
    entering = asyncio.ensure_future(asyncio.to_thread(context.__enter__))
    try:
        value = await asyncio.shield(entering)
    except asyncio.CancelledError:
        with suppress(CharacterBoxError):
            await entering
            await asyncio.to_thread(context.__exit__, None, None, None)
        raise
    try:
        yield value
    finally:
        await asyncio.shield(asyncio.to_thread(context.__exit__, None, None, None))


class OneAtATime:
    """What is to be done on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._waiting: deque[Callable[[], object]] = deque()
        self._awake = False

    def do(self, what: Callable[[], object]) -> None:
        """Have it done, from any thread; a loop that is closed does nothing any more."""
        if self._first(what) and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._next)

    async def turn(self) -> None:
        """Wait, on this loop, for all that came before, and for the pass that is under way."""
        turn = self._loop.create_future()

        def come() -> None:
            if not turn.done():
                turn.set_result(None)

        if self._first(come):
            self._loop.call_soon(self._next)  # it is awake
        await turn

    def _first(self, what: Callable[[], object]) -> bool:
        """Have it wait; whether nothing was waiting before."""
        with self._lock:
            self._waiting.append(what)
            awake, self._awake = self._awake, True
        return not awake

    def _next(self) -> None:
        with self._lock:
            what = self._waiting.popleft()
            self._awake = bool(self._waiting)
            if self._awake:
                self._loop.call_soon(self._next)
        what()


class OnEachLoop:
    """What is to be done one at a time on each event loop, as long as there is the loop."""

    def __init__(self) -> None:
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, OneAtATime] = WeakKeyDictionary()

    def here(self) -> OneAtATime:
        """That of the running event loop."""
        loop = asyncio.get_running_loop()
        if (one := self._loops.get(loop)) is None:
            one = self._loops[loop] = OneAtATime(loop)
        return one
