"""A turnstile: lets replies in one at a time, so that what each sets off is on its way before the next one is read.

An event loop takes turns with all that is ready. Where the replies of many stories come together, it would read them
all, then write them all down, then send all that they led to: each story would wait for all others at each step, and
their next replies would come together again. One by one, the first is through while the last still waits, and from then
on they stay apart.
"""

import asyncio
from collections import deque


class Turnstile:
    """Lets in one at each pass of the event loop, in order. It belongs to one loop."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> None:
        """Wait for all who came before, and for the pass that is under way."""
        loop = asyncio.get_running_loop()
        self._waiting.append(turn := loop.create_future())
        if len(self._waiting) == 1:
            loop.call_soon(self._let_in, loop)
        await turn

    def _let_in(self, loop: asyncio.AbstractEventLoop) -> None:
        turn = self._waiting.popleft()
        if self._waiting:
            loop.call_soon(self._let_in, loop)
        if not turn.done():
            turn.set_result(None)
