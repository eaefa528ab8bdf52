"""Lanes: what the connections of one account have of the app at once, and after one another."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

REQUESTS = 4
"""Requests of one account that are worked on at once; others wait."""
ASKED_AT_ONCE, ASKED_A_SECOND = 1_000.0, 50.0
"""Requests of one account: so many at once, then so many a second. A browser's first page is a hundred of them."""
RUNS = 2
"""Pages of one account that are drawn at once; others wait."""
LONGEST_WAIT = 5.0
"""Seconds after which a turn has come in any case: nobody is kept out by connections that never end."""
BURST, A_SECOND = 60.0, 20.0
"""Messages of the pages of one account: so many at once, then so many a second."""
DRAWN_AT_ONCE, DRAWN_A_SECOND = 10.0, 0.25
"""Seconds that the pages of one account are drawn: so many at once, then that part of each second."""
PAGE = 0.1
"""Seconds that a page counts before it is known how long it took."""
LONGEST_PAGE = 2.5
"""Seconds that a page counts at most: one that takes longer waits for something else, as for a file that is read."""


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

    async def wait(self, much: float) -> None:
        """Count so much, and wait until it is due."""
        self.spend(much)
        await asyncio.sleep(self._due - asyncio.get_running_loop().time())


@dataclass(eq=False, slots=True, weakref_slot=True)
class Lane:
    """The connections of one account, or of an address from which nobody has signed in yet."""

    requests: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(REQUESTS))
    asked: Budget = field(default_factory=lambda: Budget(ASKED_AT_ONCE, ASKED_A_SECOND))
    runs: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(RUNS))
    messages: Budget = field(default_factory=lambda: Budget(BURST, A_SECOND))
    drawing: Budget = field(default_factory=lambda: Budget(DRAWN_AT_ONCE, DRAWN_A_SECOND))
    pages: int = 0
    waiting: int = 0
    """Bytes of messages that wait."""


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


class Run:
    """What one page has drawn: it takes turns with others, and counts as long as it takes."""

    def __init__(self, lane: Lane) -> None:
        self._turn = Turn(lane.runs)
        self._drawing = lane.drawing
        self._since: float | None = None

    async def begin(self) -> None:
        """Wait until it may begin, or begin anew."""
        await self._drawing.wait(PAGE)
        await self._turn.take()
        self._count()  # what was drawn until now goes on meanwhile
        self._since = asyncio.get_running_loop().time()

    def end(self) -> None:
        """It is drawn."""
        self._count()
        self._turn.end()

    def _count(self) -> None:
        if self._since is not None:
            took = asyncio.get_running_loop().time() - self._since
            self._drawing.spend(min(took, LONGEST_PAGE) - PAGE)
            self._since = None
