"""How much the connections of one account have of the app at once, and how many live streams are open."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from characterbox.accounts.session_user import Visitor
from characterbox.routes.login.html_pages import too_many

REQUESTS = 4
"""Requests of one account that are worked on at once; others wait."""
ASKED_AT_ONCE, ASKED_A_SECOND = 1_000.0, 50.0
"""Requests of one account: so many at once, then so many a second. A browser's first page is a hundred of them."""
MOST_BEHIND = 10.0
"""Seconds that a request waits for those before it, at most; it is refused instead."""
PAGES = 40
"""Pages that one account has open at once, at most."""
RUNS = 2
"""Pages of one account that are drawn at once; others wait."""
LONGEST_WAIT = 5.0
"""Seconds after which the one who waits longest takes its turn in any case, and after so many more the next: nobody is
kept out by connections that never end."""
BURST, A_SECOND = 60.0, 20.0
"""Messages of the pages of one account: so many at once, then so many a second."""
DRAWN_AT_ONCE, DRAWN_A_SECOND = 10.0, 0.25
"""Seconds that the pages of one account are drawn: so many at once, then that part of each second."""
RESERVED = 5.0
"""Seconds of those at once that are left for what somebody does: what pages do by themselves is left out for it."""
PAGE, LONGEST_PAGE = 0.1, 2.5
"""Seconds that a page counts at least until it is known how long it took, and at most: one that takes longer waits for
something else, as for a file that is read."""
LATELY = 0.25
"""How much the last page counts in what pages take lately."""


class Budget:
    """So much at once, then so much a second."""

    def __init__(self, at_once: float, a_second: float) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._due = float("-inf")
        """When all is due that was spent so far, in seconds of the event loop."""

    def spend(self, much: float) -> None:
        """Count so much more, or less, for those who come later."""
        now = asyncio.get_running_loop().time()
        self._due = max(self._due, now - self._at_once / self._a_second) + much / self._a_second

    def behind(self) -> float:
        """Seconds until all is due."""
        return max(0.0, self._due - asyncio.get_running_loop().time())

    def has(self, much: float) -> bool:
        """Whether so much could be had at once."""
        return self._due + much / self._a_second <= asyncio.get_running_loop().time()

    async def wait(self, much: float) -> None:
        """Count so much, and wait until it is due."""
        self.spend(much)
        await asyncio.sleep(self.behind())


class Turns:
    """So many at once; others wait, in order."""

    def __init__(self, most: int) -> None:
        self._free = asyncio.Semaphore(most)
        self._late = asyncio.Lock()
        """Held by the one who goes next without a turn."""

    async def take(self) -> bool:
        """Wait for one. Whether it was one that has to be given back."""
        if await self._in_time():
            return True
        async with self._late:
            return await self._in_time()

    def give_back(self) -> None:
        """Let the next one have it."""
        self._free.release()

    async def _in_time(self) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT):
                return await self._free.acquire()
        return False


@dataclass(eq=False, slots=True, weakref_slot=True)
class Lane:
    """The connections of one account, or of an address from which nobody has signed in yet."""

    asked: Budget = field(default_factory=lambda: Budget(ASKED_AT_ONCE, ASKED_A_SECOND))
    requests: Turns = field(default_factory=lambda: Turns(REQUESTS))
    pages: int = 0
    """Those that are open."""
    waiting: int = 0
    """Bytes of what they have sent that waits."""
    messages: Budget = field(default_factory=lambda: Budget(BURST, A_SECOND))
    drawing: Budget = field(default_factory=lambda: Budget(DRAWN_AT_ONCE, DRAWN_A_SECOND))
    runs: Turns = field(default_factory=lambda: Turns(RUNS))
    lately: float = PAGE
    """Seconds that pages take lately."""
    swept: float = float("-inf")
    """When it was last looked at whose pages are open, in seconds of the event loop."""


class Turn:
    """One turn: taken, or not."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._taken = False

    async def take(self) -> None:
        """Wait until it is taken, or it is this one's turn to go without."""
        if not self._taken:
            self._taken = await self._turns.take()

    def end(self) -> None:
        """Let the next one have it."""
        if self._taken:
            self._taken = False
            self._turns.give_back()


class Run:
    """What one page has drawn: it takes turns with others, and counts as long as it takes."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self._turn = Turn(lane.runs)
        self._counted = 0.0
        """Seconds that were counted before it was known how long it took."""
        self._since: float | None = None

    async def begin(self) -> None:
        """Wait until it may begin, or begin anew."""
        ahead = self.lane.lately
        await self.lane.drawing.wait(ahead)
        await self._turn.take()
        self._count()  # what was drawn until now goes on meanwhile
        self._since, self._counted = asyncio.get_running_loop().time(), ahead

    def end(self) -> None:
        """It is drawn."""
        self._count()
        self._turn.end()

    def _count(self) -> None:
        if self._since is not None:
            took = min(asyncio.get_running_loop().time() - self._since, LONGEST_PAGE)
            self.lane.drawing.spend(took - self._counted)
            self.lane.lately = max(PAGE, (1 - LATELY) * self.lane.lately + LATELY * took)
            self._since = None


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
