"""Reading ahead: what a page sends is taken in as it comes, so that it shows soon when nobody waits for it any more."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from starlette.types import Message, Receive, Send

MOST_WAITING = 100
"""Messages of a page that wait, at most; a page that sends more is closed."""
BEFORE_CLOSING = 5.0
"""Seconds until a page that sends too much is closed: it would be opened again at once."""
GRACE = 5.0
"""Seconds for which messages still get their turn after the page was left: somebody saves, and closes the page."""
TOO_MUCH = 1008

Hold = Callable[[int], bool]
"""Counts so many bytes more, or less, that wait; says whether there is room for them."""


class ReadAhead:
    """The messages of one web socket, and whether it is over. What still waits `GRACE` after that is not passed on."""

    def __init__(self, receive: Receive, send: Send, hold: Hold) -> None:
        self._receive = receive
        self._send = send
        self._hold = hold
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self.waiting = 0
        """Bytes of messages that wait."""
        self.over = False
        """Whether nobody is there any more who could be told something."""
        self._reading = asyncio.create_task(self._read())

    async def next(self) -> Message:
        """The next message that came. It counts among those that wait until it is let go."""
        return await self._messages.get()

    def let_go(self, message: Message) -> None:
        """The message waits no more; after the end, none does."""
        self._release(min(_size(message), self.waiting))

    async def unless_over(self, working: Coroutine[Any, Any, Message]) -> Message:
        """What it gives, or, where that takes longer than the page is there, the message that says that it is over."""
        work = asyncio.create_task(working)
        try:
            await asyncio.wait({work, self._reading}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            last, since = await self._reading
            await asyncio.wait({work}, timeout=since + GRACE - asyncio.get_running_loop().time())
            return work.result() if work.done() else last
        finally:
            work.cancel()

    def close(self) -> None:
        """Have the page closed, whatever it does."""
        self.over = True
        self._reading.cancel()
        self._reading = asyncio.create_task(self._close(0))

    def end(self) -> None:
        """Read no more, and forget what still waits."""
        self._reading.cancel()
        self._release(self.waiting)

    def _release(self, size: int) -> None:
        self.waiting -= size
        self._hold(-size)

    async def _read(self) -> tuple[Message, float]:
        """Take in what comes; gives the last message, which says that it is over, and when that was."""
        while (message := await self._receive())["type"] != "websocket.disconnect":
            size = _size(message)
            # No page of ours sends text.
            if message.get("text") or self._messages.qsize() >= MOST_WAITING or not self._hold(size):
                return await self._close(BEFORE_CLOSING)
            self.waiting += size
            self._messages.put_nowait(message)
        return self._ended(message)

    async def _close(self, after: float) -> tuple[Message, float]:
        await asyncio.sleep(after)
        self.over = True
        with suppress(Exception):  # it is closed already, in whatever way the server says that
            await self._send({"type": "websocket.close", "code": TOO_MUCH})
        return self._ended({"type": "websocket.disconnect", "code": TOO_MUCH})

    def _ended(self, message: Message) -> tuple[Message, float]:
        self.over = True
        self._messages.put_nowait(message)
        return message, asyncio.get_running_loop().time()


def _size(message: Message) -> int:
    return len(message.get("bytes") or b"")
