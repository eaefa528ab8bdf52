"""Turns: how much of the app the connections of one account have at once. Everybody shares one process: without turns,
who asks for a thousand pages has all others wait until they are drawn."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from weakref import WeakValueDictionary

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from characterbox.accounts.visitor import Cookies, Visitor
from characterbox.components.rerun import ends_run, is_rerun
from characterbox.routes.lanes import Lane, Run, Turn
from characterbox.routes.read_ahead import ReadAhead

PAGES = 40
"""Pages that one account has open at once, at most."""
LEFT = 1.0
"""Seconds for which a page that was left while it was drawn counts on: it is drawn to the next place where it stops."""
LARGE = 256 * 1024
"""Bytes of a message that count as one more."""
REMEMBERED = 10_000
"""Badges of which it is remembered whose they are."""

ReadBadge = Callable[[Cookies], str]
"""Reads from the cookies what one shows to come in, whether it is valid or not."""


class TurnsMiddleware:
    """Lets each account have its turns, one after the other; nothing is refused but a page too many."""

    def __init__(self, app: ASGIApp, badge_of: ReadBadge) -> None:
        self._app = app
        self._badge_of = badge_of
        self._known: OrderedDict[bytes, Lane] = OrderedDict()
        """The lanes of accounts, by the digests of their badges."""
        self._lanes: WeakValueDictionary[str, Lane] = WeakValueDictionary()
        """All lanes: those of accounts, and of addresses from which somebody is asking."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on when it is time."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        badge = hashlib.blake2b(self._badge_of(connection.cookies).encode("utf-8", "surrogatepass")).digest()
        lane = self._known.get(badge)
        if lane is not None:
            await lane.asked.wait(1)
        else:
            lane = self._lane(f"address {connection.client.host if connection.client else ''}")
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
                self._remember(badge, scope.get("visitor"))
            await send(message)

        async def receive_out_of_turn() -> Message:
            turn.end()  # who sends slowly keeps nobody waiting meanwhile
            message = await receive()
            if not answered:
                await turn.take()
            return message

        try:
            if scope["type"] == "websocket":
                await self._page(lane, badge, scope, receive, send_and_end_turn)
            else:
                await self._app(scope, receive_out_of_turn, send_and_end_turn)
        finally:
            turn.end()

    async def _page(self, lane: Lane, badge: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        ahead = ReadAhead(lane, receive, send)
        run: Run | None = None

        async def next_in_turn() -> Message:
            nonlocal run
            message = await ahead.next()
            if message["type"] == "websocket.receive":
                sent = message.get("bytes") or b""
                theirs = self._known.get(badge, lane)  # whose it is has turned out when it was let in
                await theirs.messages.wait(1 + len(sent) / LARGE)
                if is_rerun(sent):
                    run = run or Run(theirs)
                    await run.begin()
            return message

        async def send_and_end_run(message: Message) -> None:
            if run is not None and message["type"] == "websocket.send" and ends_run(message.get("bytes") or b""):
                run.end()
            await send(message)

        lane.pages += 1
        try:
            await self._app(scope, lambda: ahead.unless_over(next_in_turn()), send_and_end_run)
        finally:
            lane.pages -= 1
            ahead.end()
            if run is not None:
                asyncio.get_running_loop().call_later(LEFT, run.end)

    def _lane(self, whose: str) -> Lane:
        return self._lanes.setdefault(whose, Lane())

    def _remember(self, badge: bytes, visitor: Visitor | None) -> None:
        if visitor is None or visitor.account.id is None:
            return
        self._known[badge] = self._lane(visitor.account.id)
        self._known.move_to_end(badge)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
