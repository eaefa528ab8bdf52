"""How many live streams are open: each takes a place in the app, and asks the database again and again."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from characterbox.accounts.visitor import Visitor
from characterbox.routes.plain import too_many

MOST_OF_ONE = 20
"""Live streams that one account has open at once, at most. Without accounts all that are there are one's own."""
MOST_OF_ALL = 500
"""Live streams that are open at once, at most."""
WAIT = 30
"""Seconds after which whoever got no stream may ask again."""
TOO_MANY = "too many stories are watched at once; close a page on which one is played, or wait"


class Streams:
    """The live streams that are open, on one event loop."""

    def __init__(self) -> None:
        self._open: Counter[str | None] = Counter()

    def have_room(self, account: str | None) -> bool:
        """Whether the account, None without accounts, may open one more."""
        return self._open.total() < MOST_OF_ALL and (account is None or self._open[account] < MOST_OF_ONE)

    @contextmanager
    def one_more(self, account: str | None) -> Iterator[bool]:
        """Whether the account may open one; it counts for as long as the context lasts."""
        if not self.have_room(account):
            yield False
            return
        self._open[account] += 1
        try:
            yield True
        finally:
            self._open[account] -= 1
            if not self._open[account]:
                del self._open[account]

    def open(self) -> int:
        """How many are open."""
        return self._open.total()


STREAMS = Streams()


def no_room() -> Response:
    """Refuses one more, and says when to ask again."""
    return too_many(TOO_MANY, WAIT)


class LiveResponse(StreamingResponse):
    """Events as they come, where there is room for one more stream; else 429. However it ends, its place is free."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        visitor: Visitor = scope["visitor"]
        with STREAMS.one_more(visitor.account.id) as may:
            if may:
                await super().__call__(scope, receive, send)
            else:
                await no_room()(scope, receive, send)
