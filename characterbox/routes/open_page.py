"""A page that somebody has open: what it sends comes in turn, and what is drawn for it counts."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.types import Message, Receive, Scope, Send

from characterbox.accounts.visitor import Visitor
from characterbox.components.rerun import ends_run, rerun_in
from characterbox.routes.lanes import PAGES, RESERVED, Lane, Run
from characterbox.routes.read_ahead import ReadAhead

LEFT = 1.0
"""Seconds for which a page that was left while it was drawn counts on: it is drawn to the next place where it stops."""
LARGE = 256 * 1024
"""Bytes of a message that count as one more."""
MOST_BYTES = 16 * 1024 * 1024
"""Bytes of all messages of one account that wait, at most; a page that sends more is closed."""


class OpenPage:
    """A web socket of somebody's pages. It counts among those of a lane until it ends."""

    def __init__(self, lane: Lane, stranger: Lane, scope: Scope, receive: Receive, send: Send) -> None:
        self.lane = lane
        self._stranger = stranger
        """The lane of the address, for whoever is signed out."""
        self._scope = scope
        self._send = send
        self._ahead = ReadAhead(receive, send, self._hold)
        self._run: Run | None = None
        self._counts = True
        lane.pages += 1

    def move(self, lane: Lane) -> bool:
        """Count for another lane, as it turned out whose it is. Whether there is room."""
        if lane is not self.lane:
            if lane.pages >= PAGES:
                return False
            self.lane.pages -= 1
            self.lane.waiting -= self._ahead.waiting
            lane.pages += 1
            lane.waiting += self._ahead.waiting
            self.lane = lane
        return True

    async def receive(self) -> Message:
        """What it sends, when it is time."""
        return await self._ahead.unless_over(self._next())

    async def send(self, message: Message) -> None:
        """Send it something, and see whether it is drawn now. Where nobody is there any more, it goes nowhere: what the
        page has sent before is still heard."""
        if self._run is not None and message["type"] == "websocket.send" and ends_run(message.get("bytes") or b""):
            self._run.end()
        if not self._ahead.over:
            with suppress(OSError):  # just now
                await self._send(message)

    async def may_stay(self) -> bool:
        """Whether the one who opened it is still signed in, in the same role."""
        still_may: Callable[[], Awaitable[bool]] | None = self._scope.get("still_may")
        return still_may is None or await still_may()

    def close(self) -> None:
        """Have it closed. It counts no more."""
        self._leave()
        self._ahead.close()

    def end(self) -> None:
        """It is closed."""
        self._leave()
        self._ahead.end()
        if self._run is not None:
            asyncio.get_running_loop().call_later(LEFT, self._run.end)

    async def _next(self) -> Message:
        while True:
            message = await self._ahead.next()
            try:
                if message["type"] != "websocket.receive" or await self._admitted(message.get("bytes") or b""):
                    return message
            finally:
                self._ahead.let_go(message)

    async def _admitted(self, sent: bytes) -> bool:
        """Wait until it is time for a message. Whether it is to be passed on at all."""
        lane, rerun = self._whose(), rerun_in(sent)
        if rerun is not None and rerun.is_auto_rerun and not lane.drawing.has(RESERVED):
            return False  # it is asked for again soon, and somebody who does something must not wait for that
        await lane.messages.wait(1 + len(sent) / LARGE)
        if rerun is not None:
            await self._run_of(lane).begin()
        return True

    def _run_of(self, lane: Lane) -> Run:
        if self._run is None or self._run.lane is not lane:
            if self._run is not None:
                self._run.end()
            self._run = Run(lane)
        return self._run

    def _whose(self) -> Lane:
        """Whose time it takes: of those who are signed out meanwhile, that of their address."""
        visitor: Visitor | None = self._scope.get("visitor")
        return self._stranger if visitor is None else self.lane

    def _hold(self, size: int) -> bool:
        if size > 0 and self.lane.waiting + size > MOST_BYTES:
            return False
        self.lane.waiting += size
        return True

    def _leave(self) -> None:
        if self._counts:
            self._counts = False
            self.lane.pages -= 1
