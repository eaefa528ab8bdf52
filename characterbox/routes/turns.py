"""Turns: how much of the app the connections of one account have at once. Everybody shares one process: without turns,
who asks for a thousand pages has all others wait until they are drawn."""

import asyncio
import hashlib
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from characterbox.accounts.visitor import Visitor
from characterbox.components.rerun import ends_run, is_rerun

REQUESTS = 4
"""Requests of one account that are worked on at once; others wait."""
RUNS = 2
"""Pages of one account that are drawn at once; others wait."""
PAGES = 40
"""Pages that one account has open at once, at most."""
LONGEST_WAIT = 5.0
"""Seconds after which a turn has come in any case: nobody is kept out by connections that never end."""
LEFT = 1.0
"""Seconds for which a page that was left while it was drawn counts on: it is drawn to the next place where it stops."""
BURST, A_SECOND = 60.0, 20.0
"""Messages of the pages of one account: so many at once, then so many a second."""
LARGE = 256 * 1024
"""Bytes of a message that count as one more."""
REMEMBERED = 10_000
"""Browsers of which it is remembered whose they are."""


@dataclass(eq=False, slots=True, weakref_slot=True)
class Lane:
    """The connections of one account, or of an address from which nobody has signed in yet."""

    requests: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(REQUESTS))
    runs: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(RUNS))
    pages: int = 0
    due: float = float("-inf")
    """When the messages so far are all due, by `A_SECOND`, in seconds of the event loop."""

    async def pace(self, size: int) -> None:
        """Wait until one more message of so many bytes is due."""
        now = asyncio.get_running_loop().time()
        self.due = max(self.due, now - BURST / A_SECOND) + (1 + size / LARGE) / A_SECOND
        await asyncio.sleep(max(0.0, self.due - now))


class Turn:
    """One turn: taken, or not."""

    def __init__(self, turns: asyncio.Semaphore) -> None:
        self._turns = turns
        self._taken = False

    async def take(self) -> None:
        """Wait until it is taken, but no longer than `LONGEST_WAIT`."""
        if self._taken:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT):
                self._taken = await self._turns.acquire()

    def end(self) -> None:
        """Let the next one have it."""
        if self._taken:
            self._taken = False
            self._turns.release()


class TurnsMiddleware:
    """Lets each account have its turns, one after the other; nothing is refused but a page too many."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._whose: OrderedDict[bytes, str] = OrderedDict()
        self._lanes: WeakValueDictionary[str, Lane] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on when it is time."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        browser = hashlib.blake2b("".join(Headers(scope=scope).getlist("cookie")).encode()).digest()
        lane = self._lane(scope, browser)
        if scope["type"] == "websocket" and lane.pages >= PAGES:
            await WebSocketClose(code=1013)(scope, receive, send)
            return
        turn = Turn(lane.requests)
        await turn.take()
        answered = False

        async def send_and_end_turn(message: Message) -> None:
            nonlocal answered
            if message["type"] in ("http.response.start", "websocket.accept", "websocket.close"):
                answered = True
                turn.end()
                self._remember(browser, scope.get("visitor"))
            await send(message)

        async def receive_out_of_turn() -> Message:
            turn.end()  # who sends slowly keeps nobody waiting meanwhile
            message = await receive()
            if not answered:
                await turn.take()
            return message

        try:
            if scope["type"] == "websocket":
                await self._page(lane, scope, receive, send_and_end_turn)
            else:
                await self._app(scope, receive_out_of_turn, send_and_end_turn)
        finally:
            turn.end()

    async def _page(self, lane: Lane, scope: Scope, receive: Receive, send: Send) -> None:
        run = Turn(lane.runs)

        async def receive_in_turn() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                sent = message.get("bytes") or b""
                await lane.pace(len(sent))
                if is_rerun(sent):
                    await run.take()
            return message

        async def send_and_end_run(message: Message) -> None:
            if message["type"] == "websocket.send" and ends_run(message.get("bytes") or b""):
                run.end()
            await send(message)

        lane.pages += 1
        try:
            await self._app(scope, receive_in_turn, send_and_end_run)
        finally:
            lane.pages -= 1
            asyncio.get_running_loop().call_later(LEFT, run.end)

    def _lane(self, scope: Scope, browser: bytes) -> Lane:
        client = scope.get("client")
        whose = self._whose.get(browser) or f"address {client[0] if client else ''}"
        return self._lanes.setdefault(whose, Lane())

    def _remember(self, browser: bytes, visitor: Visitor | None) -> None:
        if visitor is None or visitor.account.id is None:
            return
        self._whose[browser] = visitor.account.id
        self._whose.move_to_end(browser)
        if len(self._whose) > REMEMBERED:
            self._whose.popitem(last=False)
