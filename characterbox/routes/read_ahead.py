"""Reading ahead: what a page sends is taken in as it comes, so that it shows soon when nobody waits for it any more."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from starlette.types import Message, Receive, Send

from characterbox.routes.lanes import Lane

MOST_WAITING = 100
"""Messages of a page that wait, at most; a page that sends more is closed."""
MOST_BYTES = 16 * 1024 * 1024
"""Bytes of all messages of one account that wait, at most; a page that sends more is closed."""
BEFORE_CLOSING = 5.0
"""Seconds until a page that sends too much is closed: it would be opened again at once."""
GRACE = 5.0
"""Seconds for which messages still get their turn after the page was left: somebody saves, and closes the page."""
TOO_MUCH = 1008


class ReadAhead:
    """The messages of one web socket, and whether it is over. What still waits `GRACE` after that is not passed on."""

    def __init__(self, lane: Lane, receive: Receive, send: Send) -> None:
        self._lane = lane
        self._receive = receive
        self._send = send
        self._waiting: asyncio.Queue[Message] = asyncio.Queue()
        self._bytes = 0
        self._reading = asyncio.create_task(self._read())

    async def next(self) -> Message:
        """The next message that came."""
        message = await self._waiting.get()
        self._count(-_size(message))
        return message

    async def unless_over(self, working: Coroutine[Any, Any, Message]) -> Message:
        """What it gives, or, where that takes longer than the page is there, the message that says that it is over."""
        work = asyncio.create_task(working)
        try:
            await asyncio.wait({work, self._reading}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            last, since = self._reading.result()
            await asyncio.wait({work}, timeout=since + GRACE - asyncio.get_running_loop().time())
            return work.result() if work.done() else last
        finally:
            work.cancel()

    def end(self) -> None:
        """Read no more, and forget what still waits."""
        self._reading.cancel()
        self._count(-self._bytes)

    def _count(self, size: int) -> None:
        self._bytes += size
        self._lane.waiting += size

    async def _read(self) -> tuple[Message, float]:
        """Take in what comes; gives the last message, which says that it is over, and when that was."""
        message = await self._receive()
        while message["type"] != "websocket.disconnect":
            size = _size(message)
            if self._waiting.qsize() >= MOST_WAITING or self._lane.waiting + size > MOST_BYTES:
                message = await self._close()
                break
            self._count(size)
            self._waiting.put_nowait(message)
            message = await self._receive()
        self._waiting.put_nowait(message)
        return message, asyncio.get_running_loop().time()

    async def _close(self) -> Message:
        await asyncio.sleep(BEFORE_CLOSING)
        await self._send({"type": "websocket.close", "code": TOO_MUCH})
        return {"type": "websocket.disconnect", "code": TOO_MUCH}


def _size(message: Message) -> int:
    return len(message.get("bytes") or b"")
