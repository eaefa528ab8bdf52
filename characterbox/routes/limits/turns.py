"""Turns: how much of the app the connections and open pages of one account have at once. Everybody
shares one process: without turns, who asks for a thousand pages has all others wait until they are drawn.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from weakref import WeakSet, WeakValueDictionary

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from characterbox.accounts.login_throttle import key_of_address
from characterbox.accounts.session_user import Cookies, Visitor
from characterbox.components.streamlit_session import ends_run, rerun_in
from characterbox.routes.limits.fair_share import MOST_BEHIND, PAGES, RESERVED, Lane, Run, Turn
from characterbox.routes.limits.read_ahead import ReadAhead
from characterbox.routes.login.html_pages import too_many

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


SWEPT = 5.0
"""Seconds between two looks at whose pages are open, where an account has as many as it may."""
REMEMBERED = 10_000
"""Badges of which it is remembered whose they are."""
TOO_MANY = "this account asks for too much at once; wait a little"

ReadBadge = Callable[[Cookies], str]
"""Reads from the cookies what one shows to come in, whether it is valid or not."""


class TurnsMiddleware:
    """Lets each account have its turns, one after the other. What would have to wait long is refused with 429, and so
    is a page too many, with 403."""

    def __init__(self, app: ASGIApp, badge_of: ReadBadge) -> None:
        self._app = app
        self._badge_of = badge_of
        self._known: OrderedDict[bytes, Lane] = OrderedDict()
        """The lanes of accounts, by the digests of their badges."""
        self._lanes: WeakValueDictionary[str, Lane] = WeakValueDictionary()
        """All lanes: those of accounts, and of addresses from which somebody is asking."""
        self._pages: WeakSet[OpenPage] = WeakSet()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on when it is time."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        badge = hashlib.blake2b(self._badge_of(connection.cookies).encode("utf-8", "surrogatepass")).digest()
        stranger = self._lane(key_of_address(connection.client.host if connection.client else ""))
        lane = self._known.get(badge)
        if lane is not None:
            if lane.asked.behind() > MOST_BEHIND:
                await _refusal(scope, lane)(scope, receive, send)
                return
            await lane.asked.wait(1)
        lane = lane or stranger
        if scope["type"] == "http":
            await self._answer(lane, badge, scope, receive, send)
            return
        if lane.pages >= PAGES:
            await self._sweep(lane)
        if lane.pages >= PAGES:
            await WebSocketClose()(scope, receive, send)
            return
        page = OpenPage(lane, stranger, scope, receive, send)
        try:
            self._pages.add(page)
            await self._show(page, badge, scope)
        finally:
            page.end()

    async def _answer(self, lane: Lane, badge: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        turn = Turn(lane.requests)
        await turn.take()
        answered = False

        async def send_and_end_turn(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                turn.end()
                self._remember(badge, scope)
            await send(message)

        async def receive_out_of_turn() -> Message:
            turn.end()  # who sends slowly keeps nobody waiting meanwhile
            message = await receive()
            if not answered:
                await turn.take()
            return message

        try:
            await self._app(scope, receive_out_of_turn, send_and_end_turn)
        finally:
            turn.end()

    async def _show(self, page: OpenPage, badge: bytes, scope: Scope) -> None:
        turn = Turn(page.lane.requests)
        await turn.take()

        async def send_and_end_turn(message: Message) -> None:
            if message["type"] in ("websocket.accept", "websocket.close"):
                turn.end()
                theirs = self._remember(badge, scope)
                if message["type"] == "websocket.accept" and theirs is not None and not page.move(theirs):
                    page.close()
            await page.send(message)

        try:
            await self._app(scope, page.receive, send_and_end_turn)
        finally:
            turn.end()

    async def _sweep(self, lane: Lane) -> None:
        """Close the pages of those who are signed out: they count for whoever they were."""
        now = asyncio.get_running_loop().time()
        if now - lane.swept < SWEPT:
            return
        lane.swept = now
        for page in [one for one in self._pages if one.lane is lane]:
            if not await page.may_stay():
                page.close()

    def _lane(self, whose: str) -> Lane:
        return self._lanes.setdefault(whose, Lane())

    def _remember(self, badge: bytes, scope: Scope) -> Lane | None:
        """The lane of the account that the guard has found out. A badge that is none any more is forgotten."""
        if "visitor" not in scope:  # it was not asked: something else refused it before
            return None
        visitor: Visitor | None = scope["visitor"]
        if visitor is None or visitor.account.id is None:
            self._known.pop(badge, None)
            return None
        lane = self._known[badge] = self._lane(visitor.account.id)
        self._known.move_to_end(badge)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return lane


def _refusal(scope: Scope, lane: Lane) -> ASGIApp:
    if scope["type"] == "websocket":
        return WebSocketClose()
    return too_many(TOO_MANY, lane.asked.behind())
