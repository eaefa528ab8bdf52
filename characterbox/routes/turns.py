"""Turns: how much of the app the connections of one account have at once. Everybody shares one process: without turns,
who asks for a thousand pages has all others wait until they are drawn."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from weakref import WeakSet, WeakValueDictionary

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from characterbox.accounts.slowing import key_of_address
from characterbox.accounts.visitor import Cookies, Visitor
from characterbox.routes.lanes import MOST_BEHIND, PAGES, Lane, Turn
from characterbox.routes.open_page import OpenPage
from characterbox.routes.plain import too_many

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
